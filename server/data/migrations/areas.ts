import { define, type Migration } from './migration.ts';

/** A migration that only makes tables. */
const table = (name: string, statements: readonly string[]): Migration => ({
  name,
  up: (step) => define(step, statements),
});

/**
 * Tables of the admin areas that the generator made (scripts/new-resource.ts), each a migration of its own. As every
 * migration, an entry is never edited once released; what changes later is a migration in a file of its own.
 */
export const AREA_TABLES: readonly Migration[] = [
  table('0040_departments', [
    `CREATE TABLE departments (
      id TEXT NOT NULL PRIMARY KEY,
      name TEXT NOT NULL,
      description TEXT NOT NULL,
      hours TEXT NOT NULL,
      position INTEGER NOT NULL,
      enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
      created_ms INTEGER NOT NULL,
      updated_ms INTEGER NOT NULL
    )STRICT`,
    'CREATE UNIQUE INDEX departments_name ON departments (lower(name))',
  ]),
  table('0069_redirect_links', [
    `CREATE TABLE redirect_links (
      id TEXT NOT NULL PRIMARY KEY,
      name TEXT NOT NULL,
      slug TEXT NOT NULL,
      target TEXT NOT NULL,
      note TEXT NOT NULL,
      audience TEXT NOT NULL,
      menu TEXT NOT NULL,
      icon TEXT NOT NULL,
      position INTEGER NOT NULL,
      enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
      created_ms INTEGER NOT NULL,
      updated_ms INTEGER NOT NULL
    )STRICT`,
    'CREATE UNIQUE INDEX redirect_links_name ON redirect_links (lower(name))',
    'CREATE UNIQUE INDEX redirect_links_slug ON redirect_links (slug)',
    `CREATE TABLE redirect_link_days (
      link_id TEXT NOT NULL REFERENCES redirect_links (id) ON DELETE CASCADE,
      day TEXT NOT NULL,
      clicks INTEGER NOT NULL CHECK (clicks > 0),
      PRIMARY KEY (link_id, day)
    )STRICT`,
  ]),
  table('0071_canned_replies', [
    `CREATE TABLE canned_replies (
      id TEXT NOT NULL PRIMARY KEY,
      name TEXT NOT NULL,
      text TEXT NOT NULL,
      position INTEGER NOT NULL,
      enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
      created_ms INTEGER NOT NULL,
      updated_ms INTEGER NOT NULL
    )STRICT`,
    'CREATE UNIQUE INDEX canned_replies_name ON canned_replies (lower(name))',
  ]),
];
