import { existsSync, statSync } from 'node:fs';
import type { Log } from '#server/modules/kernel.ts';
import { SERVER_BACKUP_CALLS, type ServerBackupCall, type ServerBackupInput } from '#shared/schemas/server-backups.ts';
import type { CallAnswer, CallRequest } from '../call-socket.ts';
import type { GameServer } from '../server.ts';
import type { Store } from '../store.ts';
import { ok, refused } from './answers.ts';
import { createArchiver, endArchiver } from './archive.ts';
import { createMaking } from './making.ts';
import { createRestoreOrders } from './restore-orders.ts';
import { createRecords, shownBackup } from './records.ts';
import { createRestore, removeFolder } from './restore.ts';
import { createArchiveWork } from './work.ts';

interface Deps {
  readonly store: Store;
  readonly groups: 1 | 2;
  readonly bun: string;
  readonly log: Log;
  readonly now: () => number;
  /** Bytes that the files of a server take; null: not known. */
  readonly usedBytes: (id: string, slot: number) => Promise<number | null>;
  /** Ends what works on the files of a server. Out: whether nothing of it is left. */
  readonly endFiles: (id: string) => Promise<boolean>;
}
const LOOK_MS = 200;

/** The calls that only need the records. */
function recordCalls(records: ReturnType<typeof createRecords>, restoring: ReturnType<typeof createRestore>) {
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
  return { part, list, remove, lock };
}

export type Backups = ReturnType<typeof createBackups>;

/** Backups of the servers of this machine: archives that lie beside a server's folder, where it does not reach them. */
export function createBackups(deps: Deps) {
  const { store, groups, now } = deps;
  const records = createRecords(store);
  const archiver = createArchiver(deps);
  const restoring = createRestore(store, archiver, deps.endFiles);
  const work = createArchiveWork(store);
  const making = createMaking({ ...deps, records, archiver, work });
  const restoreOrders = createRestoreOrders({ ...deps, records, restoring, work });
  const calls = recordCalls(records, restoring);

  return {
    /** Backups that take a place. */
    count: records.count,
    /** Carries out a call. `conflict` while the server is installed, suspended, or something else is done with it. */
    async call(server: GameServer, { call, input }: CallRequest<ServerBackupCall>): Promise<CallAnswer> {
      const { id } = server;
      const read = <N extends ServerBackupCall>(name: N) =>
        SERVER_BACKUP_CALLS[name].input.parse(input) as ServerBackupInput<N>;
      if (call === 'list') return calls.list(id);
      const place = server.openToFiles();
      if (!place) return { outcome: 'conflict' };
      const of = { id, ...place };
      switch (call) {
        case 'make':
          return making.order(of, read(call));
        case 'restore':
          return restoreOrders.restore(server, of, read(call));
        case 'lock':
          return calls.lock(id, read(call));
        case 'delete':
          return calls.remove(id, read(call));
        case 'part':
          return calls.part(id, read(call));
      }
    },
    /**
     * After the program began: brings a restore that was under way to its end or to its beginning. Has to be called
     * before the server does anything. Out: what goes on with it once the server is known to run or not.
     */
    async finishRestore(server: GameServer): Promise<() => void> {
      const { id } = server;
      if (existsSync(store.archive(id)) && !(await endArchiver(groups, id)))
        throw new Error('what packs the files of the server does not end');
      const left = await restoring.finish(id, ({ backup, start }) => {
        const record = records.find(id, backup);
        if (record) records.write(id, { ...record, failure: null, restoredMs: now() });
        if (start) server.setWanted();
      });
      records.tidy(id);
      return () => {
        const of = { id, slot: server.place().slot, disk: server.shall().disk };
        for (const { id: backup, state } of records.all(id)) if (state === 'making') void making.make(of, backup);
        if (left && restoreOrders.begin(server, of, { ...left, stop: true }) !== 'begun') void restoring.close(id);
      };
    },
    /** Ends what is done with the backups of a server that is deleted, and deletes them. Out: whether nothing is left. */
    async end(id: string): Promise<boolean> {
      // What is just being begun is ended as well.
      do {
        if (!(await endArchiver(groups, id))) return false;
        await work.wait(id, LOOK_MS);
      } while (work.isBusy(id));
      for (const folder of [store.restore(id), store.backups(id)]) await removeFolder(folder);
      records.forget(id);
      return true;
    },
  };
}
