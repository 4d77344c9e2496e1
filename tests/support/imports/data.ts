import { xchacha20poly1305 } from '@noble/ciphers/chacha.js';
import { SCHEMAS } from './schemas.ts';

/** Password of everybody in the data, and its hash as PHP makes it. */
export const OLD_PASSWORD = 'geheim 2023';
const hash = (await Bun.password.hash(OLD_PASSWORD, { algorithm: 'bcrypt', cost: 4 })).replace(/^\$2b\$/, '$2y$');
/** The key that MythicalDash 4 seals with in the data. */
export const MYTHICAL_KEY = new Uint8Array(32).fill(7);
const sealed = (text: string): string => {
  const nonce = new Uint8Array(24).fill(text.length);
  return Buffer.concat([
    nonce,
    xchacha20poly1305(MYTHICAL_KEY, nonce, nonce).encrypt(new TextEncoder().encode(text)),
  ]).toString('base64');
};

/**
 * A small installation of each product: `ann` is as she should be and has 125 credits (and a half where there are
 * halves); the others are what code of the product lets into its database.
 */
export const DATA = {
  ctrlpanel: `${SCHEMAS.ctrlpanel}
INSERT INTO users (id, name, email, email_verified_at, password, credits, server_limit, pterodactyl_id, suspended, created_at) VALUES
  (1, 'ann', 'ann@old.example', '2023-01-02 03:04:05', '${hash}', 125500, 3, '11', 0, '2023-01-02 03:04:05'),
  (2, 'ANN', 'other@old.example', NULL, '${hash}', 7000, 1, '12', 0, '2023-02-02 00:00:00'),
  (3, 'bob', 'ANN@old.example', NULL, '${hash}', 1000, 1, NULL, 0, NULL),
  (4, 'debtor', 'debtor@old.example', NULL, '${hash}', -4000, 1, NULL, 1, '0000-00-00 00:00:00'),
  (5, 'nobody', 'no address', NULL, '${hash}', 2000, 1, NULL, 0, '2023-01-02 03:04:05'),
  (6, 'Jürgen O''Neil \\\\ "x"', 'jürgen@old.example', NULL, 'md5', 999, 1, NULL, 0, '2023-01-02 03:04:05');
INSERT INTO roles VALUES (1, 'Admin', 100), (4, 'User', 0);
INSERT INTO permissions VALUES (1, '*', 'web'), (2, 'user.shop.buy', 'web');
INSERT INTO role_has_permissions VALUES (1, 1), (2, 4);
INSERT INTO model_has_roles VALUES (1, 'App\\\\Models\\\\User', 1), (4, 'App\\\\Models\\\\User', 2);
INSERT INTO discord_users VALUES ('123456789012345678', 1), ('123456789012345679', 99);
INSERT INTO products VALUES ('p1', 'Small', 100000, 1024, 5120, 100, 1, 1, 'monthly');
INSERT INTO servers VALUES ('11111111-0000-0000-0000-000000000000', 'ann''s world', 1, 'p1', 501, NULL, '2023-06-01 00:00:00'),
  ('22222222-0000-0000-0000-000000000000', 'failed', 1, 'p1', NULL, NULL, NULL), ('33333333-0000-0000-0000-000000000000', 'orphan', 77, 'p1', 503, NULL, NULL);
INSERT INTO vouchers VALUES (1, 'WELCOME-2023', '', 50000, 3, NULL), (2, 'USED-UP-1', '', 1000, 1, NULL), (3, 'ENDED-1', '', 1000, 5, '2020-01-01 00:00:00');
INSERT INTO user_voucher VALUES (1, 1), (1, 1), (2, 2);
INSERT INTO shop_products VALUES ('s1', 'Credits', 4990, 500000, '500 credits', 'EUR', 0), ('s2', 'Server slots', 4990, 5, 'slots', 'EUR', 0);
INSERT INTO payments VALUES ('pay1', 1, 'pi_1', 'Stripe', 'Credits', 'paid', 500000, 4990, 4990, 'EUR', '2023-03-03 03:03:03'), ('pay2', 77, 'pi_2', 'Stripe', 'Credits', 'paid', 500000, 4990, 4990, 'EUR', NULL);
INSERT INTO ticket_categories VALUES (1, 'Billing');
INSERT INTO tickets VALUES (1, 'ABCDEFGH', 1, 1, 'Help', 'High', '<p>It <b>broke</b> &amp; burns</p>', 'Answered', '2023-04-04 04:04:04'), (2, 'X', 77, 1, 'Lost', 'Low', 'x', 'Open', NULL);
INSERT INTO ticket_comments VALUES (1, 1, 2, 'Fixed.', '2023-04-05 04:04:04');
INSERT INTO settings (\`group\`, name, payload) VALUES ('invoice', 'company_name', '"Old Hosting GmbH"'), ('invoice', 'prefix', '{bad json'), ('pterodactyl', 'admin_token', '"secret"');
`,
  mythicaldash3: `${SCHEMAS.mythicaldash3}
INSERT INTO mythicaldash_users (id, panel_id, email, username, first_name, last_name, password, api_key, role, coins, ram, disk, cpu, server_limit, ports, \`databases\`, backups, banned, discord_linked, discord_id, registred) VALUES
  (1, '11', 'ann@old.example', 'ann', 'xx', 'xx', '${hash}', 'key-ann', 'User', '125.5', '2048', '10240', '150', '2', '2', '1', '1', '', 'true', '123456789012345678', '2023-01-02 03:04:05'),
  (2, '12', 'two@old.example', 'Ann', '', '', '${hash}', 'key-two', 'Support', '1e1', '', 'x', '100', '1', '1', '0', '0', 'spam', 'false', '', '2023-01-02 03:04:05'),
  (3, '13', 'three@old.example', 'cat', '', '', '${hash}', 'key-three', 'User', '-5', '1', '1', '1', '1', '1', '0', '0', '', 'false', '', NULL),
  (4, '14', 'four@old.example', 'dan', '', '', '${hash}', 'key-four', 'User', 'oops', '1', '1', '1', '1', '1', '0', '0', '', 'false', '', '0000-00-00 00:00:00'),
  (5, '15', 'five@old.example', 'eve', '', '', '${hash}', 'key-five', 'User', '''15''', '1', '1', '1', '1', '1', '0', '0', '', 'false', '', NULL);
INSERT INTO mythicaldash_servers (pid, uid) VALUES ('501', 'key-ann'), ('502', 'a key that was reset');
INSERT INTO mythicaldash_redeem (code, uses, coins, ram) VALUES ('GIFT-100', '4', '100', '0'), ('RAM-1', '1', '0', '512');
INSERT INTO mythicaldash_payments (code, coins, ownerkey, getaway, status, created) VALUES ('abc', '500', 'key-ann', 'stripe', 'paid', '2023-03-03 00:00:00');
INSERT INTO mythicaldash_tickets (ownerkey, ticketuuid, subject, description, status, created) VALUES ('key-ann', 't-1', 'Hi there', 'Question', 'open', '2023-03-03 00:00:00');
INSERT INTO mythicaldash_tickets_messages (ticketuuid, userkey, message, created) VALUES ('t-1', 'key-two', 'Answer', '2023-03-04 00:00:00');
INSERT INTO mythicaldash_settings (version, def_memory, def_disk_space, def_cpu) VALUES ('3.2.1', '1536', '6144', '120');
`,
  mythicaldash4: `${SCHEMAS.mythicaldash4}
INSERT INTO mythicaldash_migrations (script) VALUES ('2025-07-28-09.00-j4r.sql');
INSERT INTO mythicaldash_users (id, username, first_name, last_name, email, password, credits, pterodactyl_user_id, memory_limit, disk_limit, cpu_limit, server_limit, backup_limit, database_limit, allocation_limit, uuid, role, banned, discord_id, discord_linked, deleted) VALUES
  (1, 'ann', '${sealed('Anna')}', '${sealed('Alt')}', 'ann@old.example', '${sealed(OLD_PASSWORD)}', 125, 11, 2048, 10240, 150, 2, 1, 1, 2, 'u-1', 1, 'NO', '123456789012345678', 'true', 'false'),
  (2, 'ann', 'rubbish', '', 'two@old.example', 'rubbish', 10, 0, 1024, 5120, 100, 1, 0, 0, 1, 'u-2', 8, NULL, NULL, 'false', 'false'),
  (3, 'gone', '', '', 'gone@old.example', '', 999, 0, 1, 1, 1, 1, 0, 0, 1, 'u-3', 1, 'NO', NULL, 'false', 'true'),
  (4, 'debtor', '', '', 'debtor@old.example', '${hash}', -7, 0, 1, 1, 1, 1, 0, 0, 1, 'u-4', 2, 'cheated', NULL, 'false', 'false');
INSERT INTO mythicaldash_roles (id, name) VALUES (1, 'Default'), (8, 'Administrator');
INSERT INTO mythicaldash_roles_permissions (role_id, permission, granted) VALUES (8, 'admin.root', 'true'), (1, 'admin.users.list', 'false');
INSERT INTO mythicaldash_servers (pterodactyl_id, user, expires_at) VALUES (501, 'u-1', NOW()), (0, 'u-1', NOW()), (777, 'u-none', NOW());
INSERT INTO mythicaldash_redeem_codes (id, code, coins, uses) VALUES (1, 'SUMMER-24', 40, 2);
INSERT INTO mythicaldash_redeem_codes_redeems (code, user) VALUES (1, 'u-1'), (1, 'u-1');
INSERT INTO mythicaldash_stripe_payments (code, coins, user, status, date) VALUES ('cs_1', 5, 'u-1', 'processed', '2025-01-01 00:00:00');
INSERT INTO mythicaldash_departments VALUES (1, 'Billing');
INSERT INTO mythicaldash_tickets (user, department, priority, status, title, description, date) VALUES ('u-1', 1, 'urgent', 'replied', 'Help me', 'Now', '2025-01-01 00:00:00');
INSERT INTO mythicaldash_tickets_messages (ticket, user, message, date) VALUES (1, 'u-2', 'Soon', '2025-01-01 01:00:00');
INSERT INTO mythicaldash_settings (name, value) VALUES ('company_name', '${sealed('Old Hosting')}'), ('company_name', '${sealed('Old Hosting GmbH')}'), ('currency', '${sealed('usd')}'), ('pterodactyl_api_key', '${sealed('secret')}');
`,
  paymenter: `${SCHEMAS.paymenter}
INSERT INTO users (id, first_name, last_name, email, email_verified_at, password, role_id, created_at) VALUES
  (1, 'Anna', 'Alt', 'ann@old.example', '2025-01-02 03:04:05', '${hash}', NULL, '2025-01-02 03:04:05'),
  (2, NULL, NULL, 'ann@other.example', NULL, '${hash}', 1, '2025-01-02 03:04:05'),
  (3, 'X', 'Y', '', NULL, '${hash}', NULL, NULL);
INSERT INTO roles VALUES (1, 'admin', '["*"]');
INSERT INTO credits (user_id, currency_code, amount) VALUES (1, 'EUR', 100.50), (1, 'EUR', 25.00), (1, 'USD', 9.99), (3, 'EUR', 4.00);
INSERT INTO plans VALUES (1, 'Monthly');
INSERT INTO services (id, status, user_id, quantity, expires_at, label) VALUES (91, 'active', 1, 1, '2027-01-01 00:00:00', 'world'), (92, 'cancelled', 1, 1, NULL, NULL), (93, 'active', 1, 3, NULL, NULL);
INSERT INTO invoices (id, user_id, number, status, currency_code) VALUES (1, 1, 'INV-1', 'paid', 'EUR');
INSERT INTO invoice_transactions (invoice_id, gateway_id, amount, transaction_id, status, created_at) VALUES (1, 2, 12.34, 'pi_9', 'succeeded', '2025-02-02 00:00:00');
INSERT INTO tickets (id, subject, status, priority, department, user_id, created_at) VALUES (1, 'Hello', 'closed', 'low', 'Sales', 1, '2025-02-02 00:00:00'), (2, 'Empty', 'open', 'low', NULL, 1, NULL);
INSERT INTO ticket_messages (ticket_id, user_id, message, created_at) VALUES (1, 1, 'Hi', '2025-02-02 00:00:00'), (1, 2, 'Bye', '2025-02-03 00:00:00');
INSERT INTO settings (\`key\`, value, encrypted) VALUES ('company_name', 'Old Hosting GmbH', 0), ('api_key', 'secret', 1);
`,
  jexactyl: `${SCHEMAS.jexactyl}
INSERT INTO users (id, uuid, username, email, name_first, name_last, password, language, root_admin, discord_id, store_balance, store_memory, store_slots, created_at) VALUES
  (11, 'a', 'ann', 'ann@old.example', 'Anna', 'Alt', '${hash}', 'de', 0, '123456789012345678', 125, 512, 1, '2023-01-02 03:04:05'),
  (12, 'b', 'boss', 'boss@old.example', 'B', 'C', '${hash}', 'tlh', 1, NULL, 0, 0, 0, '2023-01-02 03:04:05');
INSERT INTO servers (id, uuid, name, owner_id, memory, disk, cpu, allocation_limit, backup_limit, database_limit, renewable, renewal) VALUES (501, 's', 'world', 11, 1024, 5120, 100, 1, 0, 0, 1, 0), (502, 't', 'orphan', 99, 1, 1, 1, 0, 0, 0, 0, 7);
INSERT INTO coupons (code, uses, cr_amount, expires, expired) VALUES ('COUPON-1', 2, 30, NULL, 0), ('COUPON-2', 2, 30, NULL, 1);
INSERT INTO tickets (id, client_id, title, status, content, created_at) VALUES (1, 11, 'Question', 'resolved', 'Why?', '2023-02-02 00:00:00');
INSERT INTO ticket_messages (ticket_id, user_id, content) VALUES (1, 12, 'Because.');
INSERT INTO settings (\`key\`, value) VALUES ('settings::jexactyl::renewal:cost', '250'), ('settings::mail:password', 'secret');
`,
} as const;
