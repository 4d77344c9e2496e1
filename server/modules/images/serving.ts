import { DomainError } from '#shared/errors.ts';
import { IMAGE_ENDINGS, type ImageForm } from '#shared/images.ts';
import { dayIn, HOUR, SECOND } from '#shared/time.ts';
import { imageTopic, type ImagesDeps } from './deps.ts';
import type { HostedImage, ImageFile } from './ports.ts';

/** How long what is known of an image is believed where another process may have changed it, and of how many. */
const KNOWN_MS = 10 * SECOND;
const KNOWN_MAX = 5_000;
/** How often what was sent is written down. */
const FLUSH_MS = 10 * SECOND;
/** Days whose traffic is kept. */
const DAYS_KEPT = 35;

interface Known {
  readonly image: HostedImage | null;
  readonly atMs: number;
  readonly forget: () => void;
}
/** What the images of a user sent today: as it is written down, and since. */
interface Sent {
  day: string;
  bytes: number;
  since: number;
}

/**
 * Sends images to everybody (behaviour 5.5), counts how often and how much without remembering to whom, and stops for
 * the day where the images of a user sent more than `image_daily_transfer_mb` (attacks T42, hot links).
 */
export function createServing({ uow, clock, log, bus, settings, stores }: ImagesDeps) {
  const known = new Map<string, Known>();
  const views = new Map<string, number>();
  const sent = new Map<string, Sent>();
  let flushedMs = clock.now();
  const today = (): string => dayIn(clock.now(), settings.current().app_timezone);

  async function find(id: string): Promise<HostedImage | null> {
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
    const image = await uow.read((tx) => tx.images.find(id));
    if (changed || image === null) stop();
    else {
      if (known.size >= KNOWN_MAX) known.values().next().value?.forget();
      known.get(id)?.forget();
      known.set(id, { image, atMs: clock.now(), forget });
    }
    return image;
  }

  async function sentBy(userId: string): Promise<Sent> {
    const day = today();
    const found = sent.get(userId);
    if (found?.day === day) return found;
    const bytes = await uow.read((tx) => tx.images.trafficOf(userId, day));
    const fresh = sent.get(userId);
    if (fresh?.day === day) return fresh;
    const made = { day, bytes, since: 0 };
    sent.set(userId, made);
    return made;
  }

  /** Writes down what was sent and seen since the last time. */
  async function flush(): Promise<void> {
    flushedMs = clock.now();
    const seen = [...views];
    views.clear();
    const traffic = [...sent].flatMap(([userId, entry]) => {
      const { day, since } = entry;
      entry.since = 0;
      entry.bytes += since;
      if (day !== today()) sent.delete(userId);
      return since > 0 ? [{ userId, day, since, entry }] : [];
    });
    if (seen.length + traffic.length === 0) return;
    await uow.run(async (tx) => {
      for (const [id, count] of seen) await tx.images.addViews(id, count);
      for (const { userId, day, since, entry } of traffic)
        entry.bytes = Math.max(entry.bytes, await tx.images.addTraffic(userId, day, since));
    });
  }
  function flushNowAndThen(): void {
    if (clock.now() - flushedMs < FLUSH_MS) return;
    void flush().catch((error: unknown) => log.error('images.flush_failed', { error: String(error) }));
  }

  /**
   * A form of an image. Throws NOT_FOUND, also for a hidden one and for another ending than its own, and RATE_LIMITED
   * where the images of its owner sent enough for today.
   */
  async function getFile(name: { id: string; form: ImageForm; ending: string }): Promise<ImageFile> {
    const image = await find(name.id);
    const { form } = name;
    if (!image || image.hiddenMs !== null) throw new DomainError('NOT_FOUND');
    if (form === 'full' && IMAGE_ENDINGS[image.object.type] !== name.ending) throw new DomainError('NOT_FOUND');
    const most = settings.current().image_daily_transfer_mb * 1024 * 1024;
    const entry = await sentBy(image.userId);
    if (most > 0 && entry.bytes + entry.since >= most)
      throw new DomainError('RATE_LIMITED', { retryAfterS: HOUR / 1000 });
    const body = await stores[image.object.store].open(image.object.key, form);
    if (!body) throw new DomainError('NOT_FOUND');
    entry.since += body.size;
    if (form === 'full') views.set(image.id, (views.get(image.id) ?? 0) + 1);
    flushNowAndThen();
    const { type, hash } = image.object;
    return { type: form === 'full' ? type : 'image/webp', body, version: `${hash.slice(0, 24)}-${form}` };
  }

  return {
    getFile,
    flush,
    /** Removes the traffic of days long gone. For the scheduler. */
    removeOldTraffic: (): Promise<void> =>
      uow.run((tx) => tx.images.removeTrafficBefore(dayIn(clock.now() - DAYS_KEPT * 24 * HOUR, 'UTC'))),
  };
}
