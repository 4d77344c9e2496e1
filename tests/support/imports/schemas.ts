/**
 * The tables of other dashboards with the columns that an import reads, and some that it does not. They are written by
 * hand after the public migrations of each product, not made by running them.
 */
export const SCHEMAS = {
  ctrlpanel: `
CREATE TABLE users (id bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY, name varchar(255) NOT NULL, email varchar(255) NOT NULL,
  email_verified_at timestamp NULL, password varchar(255) NOT NULL, remember_token varchar(100), credits bigint NOT NULL DEFAULT 0,
  server_limit int unsigned NOT NULL DEFAULT 1, pterodactyl_id varchar(255), suspended tinyint(1) NOT NULL DEFAULT 0, created_at timestamp NULL,
  updated_at timestamp NULL) ENGINE=InnoDB;
CREATE TABLE roles (id bigint unsigned NOT NULL PRIMARY KEY, name varchar(255), power int);
CREATE TABLE permissions (id bigint unsigned NOT NULL PRIMARY KEY, name varchar(255), guard_name varchar(255));
CREATE TABLE role_has_permissions (permission_id bigint unsigned, role_id bigint unsigned);
CREATE TABLE model_has_roles (role_id bigint unsigned, model_type varchar(255), model_id bigint unsigned);
CREATE TABLE discord_users (id varchar(255), user_id bigint unsigned);
CREATE TABLE products (id varchar(255) PRIMARY KEY, name varchar(255), price bigint, memory int, disk int, cpu int, \`databases\` int, backups int, billing_period varchar(30));
CREATE TABLE servers (id char(36) PRIMARY KEY, name varchar(255), user_id bigint unsigned, product_id varchar(255), pterodactyl_id int, suspended datetime NULL, last_billed datetime NULL);
CREATE TABLE vouchers (id bigint unsigned PRIMARY KEY, code varchar(36), memo varchar(255), credits bigint, uses int, expires_at timestamp NULL);
CREATE TABLE user_voucher (user_id bigint unsigned, voucher_id bigint unsigned);
CREATE TABLE shop_products (id char(36) PRIMARY KEY, type varchar(255), price bigint, quantity bigint, display varchar(255), currency_code varchar(3), disabled tinyint(1));
CREATE TABLE payments (id varchar(36) PRIMARY KEY, user_id bigint unsigned, payment_id varchar(255), payment_method varchar(255), type varchar(255), status varchar(255),
  amount bigint, price bigint, total_price bigint, currency_code varchar(3), created_at timestamp NULL);
CREATE TABLE tickets (id bigint unsigned PRIMARY KEY, ticket_id varchar(255), user_id bigint unsigned, ticketcategory_id int, title varchar(255), priority varchar(20), message text, status varchar(30), created_at timestamp NULL);
CREATE TABLE ticket_comments (id bigint unsigned PRIMARY KEY, ticket_id bigint unsigned, user_id bigint unsigned, ticketcomment text, created_at timestamp NULL);
CREATE TABLE ticket_categories (id int PRIMARY KEY, name varchar(255));
CREATE TABLE settings (id bigint unsigned AUTO_INCREMENT PRIMARY KEY, \`group\` varchar(255), name varchar(255), locked tinyint(1) DEFAULT 0, payload longtext);
CREATE TABLE migrations (id int unsigned AUTO_INCREMENT PRIMARY KEY, migration varchar(255), batch int);
`,
  mythicaldash3: `
CREATE TABLE mythicaldash_users (id int(11) NOT NULL AUTO_INCREMENT PRIMARY KEY, panel_id text, email text NOT NULL, username text NOT NULL, first_name text, last_name text,
  password text, avatar text, api_key text NOT NULL, role text, coins text, ram text, disk text, cpu text, server_limit text, ports text, \`databases\` text, backups text,
  minutes_afk text, last_seen text, banned text, discord_linked text, discord_id text, last_ip text, first_ip text, registred datetime);
CREATE TABLE mythicaldash_servers (id int(11) NOT NULL AUTO_INCREMENT PRIMARY KEY, pid text, uid text, location text, egg_id text, \`purge\` text);
CREATE TABLE mythicaldash_redeem (id int(11) NOT NULL AUTO_INCREMENT PRIMARY KEY, code text, uses text, coins text, ram text, disk text, cpu text, server_limit text, ports text, \`databases\` text, backups text);
CREATE TABLE mythicaldash_payments (id int(11) NOT NULL AUTO_INCREMENT PRIMARY KEY, code text, coins text, ownerkey text, getaway text, status text, created datetime);
CREATE TABLE mythicaldash_tickets (id int(11) NOT NULL AUTO_INCREMENT PRIMARY KEY, ownerkey text, ticketuuid text, subject text, priority text, description text, attachment text, status text, created datetime);
CREATE TABLE mythicaldash_tickets_messages (id int(11) NOT NULL AUTO_INCREMENT PRIMARY KEY, ticketuuid text, userkey text, message text, attachment text, created datetime);
CREATE TABLE mythicaldash_settings (id int(11) NOT NULL AUTO_INCREMENT PRIMARY KEY, name text, version text, def_coins text, def_memory text, def_disk_space text, def_cpu text, def_server_limit text, def_port text, def_db text, def_backups text);
`,
  mythicaldash4: `
CREATE TABLE mythicaldash_migrations (id int AUTO_INCREMENT PRIMARY KEY, script text, migrated text);
CREATE TABLE mythicaldash_users (id int NOT NULL AUTO_INCREMENT PRIMARY KEY, username text, first_name text, last_name text, email text, password text, avatar text, credits int DEFAULT 15,
  pterodactyl_user_id int DEFAULT 0, memory_limit int, disk_limit int, cpu_limit int, server_limit int, backup_limit int, database_limit int, allocation_limit int,
  uuid char(36), token text, role int DEFAULT 1, banned text, verified enum('false','true') DEFAULT 'false', discord_id text, discord_linked enum('false','true') DEFAULT 'false',
  deleted enum('false','true') DEFAULT 'false', locked enum('false','true') DEFAULT 'false', first_seen datetime DEFAULT current_timestamp());
CREATE TABLE mythicaldash_roles (id int PRIMARY KEY, name text, real_name text, deleted enum('false','true') DEFAULT 'false');
CREATE TABLE mythicaldash_roles_permissions (id int AUTO_INCREMENT PRIMARY KEY, role_id int, permission text, granted enum('false','true') DEFAULT 'true', deleted enum('false','true') DEFAULT 'false');
CREATE TABLE mythicaldash_servers (id int AUTO_INCREMENT PRIMARY KEY, pterodactyl_id int, build int, user char(36), expires_at datetime, \`purge\` text, deleted enum('false','true') DEFAULT 'false');
CREATE TABLE mythicaldash_redeem_codes (id int AUTO_INCREMENT PRIMARY KEY, code text, coins int, uses int, enabled enum('false','true') DEFAULT 'true', deleted enum('false','true') DEFAULT 'false');
CREATE TABLE mythicaldash_redeem_codes_redeems (id int AUTO_INCREMENT PRIMARY KEY, code int, user char(36), deleted enum('false','true') DEFAULT 'false');
CREATE TABLE mythicaldash_stripe_payments (id int AUTO_INCREMENT PRIMARY KEY, code text, coins int, user char(36), status text, date datetime);
CREATE TABLE mythicaldash_departments (id int PRIMARY KEY, name text);
CREATE TABLE mythicaldash_tickets (id int AUTO_INCREMENT PRIMARY KEY, user char(36), department int, priority text, status text, title text, description text, deleted enum('false','true') DEFAULT 'false', date datetime);
CREATE TABLE mythicaldash_tickets_messages (id int AUTO_INCREMENT PRIMARY KEY, ticket int, user char(36), message text, deleted enum('false','true') DEFAULT 'false', date datetime);
CREATE TABLE mythicaldash_settings (id int AUTO_INCREMENT PRIMARY KEY, name text, value text);
`,
  paymenter: `
CREATE TABLE users (id bigint unsigned AUTO_INCREMENT PRIMARY KEY, first_name varchar(255), last_name varchar(255), email varchar(255), email_verified_at timestamp NULL, password varchar(255),
  tfa_secret varchar(255), role_id bigint unsigned, created_at timestamp NULL, updated_at timestamp NULL);
CREATE TABLE roles (id bigint unsigned PRIMARY KEY, name varchar(255), permissions longtext);
CREATE TABLE credits (id bigint unsigned AUTO_INCREMENT PRIMARY KEY, user_id bigint unsigned, currency_code varchar(3), amount decimal(17,2));
CREATE TABLE plans (id bigint unsigned PRIMARY KEY, name varchar(255));
CREATE TABLE services (id bigint unsigned AUTO_INCREMENT PRIMARY KEY, status varchar(255), order_id bigint unsigned, product_id bigint unsigned, user_id bigint unsigned, quantity int, price decimal(17,2), expires_at datetime, label varchar(255));
CREATE TABLE invoices (id bigint unsigned AUTO_INCREMENT PRIMARY KEY, user_id bigint unsigned, number varchar(255), status varchar(255), currency_code varchar(3), created_at timestamp NULL);
CREATE TABLE invoice_transactions (id bigint unsigned AUTO_INCREMENT PRIMARY KEY, invoice_id bigint unsigned, gateway_id bigint unsigned, amount decimal(17,2), fee decimal(17,2), transaction_id varchar(255), status varchar(255), is_credit_transaction tinyint(1), created_at timestamp NULL);
CREATE TABLE tickets (id bigint unsigned AUTO_INCREMENT PRIMARY KEY, subject varchar(255), status varchar(255), priority varchar(255), department varchar(255), user_id bigint unsigned, created_at timestamp NULL);
CREATE TABLE ticket_messages (id bigint unsigned AUTO_INCREMENT PRIMARY KEY, ticket_id bigint unsigned, user_id bigint unsigned, message text, created_at timestamp NULL);
CREATE TABLE settings (id bigint unsigned AUTO_INCREMENT PRIMARY KEY, \`key\` varchar(255), value longtext, type varchar(255), encrypted tinyint(1) DEFAULT 0, settingable_type varchar(255), settingable_id bigint unsigned);
`,
  jexactyl: `
CREATE TABLE users (id int unsigned AUTO_INCREMENT PRIMARY KEY, external_id varchar(255), uuid char(36), username varchar(255), email varchar(255), name_first varchar(255), name_last varchar(255), password text,
  remember_token varchar(255), language char(5) DEFAULT 'en', root_admin tinyint unsigned DEFAULT 0, use_totp tinyint unsigned DEFAULT 0, totp_secret text, discord_id varchar(255), approved tinyint(1) DEFAULT 1,
  verified tinyint(1) DEFAULT 1, store_balance int unsigned DEFAULT 0, store_cpu int unsigned DEFAULT 0, store_memory int unsigned DEFAULT 0, store_disk int unsigned DEFAULT 0, store_slots int unsigned DEFAULT 0,
  store_ports int unsigned DEFAULT 0, store_backups int unsigned DEFAULT 0, store_databases int unsigned DEFAULT 0, created_at timestamp NULL);
CREATE TABLE servers (id int unsigned AUTO_INCREMENT PRIMARY KEY, external_id varchar(255), uuid char(36), name varchar(255), owner_id int unsigned, memory int unsigned, disk int unsigned, cpu int unsigned,
  allocation_limit int unsigned, backup_limit int unsigned, database_limit int unsigned, renewable tinyint(1) DEFAULT 1, renewal int unsigned DEFAULT 7, status varchar(255));
CREATE TABLE coupons (id bigint unsigned AUTO_INCREMENT PRIMARY KEY, code varchar(255), uses int, cr_amount int, expires timestamp NULL, expired tinyint(1) DEFAULT 0);
CREATE TABLE tickets (id bigint unsigned AUTO_INCREMENT PRIMARY KEY, client_id int unsigned, staff_id int unsigned, title varchar(255), status varchar(30), content text, created_at timestamp NULL);
CREATE TABLE ticket_messages (id bigint unsigned AUTO_INCREMENT PRIMARY KEY, ticket_id bigint unsigned, user_id int unsigned, content text, created_at timestamp NULL);
CREATE TABLE settings (id int unsigned AUTO_INCREMENT PRIMARY KEY, \`key\` varchar(255), value text);
`,
} as const;
