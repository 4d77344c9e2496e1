import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import type { Log } from '#server/modules/kernel.ts';
import {
  SERVER_BACKUP_CALLS,
  type ServerBackupCall,
  type ServerBackupFailure,
  type ServerBackupInput,
  type ServerBackupRefusal,
} from '#shared/schemas/server-backups.ts';
import type { CallAnswer, CallRequest } from '../call-socket.ts';
import type { GameServer } from '../server.ts';
import type { Store } from '../store.ts';
import { createArchiver, endArchiver, NoSpace, type ArchiveOf } from './archive.ts';
import { createRecords, shownBackup, type BackupRecord } from './records.ts';
import { createRestore, removeFolder } from './restore.ts';

interface Deps {
  readonly store: Store;
  readonly groups: 1 | 2;
  readonly bun: string;
  readonly log: Log;
  readonly now: () => number;
  /** Bytes that the files of a server take; null: not known. */
  readonly usedBytes: (id: string, slot: number) => Promise<number | null>;
}
/** Archives that are packed or unpacked at once: each takes a core and the disk. */
const TOGETHER = 2;
const LOOK_MS = 200;
const NOTHING = new Uint8Array();

/** Lets so many work at once; the others wait for their turn. */
function createLanes(most: number) {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= most) await new Promise<void>((go) => waiting.push(go));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

const ok = (value: unknown, bytes = NOTHING): CallAnswer => ({ outcome: 'ok', value, bytes });
const refused = (reason: ServerBackupRefusal): CallAnswer => ({ outcome: 'refused', reason });
const failureOf = (error: unknown): ServerBackupFailure => (error instanceof NoSpace ? 'no_space' : 'failed');

interface RestoreCall extends ServerBackupInput<'restore'> {
  /** Whether the server shall run afterwards; absent: as it does now. */
  readonly start?: boolean;
}
export type Backups = ReturnType<typeof createBackups>;

/** Backups of the servers of this machine: archives that lie beside a server's folder, where it does not reach them. */
export function createBackups(deps: Deps) {
  const { store, groups, log, now } = deps;
  const records = createRecords(store);
  const archiver = createArchiver(deps);
  const restoring = createRestore(store, archiver);
  const packing = createLanes(TOGETHER);
  /** Apart from the others: a server that waits for its files stands still. */
  const unpacking = createLanes(TOGETHER);
  /** The last work of each server: it packs or unpacks one archive at a time. */
  const working = new Map<string, Promise<void>>();

  function work(id: string, inLane: typeof packing, job: () => Promise<void>): Promise<void> {
    const mine = (working.get(id) ?? Promise.resolve())
      .catch(() => undefined)
      .then(() =>
        inLane(async () => {
          // A server that is being deleted takes its backups along.
          if (!store.isDeleting(id)) await job();
        }),
      );
    working.set(id, mine);
    const end = () => {
      if (working.get(id) === mine) working.delete(id);
    };
    void mine.then(end, end);
    return mine;
  }

  async function pack(of: ArchiveOf, record: BackupRecord): Promise<BackupRecord> {
    const part = records.part(of.id, record.id);
    rmSync(part, { force: true });
    try {
      const used = (await deps.usedBytes(of.id, of.slot)) ?? of.disk * 1_048_576;
      const packed = await archiver.pack(of, part, used);
      renameSync(part, records.archive(of.id, record.id));
      return { ...record, ...packed, state: 'ready' };
    } catch (error) {
      rmSync(part, { force: true });
      log.warn('node.backup_failed', { server: of.id, error: String(error) });
      return { ...record, state: 'failed', failure: failureOf(error), replaces: null };
    }
  }
  /** Makes what was ordered, or says that it failed. Never throws. */
  const make = (of: ArchiveOf, backup: string): Promise<void> =>
    work(of.id, packing, async () => {
      const record = records.find(of.id, backup);
      if (!record || store.isDeleting(of.id)) return;
      const made = await pack(of, record);
      if (store.isDeleting(of.id)) return;
      // Its lock may have changed meanwhile.
      const locked = records.find(of.id, backup)?.locked ?? record.locked;
      records.write(of.id, { ...made, locked, replaces: null });
      const old = made.replaces === null ? null : records.find(of.id, made.replaces);
      if (old && !old.locked) records.remove(of.id, old.id);
    });

  function order(of: ArchiveOf, { backup, name, most, rotate }: ServerBackupInput<'make'>): CallAnswer {
    const { id } = of;
    if (records.find(id, backup)) return ok(null);
    const all = records.all(id);
    let replaces: string | null = null;
    if (records.count(id) >= most) {
      const going = new Set(all.map((record) => record.replaces));
      const oldest = all
        .filter(({ state, locked, id: each }) => state === 'ready' && !locked && !going.has(each))
        .toSorted((a, b) => a.createdMs - b.createdMs)[0];
      if (!rotate || most === 0 || !oldest) return refused('limit');
      replaces = oldest.id;
    }
    for (const record of all) if (record.state === 'failed') records.remove(id, record.id);
    const fresh = { size: 0, bytes: 0, failure: null, restoredMs: null, locked: false };
    records.write(id, { ...fresh, id: backup, name, createdMs: now(), state: 'making', replaces });
    void make(of, backup);
    return ok(null);
  }

  /** Puts files in place, or says that it failed: then the server has those that it had. Never throws. */
  async function putBack(of: ArchiveOf, backup: string): Promise<void> {
    let failure: ServerBackupFailure | null = null;
    try {
      await work(of.id, unpacking, async () => {
        const record = records.find(of.id, backup);
        if (record?.state !== 'ready') throw new Error('the backup is gone');
        await restoring.carryOut(of, records.archive(of.id, backup), record.bytes);
      });
    } catch (error) {
      failure = failureOf(error);
      log.warn('node.restore_failed', { server: of.id, error: String(error) });
    }
    if (store.isDeleting(of.id)) return;
    const record = records.find(of.id, backup);
    if (record) records.write(of.id, { ...record, failure, restoredMs: failure === null ? now() : record.restoredMs });
    await restoring.close(of.id);
  }
  const begin = (server: GameServer, of: ArchiveOf, { backup, stop, start }: RestoreCall) =>
    server.replaceFiles({
      mayStop: stop,
      start,
      onBegin: (shall) => restoring.order(of.id, { backup, start: shall }),
      work: () => putBack(of, backup),
    });

  async function part(id: string, { backup, from, length }: ServerBackupInput<'part'>): Promise<CallAnswer> {
    const record = records.find(id, backup);
    if (record?.state !== 'ready') return refused('absent');
    const { size, createdMs } = record;
    const bytes = await Bun.file(records.archive(id, backup))
      .slice(from, from + length)
      .bytes();
    return ok({ size, createdMs }, bytes);
  }
  function list(id: string): CallAnswer {
    const going = restoring.read(id)?.backup;
    const shown = records.all(id).map((record) => {
      const path = records.part(id, record.id);
      const size = record.state === 'making' && existsSync(path) ? statSync(path).size : record.size;
      return shownBackup(record, { size, restoring: record.id === going });
    });
    return ok({ backups: shown.toSorted((a, b) => b.createdMs - a.createdMs) });
  }
  function remove(id: string, { backup }: ServerBackupInput<'delete'>): CallAnswer {
    const record = records.find(id, backup);
    if (!record) return ok(null);
    if (record.locked) return refused('locked');
    if (record.state === 'making' || restoring.read(id)?.backup === backup) return { outcome: 'conflict' };
    records.remove(id, backup);
    return ok(null);
  }
  function lock(id: string, { backup, locked }: ServerBackupInput<'lock'>): CallAnswer {
    const record = records.find(id, backup);
    if (!record) return refused('absent');
    records.write(id, { ...record, locked });
    return ok(null);
  }
  function restore(server: GameServer, of: ArchiveOf, { backup, stop }: ServerBackupInput<'restore'>): CallAnswer {
    const going = restoring.read(of.id);
    // The answer to the same order was lost.
    if (going?.backup === backup) return ok(null);
    if (records.find(of.id, backup)?.state !== 'ready') return refused('absent');
    if (working.has(of.id)) return { outcome: 'conflict' };
    const began = begin(server, of, { backup, stop });
    return began === 'begun' ? ok(null) : began === 'running' ? refused('running') : { outcome: 'conflict' };
  }

  return {
    /** Backups that take a place. */
    count: records.count,
    /** Carries out a call. `conflict` while the server is installed, suspended, or something else is done with it. */
    async call(server: GameServer, { call, input }: CallRequest<ServerBackupCall>): Promise<CallAnswer> {
      const { id } = server;
      const read = <N extends ServerBackupCall>(name: N) =>
        SERVER_BACKUP_CALLS[name].input.parse(input) as ServerBackupInput<N>;
      if (call === 'list') return list(id);
      const place = server.openToFiles();
      if (!place) return { outcome: 'conflict' };
      const of = { id, ...place };
      switch (call) {
        case 'make':
          return order(of, read(call));
        case 'restore':
          return restore(server, of, read(call));
        case 'lock':
          return lock(id, read(call));
        case 'delete':
          return remove(id, read(call));
        case 'part':
          return part(id, read(call));
      }
    },
    /**
     * After the program began: brings a restore that was under way to its end or to its beginning. Has to be called
     * before the server does anything. Out: what goes on with it once the server is known to run or not.
     */
    async settle(server: GameServer): Promise<() => void> {
      const { id } = server;
      if (existsSync(store.archive(id)) && !(await endArchiver(groups, id)))
        throw new Error('what packs the files of the server does not end');
      const left = await restoring.settle(id);
      const record = left && records.find(id, left.backup);
      if (left?.isDone && record) records.write(id, { ...record, failure: null, restoredMs: now() });
      records.tidy(id);
      return () => {
        const of = { id, slot: server.place().slot, disk: server.shall().disk };
        for (const { id: backup, state } of records.all(id)) if (state === 'making') void make(of, backup);
        if (left?.isDone && left.start) server.power('start');
        else if (left && !left.isDone && begin(server, of, { ...left, stop: true }) !== 'begun')
          void restoring.close(id);
      };
    },
    /** Ends what is done with the backups of a server that is deleted, and deletes them. Out: whether nothing is left. */
    async end(id: string): Promise<boolean> {
      // What is just being begun is ended as well.
      do {
        if (!(await endArchiver(groups, id))) return false;
        await Promise.race([working.get(id)?.catch(() => undefined), Bun.sleep(LOOK_MS)]);
      } while (working.has(id));
      for (const folder of [store.restore(id), store.backups(id)]) await removeFolder(folder);
      records.forget(id);
      return true;
    },
  };
}
