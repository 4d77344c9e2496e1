import { ATTENTION, ATTENTION_KEYS, type AttentionKey } from '#shared/attention.ts';
import { DomainError } from '#shared/errors.ts';
import { can } from '#shared/permissions.ts';
import { HOUR, SECOND } from '#shared/time.ts';
import type { Events } from '../events/index.ts';
import type { Bus, Clock, SignedIn } from '../kernel.ts';
import { permitted } from '../permit.ts';
import type { LongReads, Tx, UnitOfWork } from '../tx.ts';
import type { Snooze } from './ports.ts';
import { ATTENTION_SOURCES, type Found } from './sources.ts';

/** How long what was found is shown at most before it is looked for again, however quiet it is. */
const MAX_AGE = 15 * SECOND;
/** Staff are notified of the same kind again no sooner than this after the last time. */
const REPORT_PAUSE = 12 * HOUR;

/** The topic that something needs a person, or no longer does. */
export const ATTENTION_TOPIC = 'attention';

/** Kinds of which no other event notifies staff. */
const REPORTED = [
  'failedServers',
  'ordersToConfirm',
  'heldRewards',
  'machine',
  'tickets',
  'imageReports',
  'failedMails',
  'backups',
  'securityUpdate',
  'drift',
] as const satisfies readonly AttentionKey[];

interface Deps {
  readonly uow: UnitOfWork;
  readonly long: LongReads;
  readonly clock: Clock;
  readonly bus: Bus;
  readonly events: Pick<Events, 'emit'>;
  /** The version that runs. */
  readonly appVersion: string;
}
interface Item extends Found {
  /** The key, and its subject where it has one. */
  readonly id: string;
  readonly key: AttentionKey;
}
interface Snapshot {
  readonly items: readonly Item[];
  readonly atMs: number;
  /** Changes that had been heard of when it was begun. */
  readonly version: number;
}
export type Attention = ReturnType<typeof createAttention>;

/**
 * What needs a person (behaviour 8.2), for the overview and the counts of the navigation. It is found once for all of
 * staff and kept until something changes, so that asking costs nothing; each sees what their permissions are for, and
 * puts off what they like.
 */
export function createAttention({ uow, long, clock, bus, events, appVersion }: Deps) {
  const kept = createSnapshots({ long, clock, bus, appVersion });

  /** What needs the caller, and what of it they put off. */
  async function list(ctx: SignedIn) {
    const { items, atMs } = await kept.get();
    const visible = items.filter(({ key }) => maySee(ctx, key));
    const now = clock.now();
    const snoozes = visible.length === 0 ? [] : await uow.read((tx) => tx.attention.listSnoozes(ctx.actor.userId, now));
    return {
      atMs,
      items: visible.map(({ id, key, count, sinceMs, data = {} }) => {
        const snooze = snoozes.find(({ item }) => item === id);
        return {
          id,
          key,
          count,
          sinceMs,
          data,
          snoozedUntilMs: snooze && count <= snooze.count ? snooze.untilMs : null,
        };
      }),
    };
  }

  /** Puts an item off for the caller, for some hours. Throws NOT_FOUND for what is not there, or not theirs to see. */
  const snooze = permitted('admin.dashboard.view', async (ctx: SignedIn, item: string, hours: number) => {
    const found = (await kept.get()).items.find(({ id }) => id === item);
    if (!found || !maySee(ctx, found.key)) throw new DomainError('NOT_FOUND');
    const row: Snooze = { item, count: found.count, untilMs: clock.now() + hours * HOUR };
    await uow.run((tx) => tx.attention.snooze(ctx.actor.userId, row));
  });

  /** Has an item back; nothing happens where it was not put off. */
  const unsnooze = permitted('admin.dashboard.view', (ctx: SignedIn, item: string) =>
    uow.run((tx) => tx.attention.unsnooze(ctx.actor.userId, item)),
  );

  /**
   * Notifies staff of what has begun to need them and of which no event of its own does. It may run any number of
   * times.
   */
  async function report(): Promise<void> {
    const { items } = await kept.get();
    const now = clock.now();
    const before = await uow.read((tx) => tx.attention.listReports());
    const changed = REPORTED.filter((key) => {
      const known = before.find((each) => each.key === key);
      const isOpen = known !== undefined && known.endedMs === null;
      return items.some((item) => item.key === key) !== isOpen;
    });
    if (changed.length > 0)
      await uow.run(async (tx) => {
        for (const key of changed) await reportChange(tx, key, items, now);
      });
  }

  async function reportChange(
    tx: Tx,
    key: (typeof REPORTED)[number],
    items: readonly Item[],
    now: number,
  ): Promise<void> {
    const known = (await tx.attention.listReports()).find((each) => each.key === key);
    const count = items.reduce((sum, item) => sum + (item.key === key ? item.count : 0), 0);
    if (count === 0) {
      if (known) await tx.attention.saveReport({ ...known, endedMs: now });
      return;
    }
    const isNew = !known || now - known.reportedMs >= REPORT_PAUSE;
    const reportedMs = isNew ? now : known.reportedMs;
    await tx.attention.saveReport({ key, reportedMs, endedMs: null });
    if (isNew) await events.emit(tx, 'attention.needed', { key, count, atMs: now });
  }

  return { list, snooze, unsnooze, report };
}

const maySee = ({ actor }: SignedIn, key: AttentionKey): boolean => can(actor.permissions, ATTENTION[key].permission);

/**
 * What was found last, for everybody. Whoever asks after a change gets what was looked for after it; whoever asks while
 * it is looked for waits for the same answer.
 */
function createSnapshots(deps: Pick<Deps, 'long' | 'clock' | 'bus' | 'appVersion'>): { get(): Promise<Snapshot> } {
  const { long, clock, bus, appVersion } = deps;
  let version = 0;
  let last: Snapshot | null = null;
  let running: Promise<Snapshot> | null = null;
  bus.subscribe(ATTENTION_TOPIC, () => {
    version += 1;
  });
  async function find(): Promise<Snapshot> {
    const [begun, atMs] = [version, clock.now()];
    const items = await long.read((tx) => findAll(tx, atMs, appVersion), { for: 'visitor' });
    last = { items, atMs, version: begun };
    return last;
  }
  const isFresh = ({ atMs, version: at }: Snapshot, wanted: number): boolean =>
    at >= wanted && clock.now() >= atMs && clock.now() - atMs < MAX_AGE;
  return {
    async get() {
      const wanted = version;
      for (;;) {
        if (last && isFresh(last, wanted)) return last;
        running ??= find().finally(() => {
          running = null;
        });
        const found = await running;
        if (found.version >= wanted) return found;
      }
    },
  };
}

async function findAll(tx: Tx, nowMs: number, version: string): Promise<Item[]> {
  const items: Item[] = [];
  for (const key of ATTENTION_KEYS)
    for (const found of await ATTENTION_SOURCES[key](tx, nowMs, version))
      items.push({ ...found, key, id: found.subject === undefined ? key : `${key}:${found.subject}` });
  return items;
}
