import { define, type Migration } from './migration.ts';

/**
 * Plugins of others (behaviour 8.8). `plugin_packages`: what is installed, with what it was granted and when, the bytes
 * that it keeps, and the number of the last call that it was given. `manifest`, `granted`: JSON. `signer`: the public
 * key that signed it. `plugin_modules`: what runs, '' for none; apart, because the other row is read often.
 * `plugin_uploads`: packages that staff look at before they install them. `plugin_calls`: events and tasks that wait
 * for a plugin, in their order.
 */
export const pluginPackages: Migration = {
  name: '0089_plugin_packages',
  up: (step) =>
    define(step, [
      `CREATE TABLE plugin_packages (
        identifier TEXT NOT NULL PRIMARY KEY,
        version TEXT NOT NULL,
        manifest TEXT NOT NULL,
        digest TEXT NOT NULL,
        signer TEXT,
        size INTEGER NOT NULL,
        granted TEXT NOT NULL,
        granted_ms INTEGER NOT NULL,
        installed_ms INTEGER NOT NULL,
        updated_ms INTEGER NOT NULL,
        storage_bytes INTEGER NOT NULL,
        storage_keys INTEGER NOT NULL,
        last_call INTEGER NOT NULL,
        stopped_cause TEXT,
        stopped_text TEXT,
        stopped_ms INTEGER
      )STRICT`,
      `CREATE TABLE plugin_modules (
        identifier TEXT NOT NULL PRIMARY KEY,
        server_code TEXT NOT NULL,
        client_code TEXT NOT NULL
      )STRICT`,
      `CREATE TABLE plugin_uploads (
        id TEXT NOT NULL PRIMARY KEY,
        manifest TEXT NOT NULL,
        server_code TEXT NOT NULL,
        client_code TEXT NOT NULL,
        digest TEXT NOT NULL,
        signer TEXT,
        size INTEGER NOT NULL,
        created_ms INTEGER NOT NULL
      )STRICT`,
      'CREATE INDEX plugin_uploads_by_time ON plugin_uploads (created_ms)',
      `CREATE TABLE plugin_keys (
        public_key TEXT NOT NULL PRIMARY KEY,
        author TEXT NOT NULL,
        known_ms INTEGER NOT NULL
      )STRICT`,
      `CREATE TABLE plugin_storage (
        identifier TEXT NOT NULL,
        name TEXT NOT NULL,
        value TEXT NOT NULL,
        PRIMARY KEY (identifier, name)
      )KEYED`,
      `CREATE TABLE plugin_calls (
        identifier TEXT NOT NULL,
        number INTEGER NOT NULL,
        hook_group TEXT NOT NULL CHECK (hook_group IN ('events', 'tasks')),
        name TEXT NOT NULL,
        input TEXT NOT NULL,
        tries INTEGER NOT NULL,
        next_ms INTEGER NOT NULL,
        PRIMARY KEY (identifier, number)
      )KEYED`,
      `CREATE TABLE plugin_tasks (
        identifier TEXT NOT NULL,
        name TEXT NOT NULL,
        next_ms INTEGER NOT NULL,
        PRIMARY KEY (identifier, name)
      )KEYED`,
    ]),
};
