import { bit, define, type Migration } from './migration.ts';

/** The embedded panel's own tables (behaviour 6.7). */
export const panel: Migration = {
  name: '0005_panel',
  up: (step) => define(step, TABLES),
};

const TABLES = [
  `CREATE TABLE panel_users (
    id SERIAL_ID,
    external_id TEXT NOT NULL UNIQUE,
    username TEXT NOT NULL,
    email TEXT NOT NULL,
    created_ms INTEGER NOT NULL
  )STRICT`,
  `CREATE TABLE panel_nodes (
    id SERIAL_ID,
    location_id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    fqdn TEXT NOT NULL,
    memory INTEGER NOT NULL CHECK (memory >= 0),
    disk INTEGER NOT NULL CHECK (disk >= 0),
    ${bit('maintenance')},
    created_ms INTEGER NOT NULL
  )STRICT`,
  `CREATE TABLE panel_servers (
    id SERIAL_ID,
    external_id TEXT NOT NULL UNIQUE,
    uuid TEXT NOT NULL UNIQUE,
    user_id INTEGER NOT NULL,
    node_id INTEGER NOT NULL REFERENCES panel_nodes (id),
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    egg TEXT NOT NULL,
    memory INTEGER NOT NULL CHECK (memory > 0),
    disk INTEGER NOT NULL CHECK (disk > 0),
    cpu INTEGER NOT NULL CHECK (cpu > 0),
    databases INTEGER NOT NULL CHECK (databases >= 0),
    allocations INTEGER NOT NULL CHECK (allocations >= 0),
    backups INTEGER NOT NULL CHECK (backups >= 0),
    environment TEXT NOT NULL,
    ${bit('suspended')},
    install_ms INTEGER NOT NULL,
    installed_ms INTEGER NOT NULL,
    ${bit('fails')},
    created_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL
  )STRICT`,
  'CREATE INDEX panel_servers_node ON panel_servers (node_id)',
  'CREATE INDEX panel_servers_user ON panel_servers (user_id)',
  `CREATE TABLE panel_allocations (
    id SERIAL_ID,
    node_id INTEGER NOT NULL REFERENCES panel_nodes (id),
    port INTEGER NOT NULL CHECK (port BETWEEN 1 AND 65535),
    server_id INTEGER
  )STRICT`,
  'CREATE UNIQUE INDEX panel_allocations_port ON panel_allocations (node_id, port)',
  'CREATE INDEX panel_allocations_server ON panel_allocations (server_id)',
];
