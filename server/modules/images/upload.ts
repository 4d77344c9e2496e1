import { toCredits } from '#shared/credits.ts';
import { DomainError } from '#shared/errors.ts';
import { IMAGE_MAX_BYTES, IMAGE_UPLOADS_MAX, IMAGES_MAX } from '#shared/images.ts';
import { MINUTE } from '#shared/time.ts';
import type { Tx } from '../tx.ts';
import { deleteTokenOf, libraryTopic, type ImagesDeps } from './deps.ts';
import { cleanFileName } from './file-name.ts';
import { createObjects } from './objects.ts';
import type { HostedImage, ImageObject } from './ports.ts';

const UPLOADS_MS = 10 * MINUTE;
const MB = 1024 * 1024;

/** A file that a user uploads. */
interface ImageUpload {
  readonly userId: string;
  /** Made up by the sender, the same however often it is sent: it is one image, and is paid for once. */
  readonly uploadId: string;
  readonly name: string;
  readonly file: Uint8Array<ArrayBuffer>;
  /** Credits that the sender was shown; absent: whatever it costs. */
  readonly price?: number | undefined;
}
interface UploadedImage {
  readonly image: HostedImage;
  /** Deletes it without a session. */
  readonly deleteToken: string;
  readonly balance: number;
}

/** Refuses a content that staff deleted before. Throws IMAGE_BLOCKED. */
async function assertAllowed(tx: Tx, hash: string): Promise<void> {
  if (await tx.images.isBlocked(hash)) throw new DomainError('IMAGE_BLOCKED');
}

/** Uploads (behaviour 5.5): the file is drawn anew, stored, and paid for in the transaction that makes it an image. */
export function createUpload(deps: ImagesDeps) {
  const { uow, clock, ids, ledger, settings } = deps;
  const store = createObjects(deps);
  const walletOf = (userId: string) => `user:${userId}` as const;

  const toUploaded = async (tx: Tx, image: HostedImage): Promise<UploadedImage> => ({
    image,
    deleteToken: deleteTokenOf(deps, image),
    balance: await ledger.balance(tx, walletOf(image.userId)),
  });

  /** Looks at what does not depend on the file. Throws as `upload`. */
  async function assertWelcome(tx: Tx, { userId, price: shown }: ImageUpload): Promise<void> {
    const { image_price: price, image_quota_mb: quota } = settings.current();
    if (shown !== undefined && shown !== price) throw new DomainError('PRICE_CHANGED');
    const since = clock.now() - UPLOADS_MS;
    if ((await tx.images.countSince(userId, since, IMAGE_UPLOADS_MAX)) >= IMAGE_UPLOADS_MAX)
      throw new DomainError('RATE_LIMITED', { retryAfterS: UPLOADS_MS / 1000 });
    const usage = await tx.images.usage(userId);
    if (usage.images >= IMAGES_MAX || usage.bytes >= quota * MB) throw new DomainError('IMAGE_QUOTA');
    if ((await ledger.balance(tx, walletOf(userId))) < price) throw new DomainError('INSUFFICIENT_CREDITS');
  }

  /** The transaction that makes it an image: looks again, charges, counts. */
  function add(upload: ImageUpload, object: ImageObject): Promise<UploadedImage> {
    const { userId, uploadId } = upload;
    return uow.run(async (tx) => {
      if ((await tx.identity.lockUser(userId))?.status !== 'active') throw new DomainError('UNAUTHENTICATED');
      const before = await tx.images.findByUpload(userId, uploadId);
      if (before) return toUploaded(tx, before);
      await assertWelcome(tx, upload);
      const kept = await tx.images.lockObject(object.hash);
      if (kept?.key !== object.key) throw new DomainError('SERVER_UNAVAILABLE');
      await assertAllowed(tx, object.hash);
      const { image_price: price, image_quota_mb: quota } = settings.current();
      const { bytes } = await tx.images.usage(userId);
      if (bytes + object.bytesAll > quota * MB) throw new DomainError('IMAGE_QUOTA');
      const id = ids.token().slice(0, 22);
      const name = cleanFileName(upload.name);
      if (price > 0)
        await ledger.transfer(tx, {
          kind: 'image.upload',
          reference: `image:${id}`,
          subject: name,
          actor: userId,
          postings: [{ source: walletOf(userId), destination: 'system:images', amount: toCredits(price) }],
        });
      const createdMs = clock.now();
      await tx.images.touchObject(object.hash, createdMs);
      await tx.images.add({
        id,
        userId,
        uploadId,
        name,
        hash: object.hash,
        bytes: object.bytesAll,
        price,
        createdMs,
      });
      await tx.images.addUsage(userId, { images: 1, bytes: object.bytesAll });
      tx.touch(libraryTopic(userId));
      return toUploaded(tx, { id, userId, name, price, views: 0, hiddenMs: null, createdMs, object });
    });
  }

  /**
   * Makes an image of a file. Throws FEATURE_DISABLED, PAYLOAD_TOO_LARGE, PRICE_CHANGED, RATE_LIMITED, IMAGE_QUOTA,
   * INSUFFICIENT_CREDITS, SPENDING_BLOCKED, IMAGE_FORMAT, IMAGE_MOVING, IMAGE_PIXELS, IMAGE_BLOCKED, IMAGE_BUSY,
   * UNAUTHENTICATED, and SERVER_UNAVAILABLE where it cannot be stored. After each of them nothing was paid.
   */
  return async function upload(sent: ImageUpload): Promise<UploadedImage> {
    if (!settings.current().image_hosting_enabled) throw new DomainError('FEATURE_DISABLED');
    if (sent.file.byteLength > IMAGE_MAX_BYTES) throw new DomainError('PAYLOAD_TOO_LARGE');
    const before = await uow.read(async (tx) => {
      const found = await tx.images.findByUpload(sent.userId, sent.uploadId);
      if (found) return toUploaded(tx, found);
      await assertWelcome(tx, sent);
      return null;
    });
    if (before) return before;
    const drawn = await deps.codec.draw(sent.file);
    if (typeof drawn === 'string') throw new DomainError(drawn);
    await uow.read((tx) => assertAllowed(tx, drawn.hash));
    return add(sent, await store(drawn));
  };
}
