import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import * as z from 'zod/mini';
import { serverBackupId } from '#shared/schemas/server-backups.ts';
import { readText, replaceFile } from '../files.ts';
import type { Store } from '../store.ts';
import type { Archiver, ArchiveOf } from './archive.ts';

const orderSchema = z.object({
  backup: serverBackupId,
  /** The server ran when it was ordered, and shall run again. */
  start: z.boolean(),
});
type RestoreOrder = z.infer<typeof orderSchema>;

/** Removes a folder in a process of its own: it may hold very many files. Nothing that rm meets is followed. */
export async function removeFolder(path: string): Promise<void> {
  if (!existsSync(path)) return;
  const rm = Bun.spawn(['rm', '-rf', '--one-file-system', '--', path], { stdout: 'ignore', stderr: 'ignore' });
  if ((await rm.exited) !== 0) throw new Error('files stay that should be gone');
}

/**
 * Puts the files of a backup in place of a server's. Until all of them are on the disk the server's own stay where they
 * are; what is done in which order lies on the disk as well, so that it goes on after a kill at any moment:
 *
 * - `restore/order.json`: what shall be restored; without it nothing shall
 * - `restore/home`: the new files, whole only where `restore/whole` is there
 * - `restore/old`: what was there before, until all is done
 */
export function createRestore(
  store: Store,
  archiver: Pick<Archiver, 'unpack'>,
  /** Ends what works on the files of a server. Out: whether nothing of it is left. */
  endFiles: (id: string) => Promise<boolean>,
) {
  const at = (id: string, name: string) => `${store.restore(id)}/${name}`;

  /** Exchanges the folders; may be repeated from wherever it was left. */
  function swap(id: string): void {
    if (!existsSync(at(id, 'home'))) return;
    if (existsSync(store.home(id)) && !existsSync(at(id, 'old'))) renameSync(store.home(id), at(id, 'old'));
    renameSync(at(id, 'home'), store.home(id));
  }
  /** From here on it is done, whatever comes. */
  async function close(id: string): Promise<void> {
    rmSync(at(id, 'order.json'), { force: true });
    await removeFolder(store.restore(id));
  }
  function read(id: string): RestoreOrder | null {
    try {
      return orderSchema.parse(JSON.parse(readText(at(id, 'order.json'))));
    } catch {
      return null;
    }
  }
  return {
    /** What is being restored; null: nothing. */
    read,
    /** Takes an order: from here on it is carried out, or said to have failed. */
    order(id: string, order: RestoreOrder): void {
      mkdirSync(store.restore(id), { recursive: true, mode: 0o711 });
      replaceFile(at(id, 'order.json'), JSON.stringify(order));
    },
    /** Unpacks and exchanges, with nothing of the server running. Throws where the server has its old files. */
    async carryOut(of: ArchiveOf, archive: string, bytes: number): Promise<void> {
      await removeFolder(at(of.id, 'home'));
      await archiver.unpack(of, archive, { into: store.restore(of.id), bytes });
      // It has the old folder open, and would go on to write into it.
      if (!(await endFiles(of.id))) throw new Error('what works on the files does not end');
      replaceFile(at(of.id, 'whole'), '');
      swap(of.id);
    },
    close,
    /**
     * After the program began, and before the server does anything. `beforeClose` hears of an order whose files are in
     * place now, while it still lies on the disk. Out: an order that is still to be carried out; null: none.
     */
    async finish(id: string, beforeClose: (order: RestoreOrder) => void): Promise<RestoreOrder | null> {
      if (!existsSync(store.restore(id))) return null;
      const order = read(id);
      if (order && !existsSync(at(id, 'whole'))) return order;
      if (order) {
        swap(id);
        beforeClose(order);
      }
      await close(id);
      return null;
    },
  };
}
