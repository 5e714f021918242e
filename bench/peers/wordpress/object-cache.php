<?php
/**
 * The persistent object cache that the documentation of WordPress recommends, in APCu, which all processes of PHP-FPM share. A value is kept for the
 * request too, as by the cache of WordPress itself.
 */
final class Objects {
	public static array $values = [];
	public static array $temporary = [];

	public static function key($key, $group): string {
		return DB_NAME . ':' . ($group ?: 'default') . ':' . $key;
	}

	public static function isShared($group): bool {
		return !isset(self::$temporary[$group ?: 'default']);
	}

	public static function keep(string $key, $data): bool {
		self::$values[$key] = is_object($data) ? clone $data : $data;
		return true;
	}
}

function wp_cache_init() {}

function wp_cache_get($key, $group = '', $force = false, &$found = null) {
	$name = Objects::key($key, $group);
	$found = true;
	if (!array_key_exists($name, Objects::$values) || ($force && Objects::isShared($group))) {
		$data = Objects::isShared($group) ? apcu_fetch($name, $found) : $found = false;
		if (!$found) return false;
		Objects::$values[$name] = $data;
	}
	$data = Objects::$values[$name];
	return is_object($data) ? clone $data : $data;
}

function wp_cache_set($key, $data, $group = '', $expire = 0) {
	$name = Objects::key($key, $group);
	if (Objects::isShared($group)) apcu_store($name, $data, (int) $expire);
	return Objects::keep($name, $data);
}

function wp_cache_add($key, $data, $group = '', $expire = 0) {
	if (wp_suspend_cache_addition()) return false;
	wp_cache_get($key, $group, false, $found);
	return $found ? false : wp_cache_set($key, $data, $group, $expire);
}

function wp_cache_replace($key, $data, $group = '', $expire = 0) {
	wp_cache_get($key, $group, false, $found);
	return $found ? wp_cache_set($key, $data, $group, $expire) : false;
}

function wp_cache_delete($key, $group = '') {
	wp_cache_get($key, $group, false, $found);
	$name = Objects::key($key, $group);
	unset(Objects::$values[$name]);
	if (Objects::isShared($group)) apcu_delete($name);
	return $found;
}

function wp_cache_incr($key, $offset = 1, $group = '') {
	$data = wp_cache_get($key, $group, true, $found);
	if (!$found) return false;
	$sum = max(0, (int) $data + (int) $offset);
	wp_cache_set($key, $sum, $group);
	return $sum;
}

function wp_cache_decr($key, $offset = 1, $group = '') {
	return wp_cache_incr($key, -$offset, $group);
}

function wp_cache_flush() {
	Objects::$values = [];
	return apcu_clear_cache();
}

function wp_cache_close() {
	return true;
}

function wp_cache_add_global_groups($groups) {}

function wp_cache_add_non_persistent_groups($groups) {
	foreach ((array) $groups as $group) Objects::$temporary[$group] = true;
}

function wp_cache_switch_to_blog($id) {}
