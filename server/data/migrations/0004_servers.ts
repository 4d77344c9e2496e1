import { bit, define, oneOf, type Migration } from './migration.ts';

/** The catalogue (locations, eggs), servers, their queue and what happened to them. */
export const servers: Migration = {
  name: '0004_servers',
  up: (step) => define(step, [...CATALOG, ...SERVERS, ...QUEUE]),
};

const CATALOG = [
  `CREATE TABLE locations (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    code TEXT NOT NULL,
    address TEXT NOT NULL,
    slots INTEGER NOT NULL CHECK (slots >= 0),
    ${bit('online')},
    ${bit('vip_only')},
    position INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL
  )STRICT`,
  `CREATE TABLE egg_categories (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    ${bit('enabled')},
    position INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL
  )STRICT`,
  `CREATE TABLE eggs (
    id TEXT NOT NULL PRIMARY KEY,
    category_id TEXT NOT NULL REFERENCES egg_categories (id),
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    docker_image TEXT NOT NULL,
    startup TEXT NOT NULL,
    shape TEXT NOT NULL,
    hue INTEGER NOT NULL,
    min_memory INTEGER NOT NULL CHECK (min_memory >= 0),
    min_disk INTEGER NOT NULL CHECK (min_disk >= 0),
    min_cpu INTEGER NOT NULL CHECK (min_cpu >= 0),
    ${bit('enabled')},
    ${bit('vip_only')},
    variables TEXT NOT NULL,
    position INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL
  )STRICT`,
  'CREATE INDEX eggs_category ON eggs (category_id, position)',
];

const SERVERS = [
  `CREATE TABLE servers (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    location_id TEXT NOT NULL,
    category_id TEXT NOT NULL,
    egg_id TEXT NOT NULL,
    memory INTEGER NOT NULL CHECK (memory > 0),
    disk INTEGER NOT NULL CHECK (disk > 0),
    cpu INTEGER NOT NULL CHECK (cpu > 0),
    ports INTEGER NOT NULL CHECK (ports > 0),
    databases INTEGER NOT NULL CHECK (databases >= 0),
    backups INTEGER NOT NULL CHECK (backups >= 0),
    variables TEXT NOT NULL,
    state TEXT NOT NULL,
    desired TEXT NOT NULL,
    suspend_reason TEXT,
    failure TEXT,
    panel_id TEXT,
    panel_state TEXT,
    panel_seen_ms INTEGER,
    address TEXT,
    revision INTEGER NOT NULL,
    synced_revision INTEGER NOT NULL,
    expires_ms INTEGER,
    ${bit('auto_renew')},
    auto_renew_order INTEGER NOT NULL,
    periods INTEGER NOT NULL CHECK (periods >= 0),
    created_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL,
    deleted_ms INTEGER
  )STRICT`,
  'CREATE INDEX servers_user ON servers (user_id, state)',
  'CREATE INDEX servers_location ON servers (location_id, state)',
  'CREATE INDEX servers_egg ON servers (egg_id)',
  'CREATE INDEX servers_category ON servers (category_id)',
  'CREATE INDEX servers_state ON servers (state, expires_ms)',
  'CREATE UNIQUE INDEX servers_panel ON servers (panel_id) WHERE panel_id IS NOT NULL AND deleted_ms IS NULL',
];

const QUEUE = [
  `CREATE TABLE server_queue (
    id TEXT NOT NULL PRIMARY KEY,
    server_id TEXT NOT NULL REFERENCES servers (id),
    user_id TEXT NOT NULL,
    ${oneOf('state', ['queued', 'building', 'completed', 'failed', 'cancelled'])},
    priority INTEGER NOT NULL,
    attempts INTEGER NOT NULL CHECK (attempts >= 0),
    run_at_ms INTEGER NOT NULL,
    lease_until_ms INTEGER NOT NULL,
    lease_token TEXT,
    last_error TEXT,
    created_ms INTEGER NOT NULL,
    started_ms INTEGER,
    done_ms INTEGER
  )STRICT`,
  "CREATE UNIQUE INDEX server_queue_one_open ON server_queue (server_id) WHERE state IN ('queued', 'building')",
  'CREATE INDEX server_queue_state ON server_queue (state, created_ms)',
  'CREATE INDEX server_queue_server ON server_queue (server_id)',
  'CREATE INDEX server_queue_user ON server_queue (user_id, created_ms)',
  `CREATE TABLE server_queue_log (
    id TEXT NOT NULL PRIMARY KEY,
    queue_id TEXT NOT NULL,
    server_id TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    code TEXT NOT NULL,
    detail TEXT
  )STRICT`,
  'CREATE INDEX server_queue_log_entry ON server_queue_log (queue_id, at_ms)',
  `CREATE TABLE server_events (
    id TEXT NOT NULL PRIMARY KEY,
    server_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    code TEXT NOT NULL,
    detail TEXT
  )STRICT`,
  'CREATE INDEX server_events_server ON server_events (server_id, at_ms)',
  'CREATE INDEX server_events_user ON server_events (user_id, at_ms)',
  `CREATE TABLE server_notices (
    server_id TEXT NOT NULL,
    period_ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (server_id, period_ms, kind)
  )KEYED`,
];
