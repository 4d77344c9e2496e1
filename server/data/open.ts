import { mkdirSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Log } from '#server/modules/kernel.ts';
import type { LongRead, LongReads, UnitOfWork } from '#server/modules/tx.ts';
import { DomainError } from '#shared/errors.ts';
import type { ProcessBus } from './bus.ts';
import type { Dialect } from './dialect.ts';
import type { Engine, Session } from './engine.ts';
import { migrate, migrationState, type MigrationState } from './migrate.ts';
import { createPostgresPool, openPostgres, type PostgresPool } from './postgres.ts';
import { createProcessChannel, type ProcessChannel } from './process-channel.ts';
import type { SpawnReader } from './reader/thread.ts';
import type { Sync } from './sqlite-flush.ts';
import { openSqlite } from './sqlite.ts';

/** An open database. */
export interface Database {
  readonly dialect: Dialect;
  readonly uow: UnitOfWork;
  /** Questions that may take long. */
  readonly long: LongReads;
  /**
   * A transaction with the query builder and hand-written SQL at hand: for adapters with tables of their own (the
   * embedded panel) and for tests.
   */
  write<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** The same for questions. */
  read<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** The same for questions that may take long (LongReads). */
  readLong<T>(work: (session: Session) => Promise<T>, options: LongRead): Promise<T>;
  /** How much the data take, in bytes; `logBytes`: those of SQLite's write-ahead log, null elsewhere. */
  size(): Promise<{ readonly bytes: number; readonly logBytes: number | null }>;
  /** Which migrations the tables have seen, without changing anything. */
  migrationState(): Promise<MigrationState>;
  /** Brings the tables up to date. In: the time. Out: names of the migrations applied now. */
  migrate(nowMs: number): Promise<string[]>;
  /**
   * Answers when the database does; rejects where it cannot be reached, or cannot be written since a command met that
   * (a full disk).
   */
  ping(): Promise<void>;
  /** What other processes on the same database say and hear; null for SQLite, which one process serves. */
  readonly channel: Pick<ProcessChannel, 'start' | 'state'> | null;
  close(): Promise<void>;
}

interface Options {
  /** `postgres://…`, or absent for SQLite. */
  readonly url?: string | undefined;
  /** Path of the SQLite file; its folder is made. */
  readonly path?: string | undefined;
  readonly bus: ProcessBus;
  readonly log: Log;
  /**
   * Starts a thread for long questions about a SQLite file; absent: they are answered as all others. PostgreSQL answers
   * elsewhere anyway.
   */
  readonly spawnReader?: SpawnReader | undefined;
  /** How SQLite's log is brought to the disk; absent: by the system. */
  readonly sync?: Sync | undefined;
  /** Another process serves from the same SQLite file, and its commands come first. */
  readonly yields?: boolean;
  /** Connections to PostgreSQL, which close with the database; absent: its own. */
  readonly pool?: PostgresPool | undefined;
}

/** Opens PostgreSQL by address or SQLite by path. Throws where neither is given. */
export function openDatabase(options: Options): Database {
  const { path, url, bus, log } = options;
  const channel = url ? createProcessChannel({ url, bus, log }) : null;
  const engine = watchWrites(openEngine(options, channel));
  return {
    dialect: engine.dialect,
    uow: unitOfWorkOver(engine),
    long: { read: (work, options) => engine.long(({ tx }) => work(tx), options) },
    write: (work) => engine.write(work),
    read: (work) => engine.read(work),
    readLong: (work, options) => engine.long(work, options),
    size: () => sizeOf(engine, path),
    migrationState: () => engine.read(({ raw }) => migrationState(raw)),
    migrate: (nowMs) => migrate(engine, nowMs),
    ping: () =>
      engine.isWritable() ? engine.read(async ({ raw }) => void (await raw.one('SELECT 1 AS one'))) : engine.probe(),
    channel,
    close: () => engine.close(),
  };
}

/** Bytes of the database: PostgreSQL is asked; of SQLite the sizes of its files, which cost no question. */
async function sizeOf(engine: Engine, path: string | undefined): ReturnType<Database['size']> {
  if (path === undefined) {
    const row = await engine.read(({ raw }) =>
      raw.one<{ bytes: number }>('SELECT pg_database_size(current_database()) AS bytes'),
    );
    return { bytes: Number(row?.bytes ?? 0), logBytes: null };
  }
  // There is no log between a checkpoint and the next write.
  const bytesOf = (file: string) =>
    stat(file).then(
      ({ size }) => size,
      () => 0,
    );
  return { bytes: await bytesOf(path), logBytes: await bytesOf(`${path}-wal`) };
}

/** What a probe writes: more than a page of the file. */
const PROBE = 'x'.repeat(64 * 1024);

/**
 * An engine that remembers that a command could not be written. Reading alone would call a full disk healthy, and a
 * command that writes nothing would as well: only `probe`, which writes, ends it.
 */
function watchWrites(engine: Engine): Engine & { isWritable(): boolean; probe(): Promise<void> } {
  let writable = true;
  return {
    ...engine,
    async write(work) {
      try {
        return await engine.write(work);
      } catch (error) {
        if (error instanceof DomainError && error.code === 'SERVER_UNAVAILABLE') writable = false;
        throw error;
      }
    },
    isWritable: () => writable,
    async probe() {
      // A row that needs room of its own, which a full disk no longer has, and away with it.
      await engine.write(({ raw }) =>
        raw.run(
          'INSERT INTO schedules (name, next_ms, last_ms, last_error) VALUES (?, 0, NULL, ?) ON CONFLICT (name) DO UPDATE SET last_error = excluded.last_error',
          ['probe', PROBE],
        ),
      );
      await engine.write(({ raw }) => raw.run('DELETE FROM schedules WHERE name = ?', ['probe']));
      writable = true;
    },
  };
}

function openEngine(
  { url, path, bus, log, spawnReader, sync, yields, pool }: Options,
  channel: ProcessChannel | null,
): Engine {
  const publish = bus.publish.bind(bus);
  if (url) return openPostgres(pool ?? createPostgresPool(url), publish, log, channel);
  if (!path) throw new Error('neither an address nor a path of a database');
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return openSqlite(path, publish, log, { spawnReader, sync, yields });
}

/** The unit of work of the modules over an engine. */
function unitOfWorkOver(engine: Engine): UnitOfWork {
  return {
    run: (work) => engine.write(({ tx }) => work(tx)),
    read: (work) => engine.read(({ tx }) => work(tx)),
  };
}
