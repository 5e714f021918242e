<?php
define('DB_NAME', getenv('DB_NAME'));
define('DB_USER', 'root');
define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:' . getenv('DB_SOCKET'));
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
$table_prefix = 'wp_';
foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as $name) {
	define($name . '_KEY', 'benchmark');
	define($name . '_SALT', 'benchmark');
}
// The documentation recommends cron of the system: the benchmark has none.
define('DISABLE_WP_CRON', true);
define('AUTOMATIC_UPDATER_DISABLED', true);
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('WP_DEBUG', false);
define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
