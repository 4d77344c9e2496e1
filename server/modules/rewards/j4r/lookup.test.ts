import { describe, expect, test } from 'bun:test';
import { DAY } from '#shared/time.ts';
import type { J4rDeps } from './deps.ts';
import { createLookups } from './lookup.ts';

type Answer = Awaited<ReturnType<J4rDeps['discord']['invite']>>;
const NOW = Date.UTC(2026, 0, 1);
const found = (guildId: string): Answer => ({ kind: 'yes', value: { guildId, guildName: 'Blocks', members: 12 } });

const NO: Answer = { kind: 'no', reason: 'unknown_invite' };
const UNKNOWN: Answer = { kind: 'unknown', retryAfterS: null };

/** Look-ups over invites that are stale, and what Discord answers to each. `written`: what was noted, in order. */
function setUp(answers: Readonly<Record<string, Answer>>, stale = Object.keys(answers)) {
  const written: unknown[][] = [];
  const reads: unknown[][] = [];
  const left = [...stale];
  const note =
    (name: string) =>
    async (...args: unknown[]) => {
      // A write takes a moment: what does not wait for it asks for the same invite again.
      await Bun.sleep(1);
      written.push([name, ...args]);
      left.splice(left.indexOf(String(args[1])), 1);
    };
  const tx = {
    j4r: {
      staleInvites: async (...args: [number, number]) => {
        reads.push(args);
        return left.slice(0, args[1]).map((invite) => ({ id: `id-${invite}`, invite }));
      },
      invitesTo: async () => stale,
      setUnknown: note('unknown'),
      setFound: note('found'),
    },
  };
  const asked: string[] = [];
  const lookups = createLookups({
    clock: { now: () => NOW },
    uow: {
      read: (work: (with_: typeof tx) => unknown) => work(tx),
      run: (work: (with_: typeof tx) => unknown) => work(tx),
    },
    discord: {
      invite: async (code: string) => {
        asked.push(code);
        return answers[code] ?? UNKNOWN;
      },
    },
    // Only what look-ups use of the outside.
  } as unknown as J4rDeps);
  return { ...lookups, written, reads, asked };
}

describe('looking up invites', () => {
  test('every stale invite is asked once, and what Discord answers is written down with the time', async () => {
    const { lookUpInvites, written, reads, asked } = setUp({ a: found('g1'), b: NO });
    expect(await lookUpInvites()).toBe(true);
    expect(asked).toEqual(['a', 'b']);
    expect(written).toEqual([
      ['found', 'id-a', 'a', { guildId: 'g1', guildName: 'Blocks', members: 12 }, NOW],
      ['unknown', 'id-b', 'b', NOW],
    ]);
    expect(reads).toEqual([
      [NOW - DAY, 20],
      [NOW - DAY, 20],
    ]);
  });

  test('an invite that Discord does not answer keeps what was known, and ends the look-up as not done', async () => {
    const { lookUpInvites, written, asked } = setUp({ a: found('g1'), b: UNKNOWN, c: found('g3') });
    expect(await lookUpInvites()).toBe(false);
    expect(asked).toEqual(['a', 'b']);
    expect(written.map(([name]) => name)).toEqual(['found']);
  });
});

describe('whether a Discord server is there', () => {
  test('an invite of ours that leads to it proves it, and no further one is asked', async () => {
    const { findGuildState, asked } = setUp({ a: found('g9'), b: found('g1'), c: found('g1') });
    expect(await findGuildState('g1')).toBe('there');
    expect(asked).toEqual(['a', 'b']);
  });

  test('invites that lead nowhere or elsewhere prove nothing, and one without an answer leaves it unknown', async () => {
    expect(await setUp({ a: NO, b: found('g9') }).findGuildState('g1')).toBe('unproven');
    expect(await setUp({ a: UNKNOWN, b: NO }).findGuildState('g1')).toBe('unknown');
    expect(await setUp({ a: UNKNOWN, b: found('g1') }).findGuildState('g1')).toBe('there');
    expect(await setUp({}).findGuildState('g1')).toBe('unproven');
  });
});
