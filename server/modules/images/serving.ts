import { DomainError } from '#shared/errors.ts';
import { IMAGE_ENDINGS, type ImageForm } from '#shared/images.ts';
import { SECOND } from '#shared/time.ts';
import { imageTopic, type ImagesDeps } from './deps.ts';
import type { ImageFile, ImageObject } from './ports.ts';
import { createTraffic } from './traffic.ts';
import type { Tx } from '../tx.ts';

/** How long what is known of an image is believed where another process may have changed it, and of how many. */
const KNOWN_MS = 10 * SECOND;
const KNOWN_MAX = 5_000;

/** An image of a user, or of the host (without an owner). */
interface ShownImage {
  readonly id: string;
  readonly ownerId: string | null;
  readonly isHidden: boolean;
  readonly object: ImageObject;
}
interface Known {
  readonly image: ShownImage;
  readonly atMs: number;
  readonly forget: () => void;
}
/**
 * Sends images to everybody (behaviour 5.5), counts how often and how much without remembering to whom, and stops for
 * the day where the images of a user sent more than `image_daily_transfer_mb` (attacks T42, hot links).
 */
export function createServing(deps: ImagesDeps) {
  const { uow, clock, bus, stores } = deps;
  const known = new Map<string, Known>();
  const traffic = createTraffic(deps);

  async function find(id: string): Promise<ShownImage | null> {
    const found = known.get(id);
    if (found && clock.now() - found.atMs < KNOWN_MS) return found.image;
    found?.forget();
    // Listened to before it is asked for: what changes in between is heard (attacks T64).
    let changed = false;
    const stop = bus.subscribe(imageTopic(id), () => {
      changed = true;
      forget();
    });
    const forget = (): void => {
      stop();
      known.delete(id);
    };
    const image = await uow.read((tx) => findShown(tx, id));
    if (changed || image === null) stop();
    else {
      if (known.size >= KNOWN_MAX) known.values().next().value?.forget();
      known.get(id)?.forget();
      known.set(id, { image, atMs: clock.now(), forget });
    }
    return image;
  }

  /**
   * A form of an image. Throws NOT_FOUND, also for a hidden one and for another ending than its own, and RATE_LIMITED
   * where the images of its owner sent enough for today.
   */
  async function getFile(name: { id: string; form: ImageForm; ending: string }): Promise<ImageFile> {
    const image = await find(name.id);
    const { form } = name;
    if (!image || image.isHidden) throw new DomainError('NOT_FOUND');
    if (form === 'full' && IMAGE_ENDINGS[image.object.type] !== name.ending) throw new DomainError('NOT_FOUND');
    if (image.ownerId !== null) await traffic.assertBelowMost(image.ownerId);
    const body = await stores[image.object.store].open(image.object.key, form);
    if (!body) throw new DomainError('NOT_FOUND');
    if (image.ownerId !== null) await traffic.add(image.ownerId, body.size, form === 'full' ? image.id : null);
    const { type, hash } = image.object;
    return { type: form === 'full' ? type : 'image/webp', body, version: `${hash.slice(0, 24)}-${form}` };
  }

  return { getFile, flush: traffic.flush, removeOldTraffic: traffic.removeOld };
}

async function findShown(tx: Tx, id: string): Promise<ShownImage | null> {
  const image = await tx.images.find(id);
  if (image) return { id, ownerId: image.userId, isHidden: image.hiddenMs !== null, object: image.object };
  const own = await tx.images.findLibrary(id);
  return own && { id, ownerId: null, isHidden: false, object: own.object };
}
