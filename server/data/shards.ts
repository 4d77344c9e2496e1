import type { Dialect } from './dialect.ts';

/** How many rows a sum is kept in that everybody adds to, at most. */
export const SHARDS = 16;

/**
 * SQL of the row to which this connection adds, of a sum that everybody adds to (decision 127): on PostgreSQL a row is
 * locked until the commit of whoever wrote it is on the disk, so each connection has one of its own as far as they go.
 * SQLite has one writer and needs one row. Readers add them up, on both.
 */
export const shardOf = (dialect: Dialect): string => (dialect === 'postgres' ? `pg_backend_pid() % ${SHARDS}` : '0');
