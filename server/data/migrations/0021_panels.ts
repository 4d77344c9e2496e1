import { bit, define, oneOf, type Migration } from './migration.ts';

/** Game panels over HTTP, what they offer, our book of their capacity, and who waits for room (behaviour 6.7). */
export const panels: Migration = {
  name: '0021_panels',
  formerly: ['0018_panels'],
  up: (step) => define(step, [...PANELS, ...BOOK, ...LINKS, ...STAFF]),
};

const PANELS = [
  // Keys are sealed (server/sealing.ts). `checked` and `synced` keep the last result as JSON; sync_asked_ms: a reading
  // is under way since then.
  `CREATE TABLE panels (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    ${oneOf('dialect', ['pterodactyl', 'pelican'])},
    url TEXT NOT NULL,
    key_sealed TEXT NOT NULL,
    client_key_sealed TEXT,
    ${bit('enabled')},
    checked TEXT,
    checked_ms INTEGER,
    synced TEXT,
    synced_ms INTEGER,
    sync_asked_ms INTEGER,
    created_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL
  )STRICT`,
  'CREATE UNIQUE INDEX panels_name ON panels (name)',
  'CREATE UNIQUE INDEX panels_url ON panels (url)',
  // The panel's catalogue as last read: kind location, nest or egg; body is the port's shape as JSON; taken_hash: hash
  // of the body that was taken over, taken: what came of it, as JSON.
  `CREATE TABLE panel_offers (
    panel_id TEXT NOT NULL REFERENCES panels (id),
    ${oneOf('kind', ['location', 'nest', 'egg'])},
    ref TEXT NOT NULL,
    name TEXT NOT NULL,
    parent TEXT,
    body TEXT NOT NULL,
    hash TEXT NOT NULL,
    taken_hash TEXT,
    taken TEXT,
    first_ms INTEGER NOT NULL,
    seen_ms INTEGER NOT NULL,
    vanished_ms INTEGER,
    PRIMARY KEY (panel_id, kind, ref)
  )STRICT`,
];

const BOOK = [
  `CREATE TABLE book_nodes (
    panel_id TEXT NOT NULL REFERENCES panels (id),
    node TEXT NOT NULL,
    name TEXT NOT NULL,
    fqdn TEXT NOT NULL,
    location TEXT,
    tags TEXT NOT NULL,
    ${bit('public')},
    ${bit('maintenance')},
    memory INTEGER NOT NULL,
    disk INTEGER NOT NULL,
    memory_over INTEGER NOT NULL,
    disk_over INTEGER NOT NULL,
    memory_used INTEGER NOT NULL,
    disk_used INTEGER NOT NULL,
    seen_ms INTEGER NOT NULL,
    vanished_ms INTEGER,
    PRIMARY KEY (panel_id, node)
  )STRICT`,
  // A port of a node. taken_by: our server that holds or reserved it, from the moment of the reservation on; assigned:
  // the panel's word at seen_ms.
  `CREATE TABLE book_ports (
    panel_id TEXT NOT NULL,
    node TEXT NOT NULL,
    allocation TEXT NOT NULL,
    ip TEXT NOT NULL,
    alias TEXT,
    port INTEGER NOT NULL,
    ${bit('assigned')},
    taken_by TEXT,
    ${bit('is_default')},
    seen_ms INTEGER NOT NULL,
    vanished_ms INTEGER,
    PRIMARY KEY (panel_id, allocation)
  )STRICT`,
  // In the order in which they are given away.
  'CREATE INDEX book_ports_free ON book_ports (panel_id, node, ip, port, allocation) WHERE assigned = 0 AND taken_by IS NULL AND vanished_ms IS NULL',
  'CREATE INDEX book_ports_taken ON book_ports (taken_by) WHERE taken_by IS NOT NULL',
  'CREATE UNIQUE INDEX book_ports_default ON book_ports (taken_by) WHERE is_default = 1',
  // Room that is promised on a node and not yet in the panel's sums. confirmed_ms: the panel counts it; until_ms: when
  // an unconfirmed one is looked at again.
  `CREATE TABLE book_reservations (
    server_id TEXT NOT NULL PRIMARY KEY,
    panel_id TEXT NOT NULL,
    node TEXT NOT NULL,
    memory INTEGER NOT NULL,
    disk INTEGER NOT NULL,
    confirmed_ms INTEGER,
    until_ms INTEGER NOT NULL,
    created_ms INTEGER NOT NULL
  )STRICT`,
  'CREATE INDEX book_reservations_node ON book_reservations (panel_id, node)',
];

const LINKS = [
  'ALTER TABLE locations ADD COLUMN panel_id TEXT',
  // The panel's location id (Pterodactyl) or tag (Pelican).
  'ALTER TABLE locations ADD COLUMN panel_location TEXT',
  // How nodes are chosen: spread by free share, or pack.
  `ALTER TABLE locations ADD COLUMN placement TEXT NOT NULL DEFAULT 'spread'`,
  // Which egg of a panel an egg of the catalogue is.
  `CREATE TABLE egg_bindings (
    egg_id TEXT NOT NULL,
    panel_id TEXT NOT NULL REFERENCES panels (id),
    panel_egg TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    PRIMARY KEY (egg_id, panel_id)
  )STRICT`,
  'CREATE INDEX egg_bindings_panel ON egg_bindings (panel_id, panel_egg)',
  // Null: the embedded panel. Fixed when the server is made, whatever becomes of its location.
  'ALTER TABLE servers ADD COLUMN panel TEXT',
  'ALTER TABLE servers ADD COLUMN panel_node TEXT',
  'ALTER TABLE servers ADD COLUMN panel_identifier TEXT',
  'ALTER TABLE servers ADD COLUMN adopted_ms INTEGER',
  // The revision with which the variables were last changed here, and an installation anew that the panel has not taken
  // yet.
  'ALTER TABLE servers ADD COLUMN startup_revision INTEGER NOT NULL DEFAULT 0',
  'ALTER TABLE servers ADD COLUMN reinstall_ms INTEGER',
  // Ids of servers are a panel's own: two panels may have the same.
  'DROP INDEX servers_panel',
  `CREATE UNIQUE INDEX servers_at_panel ON servers (COALESCE(panel, ''), panel_id) WHERE panel_id IS NOT NULL AND deleted_ms IS NULL`,
  // Panel accounts of our users, by panel; synced: hash of the address and names the panel has.
  `CREATE TABLE panel_accounts (
    panel_id TEXT NOT NULL REFERENCES panels (id),
    user_id TEXT NOT NULL,
    account TEXT NOT NULL,
    synced TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (panel_id, user_id)
  )STRICT`,
];

const STAFF = [
  // What the last reconciliation found: servers of the panel that are none of ours, and ours that it does not have.
  `CREATE TABLE panel_drift (
    panel TEXT NOT NULL,
    ${oneOf('kind', ['orphan', 'ghost', 'differs'])},
    ref TEXT NOT NULL,
    server_id TEXT,
    name TEXT NOT NULL,
    detail TEXT NOT NULL,
    first_ms INTEGER NOT NULL,
    seen_ms INTEGER NOT NULL,
    PRIMARY KEY (panel, kind, ref)
  )STRICT`,
  `CREATE TABLE server_waits (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL,
    location_id TEXT NOT NULL,
    egg_id TEXT NOT NULL,
    memory INTEGER NOT NULL,
    disk INTEGER NOT NULL,
    ports INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    told_ms INTEGER,
    UNIQUE (user_id, location_id)
  )STRICT`,
  'CREATE INDEX server_waits_location ON server_waits (location_id, created_ms)',
  // Why staff suspended a server, in their words.
  'ALTER TABLE servers ADD COLUMN suspend_note TEXT',
  // The orders of the staff's lists.
  'CREATE INDEX servers_by_name ON servers (lower(name), id) WHERE deleted_ms IS NULL',
  'CREATE INDEX servers_by_creation ON servers (created_ms, id) WHERE deleted_ms IS NULL',
  'CREATE INDEX servers_by_expiry ON servers (COALESCE(expires_ms, 9007199254740991), id) WHERE deleted_ms IS NULL',
  'CREATE INDEX servers_by_address ON servers (address) WHERE deleted_ms IS NULL',
  'CREATE INDEX server_queue_by_creation ON server_queue (created_ms, id)',
  // The head of the queue: the first entry of each user that waits, and the turns a user has had lately.
  "CREATE INDEX server_queue_waiting ON server_queue (user_id, priority DESC, created_ms, id) WHERE state = 'queued'",
  'CREATE INDEX server_queue_begun ON server_queue (user_id, started_ms) WHERE started_ms IS NOT NULL',
  'CREATE INDEX server_queue_log_time ON server_queue_log (at_ms, id)',
  'CREATE INDEX server_queue_log_code ON server_queue_log (code, at_ms, id)',
  'CREATE INDEX server_queue_log_server ON server_queue_log (server_id)',
  'CREATE INDEX panel_drift_first ON panel_drift (first_ms, panel, kind, ref)',
  'CREATE INDEX panel_drift_name ON panel_drift (name, panel, kind, ref)',
  'CREATE INDEX panel_drift_server ON panel_drift (server_id)',
];
