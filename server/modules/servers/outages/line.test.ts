import { describe, expect, test } from 'bun:test';
import type { LeasedJob } from '../../jobs/index.ts';
import type { Tx } from '../../tx.ts';
import { buildSlots, placeKeyOf } from '../core/index.ts';
import { BUILD_LINE, waitingEntries } from './line.ts';
import type { Outage } from './ports.ts';

const NOW = 1_000_000;
const outage = (panel: string, node: string, nextMs: number): Outage => ({
  panel,
  node,
  cause: 'panel',
  reason: null,
  sinceMs: 0,
  nextMs,
  tries: 1,
  notifiedMs: null,
});
const keyOf = (panel: string, panelNode: string) => placeKeyOf({ panel, panelNode });
/**
 * A job that builds at a node of a panel; casts in this file leave out of a job or a transaction what the line never
 * reads.
 */
const job = (panel: string, node: string) =>
  ({ line: { limitKey: panel, placeKey: keyOf(panel, node) } }) as unknown as LeasedJob;

function transaction(outages: readonly Outage[]) {
  const asked: unknown[][] = [];
  const tx = {
    outages: { list: async () => outages },
    jobs: { listWaiting: async (...args: unknown[]) => (asked.push(args), ['first', 'second']) },
  } as unknown as Tx;
  return { tx, asked };
}
const closed = (outages: readonly Outage[], taken: readonly LeasedJob[] = []) =>
  BUILD_LINE.closed(transaction(outages).tx, NOW).then((closedAfter) => closedAfter(taken));

describe('the line of builds', () => {
  test('P2 a panel or node that is away is closed until it is tried again, and then for all but one build', async () => {
    const away = [outage('a', '', NOW + 1), outage('b', 'n1', NOW + 1)];
    expect(await closed(away)).toEqual({ limitKeys: ['a'], placeKeys: [keyOf('b', 'n1')] });
    const due = [outage('a', '', NOW), outage('b', 'n1', NOW)];
    expect(await closed(due)).toEqual({ limitKeys: [], placeKeys: [] });
    expect(await closed(due, [job('a', 'n7')])).toEqual({ limitKeys: ['a'], placeKeys: [] });
    expect(await closed(due, [job('b', 'n1')])).toEqual({ limitKeys: [], placeKeys: [keyOf('b', 'n1')] });
    expect(await closed(due, [job('b', 'n2'), job('c', 'n1')])).toEqual({ limitKeys: [], placeKeys: [] });
    expect(await closed(due, [job('c', 'n1'), job('a', 'n1')])).toEqual({ limitKeys: ['a'], placeKeys: [] });
  });

  test('a build outside of every line closes nothing', async () => {
    expect(await closed([outage('', '', NOW)], [{ line: null } as unknown as LeasedJob])).toEqual({
      limitKeys: [],
      placeKeys: [],
    });
  });

  test('the pages of those who still wait are refreshed when the line has moved', async () => {
    const touched: string[] = [];
    const tx = {
      servers: { listWaitingUsers: async () => ['ann', 'bob', 'eve'] },
      touch: (topic: string) => void touched.push(topic),
    } as unknown as Tx;
    await BUILD_LINE.moved(tx, [{ line: { groupKey: 'bob' } } as unknown as LeasedJob]);
    expect(touched).toEqual(['servers:ann', 'servers:eve']);
  });

  test('the embedded panel builds other numbers at once than a real one', () => {
    expect(['', 'a'].map(BUILD_LINE.limitOf)).toEqual([buildSlots(null), buildSlots('a')]);
    expect(buildSlots(null)).not.toBe(buildSlots('a'));
  });

  test('entries that wait are listed without those of every panel and node that is away, tried again or not', async () => {
    const { tx, asked } = transaction([outage('a', '', NOW), outage('b', 'n1', NOW + 1)]);
    expect(await waitingEntries(tx, NOW, 7)).toEqual(['first', 'second']);
    expect(asked).toEqual([
      [
        expect.any(String),
        NOW,
        {
          servedSinceMs: NOW - 10 * 60_000,
          closed: { limitKeys: ['a'], placeKeys: [keyOf('b', 'n1')] },
          limit: 7,
        },
      ],
    ]);
  });
});
