import { bit, define, oneOf, type Migration } from './migration.ts';

/** Users, their limits, sessions, devices and tokens; roles; mails and notifications. */
export const accounts: Migration = {
  name: '0002_accounts',
  up: (step) => define(step, [...ROLES, ...USERS, ...SESSIONS, ...MESSAGES]),
};

const ROLES = [
  `CREATE TABLE roles (
    id TEXT NOT NULL PRIMARY KEY,
    key TEXT UNIQUE,
    name TEXT NOT NULL,
    color TEXT NOT NULL,
    rank INTEGER NOT NULL,
    ${bit('is_default')},
    created_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL
  )STRICT`,
  'CREATE UNIQUE INDEX roles_one_default ON roles (is_default) WHERE is_default = 1',
  `CREATE TABLE role_permissions (
    role_id TEXT NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
    permission TEXT NOT NULL,
    PRIMARY KEY (role_id, permission)
  )KEYED`,
];

const USERS = [
  `CREATE TABLE users (
    id TEXT NOT NULL PRIMARY KEY,
    username TEXT NOT NULL,
    username_key TEXT NOT NULL UNIQUE,
    email TEXT NOT NULL,
    email_key TEXT NOT NULL UNIQUE,
    password_hash TEXT NOT NULL,
    first_name TEXT NOT NULL,
    last_name TEXT NOT NULL,
    role_id TEXT NOT NULL REFERENCES roles (id),
    locale TEXT NOT NULL,
    ${oneOf('status', ['active', 'banned', 'deleted'])},
    ban_reason TEXT,
    banned_until_ms INTEGER,
    verified_ms INTEGER,
    terms_ms INTEGER NOT NULL,
    password_version INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL
  )STRICT`,
  'CREATE INDEX users_role ON users (role_id)',
  'CREATE INDEX users_created ON users (created_ms)',
  `CREATE TABLE user_limits (
    user_id TEXT NOT NULL PRIMARY KEY,
    memory INTEGER NOT NULL CHECK (memory >= 0),
    disk INTEGER NOT NULL CHECK (disk >= 0),
    cpu INTEGER NOT NULL CHECK (cpu >= 0),
    slots INTEGER NOT NULL CHECK (slots >= 0),
    ports INTEGER NOT NULL CHECK (ports >= 0),
    databases INTEGER NOT NULL CHECK (databases >= 0),
    backups INTEGER NOT NULL CHECK (backups >= 0)
  )KEYED`,
];

const SESSIONS = [
  `CREATE TABLE sessions (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    token_hash TEXT NOT NULL UNIQUE,
    device TEXT NOT NULL,
    user_agent TEXT NOT NULL,
    address TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    seen_ms INTEGER NOT NULL,
    expires_ms INTEGER NOT NULL,
    second_factor_ms INTEGER
  )STRICT`,
  'CREATE INDEX sessions_user ON sessions (user_id, seen_ms)',
  'CREATE INDEX sessions_expiry ON sessions (expires_ms)',
  `CREATE TABLE known_devices (
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    device_key TEXT NOT NULL,
    first_ms INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    PRIMARY KEY (user_id, device_key)
  )KEYED`,
  `CREATE TABLE one_time_tokens (
    id TEXT NOT NULL PRIMARY KEY,
    ${oneOf('kind', ['setup', 'verify', 'reset'])},
    user_id TEXT,
    token_hash TEXT NOT NULL UNIQUE,
    created_ms INTEGER NOT NULL,
    expires_ms INTEGER NOT NULL,
    used_ms INTEGER
  )STRICT`,
  'CREATE INDEX one_time_tokens_user ON one_time_tokens (user_id, kind, created_ms)',
  'CREATE INDEX one_time_tokens_expiry ON one_time_tokens (expires_ms)',
  `CREATE TABLE attempts (
    key TEXT NOT NULL PRIMARY KEY,
    window_start_ms INTEGER NOT NULL,
    count INTEGER NOT NULL CHECK (count >= 0)
  )KEYED`,
  'CREATE INDEX attempts_age ON attempts (window_start_ms)',
];

const MESSAGES = [
  `CREATE TABLE mails (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT,
    address TEXT NOT NULL,
    template TEXT NOT NULL,
    locale TEXT NOT NULL,
    subject TEXT NOT NULL,
    text TEXT NOT NULL,
    html TEXT NOT NULL,
    ${oneOf('state', ['queued', 'sent', 'failed', 'kept'])},
    attempts INTEGER NOT NULL CHECK (attempts >= 0),
    last_error TEXT,
    message_id TEXT NOT NULL UNIQUE,
    unique_key TEXT UNIQUE,
    created_ms INTEGER NOT NULL,
    sent_ms INTEGER
  )STRICT`,
  'CREATE INDEX mails_created ON mails (created_ms)',
  'CREATE INDEX mails_user ON mails (user_id, created_ms)',
  `CREATE TABLE notifications (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    data TEXT NOT NULL,
    unique_key TEXT,
    created_ms INTEGER NOT NULL,
    read_ms INTEGER
  )STRICT`,
  'CREATE UNIQUE INDEX notifications_unique_key ON notifications (unique_key) WHERE unique_key IS NOT NULL',
  'CREATE INDEX notifications_user ON notifications (user_id, created_ms, id)',
  'CREATE INDEX notifications_unread ON notifications (user_id) WHERE read_ms IS NULL',
];
