import { DomainError } from '#shared/errors.ts';
import { IMAGE_MAX_BYTES, IMAGES_A_PAGE } from '#shared/images.ts';
import { writeAudit } from '../audit/index.ts';
import type { SignedIn } from '../kernel.ts';
import { assertMay, permitted } from '../permit.ts';
import { imageTopic, type ImagesDeps } from './deps.ts';
import { cleanFileName } from './file-name.ts';
import { createObjects } from './objects.ts';
import type { LibraryImage, LibraryCursor } from './ports.ts';

/** Pictures of the host's own (attacks T42): drawn anew and stored as those of users are, and paid by nobody. */
export function createStaffLibrary(deps: ImagesDeps) {
  const { uow, clock, ids } = deps;
  const store = createObjects(deps);
  return {
    /** A page of the library, the newest first. Out: one more than a page where there are more. */
    list: permitted(
      'admin.images.list',
      (_: SignedIn, query: { search: string; after: LibraryCursor | null }): Promise<LibraryImage[]> =>
        uow.read((tx) => tx.images.listLibrary({ ...query, limit: IMAGES_A_PAGE + 1 })),
    ),
    /** The picture that would be deleted. Throws NOT_FOUND. */
    get: permitted('admin.images.delete', async (_: SignedIn, id: string): Promise<LibraryImage> => {
      const found = await uow.read((tx) => tx.images.findLibrary(id));
      if (!found) throw new DomainError('NOT_FOUND');
      return found;
    }),
    /** What is stored of a picture, to draw another of. Throws NOT_FOUND, SERVER_UNAVAILABLE. */
    file: permitted('admin.images.list', async (_: SignedIn, id: string) => {
      const found = await uow.read((tx) => tx.images.findLibrary(id));
      if (!found) throw new DomainError('NOT_FOUND');
      const { store: name, key, hash } = found.object;
      try {
        const stored = await deps.stores[name].open(key, 'full');
        if (stored) return { hash, file: await stored.bytes() };
      } catch (error) {
        deps.log.error('images.open_failed', { store: name, error: String(error) });
        throw new DomainError('SERVER_UNAVAILABLE');
      }
      throw new DomainError('NOT_FOUND');
    }),
    /** Makes a picture of a file. Throws PAYLOAD_TOO_LARGE, IMAGE_FORMAT, IMAGE_MOVING, IMAGE_PIXELS, IMAGE_BUSY. */
    async create(
      ctx: SignedIn,
      { name: sent, file }: { name: string; file: Uint8Array<ArrayBuffer> },
    ): Promise<LibraryImage> {
      assertMay(ctx, 'admin.images.create');
      if (file.byteLength > IMAGE_MAX_BYTES) throw new DomainError('PAYLOAD_TOO_LARGE');
      const drawn = await deps.codec.draw(file);
      if (typeof drawn === 'string') throw new DomainError(drawn);
      const object = await store(drawn);
      return uow.run(async (tx) => {
        const kept = await tx.images.lockObject(object.hash);
        if (kept?.key !== object.key) throw new DomainError('SERVER_UNAVAILABLE');
        const [id, name, createdMs] = [ids.token().slice(0, 22), cleanFileName(sent), clock.now()];
        await tx.images.touchObject(object.hash, createdMs);
        await tx.images.addLibrary({ id, hash: object.hash, name, createdBy: ctx.actor.userId, createdMs });
        await writeAudit(tx, deps, ctx, { action: 'images.create', target: id, after: { name } });
        return { id, name, by: ctx.actor.username, createdMs, object };
      });
    },
    /** Gives a picture another name, cleaned as that of a file is. Out: the picture as it is then. Throws NOT_FOUND. */
    rename: permitted('admin.images.edit', (ctx: SignedIn, id: string, sent: string): Promise<LibraryImage> =>
      uow.run(async (tx) => {
        const found = await tx.images.findLibrary(id);
        const name = cleanFileName(sent);
        if (!found || !(await tx.images.renameLibrary(id, name))) throw new DomainError('NOT_FOUND');
        if (name !== found.name) {
          const change = { before: { name: found.name }, after: { name } };
          await writeAudit(tx, deps, ctx, { action: 'images.edit', target: id, ...change });
        }
        return { ...found, name };
      }),
    ),
    /** Throws NOT_FOUND. */
    delete: permitted('admin.images.delete', (ctx: SignedIn, id: string): Promise<void> =>
      uow.run(async (tx) => {
        const found = await tx.images.findLibrary(id);
        if (!found || !(await tx.images.removeLibrary(id))) throw new DomainError('NOT_FOUND');
        await tx.images.touchObject(found.object.hash, clock.now());
        await writeAudit(tx, deps, ctx, { action: 'images.delete', target: id, before: { name: found.name } });
        tx.touch(imageTopic(id));
      }),
    ),
  };
}
