import { define, type Migration } from './migration.ts';

/** Indexes are made anew under the new name of their table: SQLite cannot rename one. */
const INDEXES = [
  'DROP INDEX book_ports_free',
  'CREATE INDEX node_allocations_free ON node_allocations (panel_id, node, ip, port, allocation) WHERE assigned = 0 AND server_id IS NULL AND vanished_ms IS NULL',
  'DROP INDEX book_ports_taken',
  'CREATE INDEX node_allocations_server ON node_allocations (server_id) WHERE server_id IS NOT NULL',
  'DROP INDEX book_ports_default',
  'CREATE UNIQUE INDEX node_allocations_default ON node_allocations (server_id) WHERE is_default = 1',
  'DROP INDEX book_reservations_node',
  'CREATE INDEX capacity_reservations_node ON capacity_reservations (panel_id, node)',
  'DROP INDEX server_waits_location',
  'CREATE INDEX waiting_list_location ON waiting_list (location_id, created_ms)',
  'DROP INDEX panel_servers_node',
  'CREATE INDEX embedded_servers_node ON embedded_servers (node_id)',
  'DROP INDEX panel_servers_user',
  'CREATE INDEX embedded_servers_user ON embedded_servers (user_id)',
  'DROP INDEX panel_allocations_port',
  'CREATE UNIQUE INDEX embedded_allocations_port ON embedded_allocations (node_id, port)',
  'DROP INDEX panel_allocations_server',
  'CREATE INDEX embedded_allocations_server ON embedded_allocations (server_id)',
];

/** The tables of servers, capacity and the built-in panel under the words that code, API and glossary use for them. */
export const serverWords: Migration = {
  name: '0032_server_words',
  up: (step) =>
    define(step, [
      'ALTER TABLE book_nodes RENAME TO node_capacity',
      'ALTER TABLE node_capacity RENAME COLUMN memory_over TO memory_overallocate',
      'ALTER TABLE node_capacity RENAME COLUMN disk_over TO disk_overallocate',
      'ALTER TABLE book_ports RENAME TO node_allocations',
      'ALTER TABLE node_allocations RENAME COLUMN taken_by TO server_id',
      'ALTER TABLE book_reservations RENAME TO capacity_reservations',
      'ALTER TABLE server_waits RENAME TO waiting_list',
      'ALTER TABLE waiting_list RENAME COLUMN told_ms TO notified_ms',
      'ALTER TABLE server_notices RENAME TO server_reminders',
      'ALTER TABLE panel_users RENAME TO embedded_users',
      'ALTER TABLE panel_nodes RENAME TO embedded_nodes',
      'ALTER TABLE panel_servers RENAME TO embedded_servers',
      'ALTER TABLE panel_allocations RENAME TO embedded_allocations',
      ...INDEXES,
      // Jobs that are not done yet go on under the new names of their kinds.
      "UPDATE jobs SET kind = 'servers.capacity' WHERE kind = 'servers.room'",
      "UPDATE jobs SET unique_key = 'servers.reconcileNow' WHERE unique_key = 'servers.look'",
      "UPDATE jobs SET kind = 'servers.reconcileNow' WHERE kind = 'servers.look'",
      "UPDATE schedules SET name = 'servers.reconcileNow' WHERE name = 'servers.look'",
      "UPDATE schedules SET name = 'servers.waitingList' WHERE name = 'servers.waits'",
      "UPDATE schedules SET name = 'servers.requeueStale' WHERE name = 'servers.requeueStale'",
    ]),
};
