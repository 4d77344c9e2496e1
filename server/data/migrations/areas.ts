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
export const AREA_TABLES: readonly Migration[] = [];
