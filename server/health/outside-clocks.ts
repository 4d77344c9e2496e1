import type { Clock } from '#server/modules/kernel.ts';
import type { Outbound } from '#server/outbound.ts';
import { DAY } from '#shared/time.ts';

/** What the answers of other machines say about the time. */
export interface OutsideClocks {
  /** Calls that are made through it have the times of their answers compared with ours. */
  watch(outbound: Outbound): Outbound;
  /** How far ours is ahead of theirs (ms, negative: behind), and how many hosts said so within a day; null: none did. */
  read(): { readonly offsetMs: number; readonly hosts: number } | null;
}

/** Hosts that are remembered at most. */
const HOSTS = 50;
/** A date in a header is cut to whole seconds: half a second is what is missing on average. */
const HALF_SECOND = 500;

/**
 * Compares this machine's clock with those of the services it talks to anyway, by the `Date` of their answers: nothing
 * is asked for it. The middle one counts, so that one that is wrong itself does no harm.
 */
export function createOutsideClocks(clock: Clock): OutsideClocks {
  const offsets = new Map<string, { readonly offsetMs: number; readonly atMs: number }>();
  return {
    watch: (outbound) => async (url, init) => {
      const response = await outbound(url, init);
      const theirs = Date.parse(response.headers.get('date') ?? '');
      const host = URL.parse(url)?.host;
      if (host !== undefined && Number.isFinite(theirs) && (offsets.has(host) || offsets.size < HOSTS))
        offsets.set(host, { offsetMs: clock.now() - theirs - HALF_SECOND, atMs: clock.now() });
      return response;
    },
    read() {
      const all = [...offsets.values()]
        .filter(({ atMs }) => clock.now() - atMs < DAY)
        .map(({ offsetMs }) => offsetMs)
        .toSorted((a, b) => a - b);
      const middle = all[Math.floor(all.length / 2)];
      return middle === undefined ? null : { offsetMs: middle, hosts: all.length };
    },
  };
}
