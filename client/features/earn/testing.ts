import type { AfkState } from '#shared/contract/earn.ts';
import type { AfkDeps, Beat, StreamEvents } from './afk-types.ts';

/** A test double of everything the AFK engine depends on: API, streams, timers, screen. */

export const idle: AfkState = {
  now: '2026-11-21T16:15:00.000Z',
  session: null,
  earned_today: 12,
  cap: 480,
  per_minute: 1,
  budget_used: 0,
  budget: 0,
  resets_at: '2026-11-22T00:00:00.000Z',
  week: [],
  held: 0,
};
export const running = (id: string): AfkState => ({
  ...idle,
  session: {
    id,
    device: 'Firefox · Android',
    started_at: '2026-11-21T16:10:00.000Z',
    earned: 4,
    counted_ms: 260_000,
    next_payout_ms: 40_000,
  },
});
const answer: Beat = { counted_ms: 5_000, next_payout_ms: 55_000, earned: 0, earned_today: 12 };

export interface AfkWorld {
  readonly deps: AfkDeps;
  readonly streams: { id: string; on: StreamEvents; closed: boolean }[];
  readonly requests: string[];
  readonly beats: string[];
  remembered: string | null;
  screenOn: boolean;
  /** The responses of the calls; an error is thrown. */
  answers: {
    state: AfkState | Error;
    start: { session_id: string; took_over: string | null; state: AfkState } | Error;
    beat: Beat | Error;
  };
  /** Advances the clock and runs due timers. */
  advance(ms: number): Promise<void>;
  last(): AfkWorld['streams'][number];
}

function resolveAnswer<T>(value: T | Error): Promise<T> {
  return value instanceof Error ? Promise.reject(value) : Promise.resolve(value);
}

/** Waits until the engine's promises have settled. */
export async function drainPromises(): Promise<void> {
  for (let round = 0; round < 10; round++) await Promise.resolve();
}

/** Timers and a clock that only `advance` moves. */
function fakeTimers(): Pick<AfkDeps, 'timers' | 'now'> & Pick<AfkWorld, 'advance'> {
  let now = 0;
  let handles = 0;
  const due = new Map<number, { at: number; run: () => void }>();
  return {
    now: () => now,
    timers: {
      set: (run, ms) => {
        due.set(++handles, { at: now + ms, run });
        return handles;
      },
      clear: (handle) => due.delete(Number(handle)),
    },
    async advance(ms) {
      const end = now + ms;
      await drainPromises();
      for (;;) {
        const next = [...due].filter(([, timer]) => timer.at <= end).sort((a, b) => a[1].at - b[1].at)[0];
        if (!next) break;
        due.delete(next[0]);
        now = next[1].at;
        next[1].run();
        await drainPromises();
      }
      now = end;
    },
  };
}

/** A world in which nothing runs yet. */
export function createAfkWorld(): AfkWorld {
  const { now, timers, advance } = fakeTimers();
  const world: AfkWorld = {
    streams: [],
    requests: [],
    beats: [],
    remembered: null,
    screenOn: false,
    answers: { state: idle, start: { session_id: 'a', took_over: null, state: running('a') }, beat: answer },
    advance,
    last() {
      const stream = world.streams.at(-1);
      if (!stream) throw new Error('no stream was opened');
      return stream;
    },
    deps: {
      calls: {
        state: () => (world.requests.push('state'), resolveAnswer(world.answers.state)),
        start: () => (world.requests.push('start'), resolveAnswer(world.answers.start)),
        stop: () => (world.requests.push('stop'), Promise.resolve({})),
        beat: (_id, challenge) => (world.beats.push(challenge), resolveAnswer(world.answers.beat)),
      },
      openStream: (id, on) => {
        const stream = { id, on, closed: false };
        world.streams.push(stream);
        return () => {
          stream.closed = true;
        };
      },
      memory: {
        read: () => world.remembered,
        write: (id) => {
          world.remembered = id;
        },
        clear: () => {
          world.remembered = null;
        },
      },
      timers,
      now,
      random: () => 0.5,
      screen: {
        keepOn: () => {
          world.screenOn = true;
        },
        release: () => {
          world.screenOn = false;
        },
      },
    },
  };
  return world;
}
