import { toCredits } from '#shared/credits.ts';
import { DomainError } from '#shared/errors.ts';
import { IMAGE_REFUND_MS, IMAGES_A_PAGE } from '#shared/images.ts';
import { MINUTE } from '#shared/time.ts';
import { exportSteps, type CreatedCursor } from '../export-steps.ts';
import { enqueue } from '../jobs/index.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { deleteTokenOf, imageTopic, libraryTopic, type ImagesDeps } from './deps.ts';
import type { HostedImage, ImageEmbed, ImageUsage, LibraryQuery, StoreName } from './ports.ts';

/** How long an object stays that no image has, in ms: a backup that began before has its files to the end. */
const UNUSED_MS = 60 * MINUTE;
/** Kind of the job that removes the files of an object. */
const REMOVE_JOB = 'images.remove';
/** Objects that are removed at a time. */
const STEP = 100;

interface LibraryPage {
  readonly rows: readonly HostedImage[];
  /** There are more behind these. */
  readonly more: boolean;
  readonly usage: ImageUsage;
  readonly balance: number;
}
/** An image with its file as it was stored; null: it is gone. */
interface ImageToTake {
  readonly image: HostedImage;
  read(): Promise<Blob | null>;
}
/** How links look where an owner said nothing. */
const NO_EMBED: ImageEmbed = { enabled: true, title: '', description: '', author: '', color: '' };

/** How links to one's images look, by what their owner says. */
function embedPart(uow: ImagesDeps['uow']) {
  return {
    embed: (ctx: SignedIn): Promise<ImageEmbed> =>
      uow.read(async (tx) => (await tx.images.embedOf(ctx.actor.userId)) ?? NO_EMBED),
    setEmbed: (ctx: SignedIn, embed: ImageEmbed): Promise<void> =>
      uow.run(async (tx) => {
        if ((await tx.identity.lockUser(ctx.actor.userId))?.status !== 'active')
          throw new DomainError('UNAUTHENTICATED');
        await tx.images.putEmbed(ctx.actor.userId, embed);
      }),
    /** An image for everybody, with how its owner words its card. Throws NOT_FOUND, also for hidden ones. */
    getShown: (id: string): Promise<{ image: HostedImage; embed: ImageEmbed; username: string }> =>
      uow.read(async (tx) => {
        const image = await tx.images.find(id);
        const user = image && (await tx.identity.findUser(image.userId));
        if (!image || image.hiddenMs !== null || !user || user.status === 'deleted') throw new DomainError('NOT_FOUND');
        return { image, embed: (await tx.images.embedOf(image.userId)) ?? NO_EMBED, username: user.username };
      }),
  };
}

/** One's images, how their links look, and how they go. */
export function createLibrary(deps: ImagesDeps) {
  const { uow, long, clock, ids, ledger, stores } = deps;

  /** Removes an image whose row is locked: paid back where it is young. */
  async function remove(tx: Tx, image: HostedImage): Promise<void> {
    const { id, userId, name, price, createdMs, object } = image;
    await tx.images.remove(id);
    await tx.images.touchObject(object.hash, clock.now());
    await tx.images.addUsage(userId, { images: -1, bytes: -object.bytesAll });
    if (price > 0 && clock.now() - createdMs <= IMAGE_REFUND_MS)
      await ledger.transfer(tx, {
        kind: 'image.refund',
        reference: `image.refund:${id}`,
        subject: name,
        postings: [{ source: 'system:images', destination: `user:${userId}`, amount: toCredits(price) }],
      });
    tx.touch(imageTopic(id), libraryTopic(userId));
  }

  return {
    remove,
    /** A page of the caller's images. */
    list: (ctx: SignedIn, query: Omit<LibraryQuery, 'limit'>): Promise<LibraryPage> =>
      uow.read(async (tx) => {
        const { userId } = ctx.actor;
        const rows = await tx.images.list(userId, { ...query, limit: IMAGES_A_PAGE + 1 });
        return {
          rows: rows.slice(0, IMAGES_A_PAGE),
          more: rows.length > IMAGES_A_PAGE,
          usage: await tx.images.usage(userId),
          balance: await ledger.balance(tx, `user:${userId}`),
        };
      }),
    /** Deletes images of the caller; those that are gone are passed over. Out: how many there were. */
    deleteMany: (ctx: SignedIn, imageIds: readonly string[]): Promise<number> =>
      uow.run(async (tx) => {
        const { userId } = ctx.actor;
        // One order for everybody who locks both.
        if ((await tx.identity.lockUser(userId))?.status !== 'active') throw new DomainError('UNAUTHENTICATED');
        let deleted = 0;
        for (const id of [...new Set(imageIds)].toSorted()) {
          const image = await tx.images.lock(id);
          if (image?.userId !== userId) continue;
          await remove(tx, image);
          deleted += 1;
        }
        return deleted;
      }),
    /** Deletes an image for whoever knows its token. Throws NOT_FOUND for a wrong one as well. */
    deleteByToken: (id: string, token: string): Promise<void> =>
      uow.run(async (tx) => {
        const found = await tx.images.find(id);
        if (found) await tx.identity.lockUser(found.userId);
        const image = found && (await tx.images.lock(id));
        if (!image || ids.hash(token) !== ids.hash(deleteTokenOf(deps, image))) throw new DomainError('NOT_FOUND');
        await remove(tx, image);
      }),
    /** Every image of the caller, the oldest first, with its file as it was stored. */
    async listFiles({ actor: { userId } }: SignedIn, signal: AbortSignal): Promise<ImageToTake[]> {
      const images: ImageToTake[] = [];
      const read = (after: CreatedCursor | null, limit: number) =>
        long.read((tx) => tx.images.listAll(userId, after, limit), { for: 'visitor', signal });
      for await (const rows of await exportSteps(read))
        for (const image of rows)
          images.push({ image, read: () => stores[image.object.store].open(image.object.key, 'full') });
      return images;
    },
    ...embedPart(uow),
    /**
     * Has what no image has had for an hour removed. The row goes first, and its key is never used again: whoever
     * stores the same content meanwhile does so under another. For the scheduler.
     */
    async removeUnused(): Promise<void> {
      const beforeMs = clock.now() - UNUSED_MS;
      for (const hash of await long.read((tx) => tx.images.listUnused(beforeMs, STEP), { for: 'job' })) {
        await uow.run(async (tx) => {
          const object = await tx.images.lockObject(hash);
          if (!object || !(await tx.images.removeObject(hash, beforeMs))) return;
          const { store, key } = object;
          await enqueue(tx, ids, clock, { kind: REMOVE_JOB, payload: { store, key }, uniqueKey: `images:${key}` });
        });
      }
    },
    jobs: {
      [REMOVE_JOB]: {
        leaseMs: 5 * MINUTE,
        handle: async (payload: unknown): Promise<void> => {
          const { store, key } = payload as { store: StoreName; key: string };
          await stores[store].remove(key);
        },
      },
    },
  };
}
