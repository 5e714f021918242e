<?php
/** Creates the tables and settings of WordPress, as its installation page does. */
define('WP_INSTALLING', true);
$_SERVER['HTTP_HOST'] = '127.0.0.1';
require __DIR__ . '/wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';

/** Instead of a mail to the administrator. */
function wp_new_blog_notification() {}

wp_install('Journal', 'admin', 'admin@example.com', true, '', 'benchmark');
update_option('permalink_structure', '/%postname%/');
update_option('timezone_string', 'UTC');
