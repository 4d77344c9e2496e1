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
];
