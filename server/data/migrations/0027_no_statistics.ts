import type { Migration } from './migration.ts';

/**
 * Takes away what SQLite noted about the tables whenever the program ended. From such notes it now and then concluded
 * that a walk over all postings is the shortest way (decision 022). Questions on tables that grow name their index;
 * nothing makes new notes. PostgreSQL keeps its own.
 */
export const noStatistics: Migration = {
  name: '0027_no_statistics',
  async up({ raw, dialect }) {
    if (dialect === 'sqlite') await raw.run('DROP TABLE IF EXISTS sqlite_stat1');
  },
};
