import { DomainError } from '#shared/errors.ts';
import { dayIn, HOUR, SECOND } from '#shared/time.ts';
import type { ImagesDeps } from './deps.ts';

const MB = 1024 * 1024;
/** How often what was sent is written down. */
const FLUSH_MS = 10 * SECOND;
/** Days whose traffic is kept. */
const DAYS_KEPT = 35;

/** What the images of a user sent today: as it is written down, and since. */
interface Sent {
  day: string;
  bytes: number;
  since: number;
}

/** Counts how often and how much images are sent, and to nobody by name; written down now and then. */
export function createTraffic({ uow, clock, log, settings }: ImagesDeps) {
  const views = new Map<string, number>();
  const sent = new Map<string, Sent>();
  let flushedMs = clock.now();
  let flushing: Promise<void> = Promise.resolve();
  const today = (): string => dayIn(clock.now(), settings.current().app_timezone);

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

  /** Writes down what was sent and seen until now: what is being written already is waited for. */
  function flush(): Promise<void> {
    flushedMs = clock.now();
    const flushed = flushing.then(write);
    flushing = flushed.catch(() => undefined);
    return flushed;
  }
  async function write(): Promise<void> {
    // In one order for every process: each locks row after row.
    const seen = [...views].toSorted(([a], [b]) => (a < b ? -1 : 1));
    views.clear();
    const traffic = [...sent]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([userId, entry]) => {
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
  /** Throws RATE_LIMITED where the images of a user sent enough for today. */
  async function assertBelowMost(userId: string): Promise<void> {
    const entry = await sentBy(userId);
    const most = settings.current().image_daily_transfer_mb * MB;
    if (most > 0 && entry.bytes + entry.since >= most)
      throw new DomainError('RATE_LIMITED', { retryAfterS: HOUR / 1000 });
  }

  return {
    assertBelowMost,
    /** Counts what was sent of a user's images. In: the image that was seen as a whole; null: none was. */
    async add(userId: string, bytes: number, seenId: string | null): Promise<void> {
      (await sentBy(userId)).since += bytes;
      if (seenId !== null) views.set(seenId, (views.get(seenId) ?? 0) + 1);
      if (clock.now() - flushedMs < FLUSH_MS) return;
      void flush().catch((error: unknown) => log.error('images.flush_failed', { error: String(error) }));
    },
    flush,
    /** Removes the traffic of days long gone. For the scheduler. */
    removeOld: (): Promise<void> =>
      uow.run((tx) => tx.images.removeTrafficBefore(dayIn(clock.now() - DAYS_KEPT * 24 * HOUR, 'UTC'))),
  };
}
