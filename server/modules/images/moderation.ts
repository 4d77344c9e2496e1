import { DomainError } from '#shared/errors.ts';
import type { ImageForm } from '#shared/images.ts';
import type { Tx } from '../tx.ts';
import { imageTopic, libraryTopic, type ImagesDeps } from './deps.ts';
import type { HostedImage, ImageFile } from './ports.ts';

/** Images of a refused content that are deleted at a time. */
const STEP = 100;

/** What staff do with images of others. In: how an image is removed. */
export function createModeration(deps: ImagesDeps, remove: (tx: Tx, image: HostedImage) => Promise<void>) {
  const { uow, clock, events, stores } = deps;

  /** Deletes an image whose row is locked, and says so to its owner. */
  async function removeAndEmit(tx: Tx, image: HostedImage): Promise<void> {
    await remove(tx, image);
    await events.emit(tx, 'image.removed', { imageId: image.id, userId: image.userId, name: image.name });
  }

  return {
    remove: removeAndEmit,
    /** Keeps an image from everybody but its owner, or shows it again. Its row is locked. */
    async setHidden(tx: Tx, image: HostedImage, hidden: boolean): Promise<void> {
      const { id, userId, name } = image;
      if ((image.hiddenMs !== null) === hidden) return;
      const atMs = clock.now();
      await tx.images.setHidden(id, hidden ? atMs : null);
      const said = { imageId: id, userId, name, atMs };
      if (hidden) await events.emit(tx, 'image.hidden', said);
      else await events.emit(tx, 'image.shown', said);
      tx.touch(imageTopic(id), libraryTopic(userId));
    },
    /** Refuses a content from now on. Images that have it are deleted by `removeBlocked`. */
    block: (tx: Tx, hash: string): Promise<void> => tx.images.block(hash, clock.now()),
    /** Has a content back. Out: whether it was refused. */
    unblock: (tx: Tx, hash: string): Promise<boolean> => tx.images.unblock(hash),
    /** A form of an image, hidden or not. Throws NOT_FOUND. */
    async open({ object }: HostedImage, form: ImageForm): Promise<ImageFile> {
      const body = await stores[object.store].open(object.key, form);
      if (!body) throw new DomainError('NOT_FOUND');
      const type = form === 'full' ? object.type : 'image/webp';
      return { type, body, version: `${object.hash.slice(0, 24)}-${form}` };
    },
    /**
     * Deletes the images of refused contents. Whoever uploads one meanwhile is refused under the lock of the content,
     * so that none comes after the last. It may run any number of times. For the scheduler.
     */
    async removeBlocked(): Promise<void> {
      for (const hash of await uow.read((tx) => tx.images.listToClear(STEP))) {
        for (;;) {
          const found = await uow.read((tx) => tx.images.listOfContent(hash, STEP));
          for (const { id, userId } of found)
            await uow.run(async (tx) => {
              await tx.identity.lockUser(userId);
              const image = await tx.images.lock(id);
              if (image && (await tx.images.isBlocked(hash))) await removeAndEmit(tx, image);
            });
          if (found.length < STEP) break;
        }
        await uow.run((tx) => tx.images.setCleared(hash));
      }
    },
  };
}
