import { DomainError } from '#shared/errors.ts';
import type { SettingValues } from '#shared/settings.ts';
import { DAY } from '#shared/time.ts';
import type { UpdateOutcome } from '#shared/updates.ts';
import type { Clock, Log, SignedIn } from '../kernel.ts';
import { assertMay, permitted } from '../permit.ts';
import type { UnitOfWork } from '../tx.ts';
import { newerThan, parseFeed, readFeed, releasesOf, type Feed, type FeedRead } from './feed.ts';
import type { FeedSource } from './ports.ts';

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: {
    current(): Pick<SettingValues, 'update_checks' | 'update_feed_url' | 'update_feed_key'>;
  };
  readonly source: FeedSource;
  /** The version that runs. */
  readonly version: string;
}
export type Updates = ReturnType<typeof createUpdates>;

/** How long what was found out counts: a little less than a day, so that a daily check is never half a day late. */
const FRESH_MS = DAY - 60_000;
/** Releases that the page shows. */
const SHOWN = 5;

/**
 * News of releases (attacks T55): a signed feed at an address of the operator's choice, asked for only where they
 * turned that on, once a day or when somebody of staff wants it. Nothing about the installation is sent. No answer
 * changes anything but what is shown here.
 */
export function createUpdates({ uow, clock, log, settings, source, version }: Deps) {
  /** Where the feed is and whose it must be; null: it is not asked for. */
  function feedAddress(): { url: string; key: string } | null {
    const { update_checks: isOn, update_feed_url: url, update_feed_key: key } = settings.current();
    return isOn && url !== '' && key !== '' ? { url, key } : null;
  }

  async function known(): Promise<{ checkedMs: number; outcome: UpdateOutcome; feed: Feed | null } | null> {
    const address = feedAddress();
    const state = address && (await uow.read((tx) => tx.updates.find()));
    if (!state || state.publicKey !== address.key) return null;
    return {
      checkedMs: state.checkedMs,
      outcome: state.outcome,
      feed: state.content === null ? null : parseFeed(state.content),
    };
  }

  async function ask({ url, key }: { url: string; key: string }): Promise<void> {
    const answer = await source.load(url);
    const read: FeedRead | { outcome: 'unreachable' } =
      answer === null ? { outcome: 'unreachable' } : await readFeed(source, answer, key, clock.now());
    if (read.outcome !== 'ok') log.warn('updates.refused', { outcome: read.outcome });
    await uow.run(async (tx) => {
      await tx.updates.save({
        publicKey: key,
        checkedMs: clock.now(),
        outcome: read.outcome,
        edition: read.outcome === 'ok' ? { sequence: read.feed.sequence, content: JSON.stringify(read.feed) } : null,
      });
      tx.touch('attention');
    });
  }

  const forget = (): Promise<void> =>
    uow.run(async (tx) => {
      if (await tx.updates.forget()) tx.touch('attention');
    });

  /** What is known of newer releases, without asking anybody. */
  async function get() {
    const state = await known();
    const newer = newerThan(version, state?.feed ?? null);
    return {
      version,
      enabled: settings.current().update_checks,
      configured: feedAddress() !== null,
      checkedMs: state?.checkedMs ?? null,
      outcome: state?.outcome ?? null,
      newest: newer[0] ?? null,
      behind: newer.length,
      security: newer.some(({ security }) => security),
    };
  }

  return {
    get,
    /** Asks for the feed now. Throws FEATURE_DISABLED where the operator has not turned it on. */
    check: permitted('admin.dashboard.components.system.updates', async (_ctx: SignedIn) => {
      const address = feedAddress();
      if (!address) throw new DomainError('FEATURE_DISABLED');
      await ask(address);
      return get();
    }),
    /** Where the project lives, and its newest releases, as the feed says. */
    async repository(ctx: SignedIn) {
      assertMay(ctx, 'admin.dashboard.components.githubrepo.view');
      const feed = (await known())?.feed ?? null;
      return {
        version,
        repository: feed?.repository ?? null,
        releases: releasesOf(feed).slice(0, SHOWN),
      };
    },
    /** Asks for the feed once a day, where the operator turned that on; otherwise forgets what it said. */
    async runDaily(): Promise<void> {
      const address = feedAddress();
      if (!address) return forget();
      const state = await known();
      if (state && clock.now() - state.checkedMs < FRESH_MS) return;
      await ask(address);
    },
  };
}
