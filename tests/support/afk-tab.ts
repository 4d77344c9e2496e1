import type { SignedIn } from '#server/modules/kernel.ts';
import type { AfkBeat, AfkEvent } from '#server/modules/rewards/afk/index.ts';
import { SECOND } from '#shared/time.ts';
import type { CoinWorld } from './coins.ts';

/** A browser tab on the AFK page: one stream, whose challenges it answers. */
export interface Tab {
  readonly id: string;
  readonly ctx: SignedIn;
  /** The next event; `null` when the stream is over. */
  nextEvent(): Promise<AfkEvent | null>;
  /** Hears until a challenge, or the end of the stream (`null`). */
  challenge(): Promise<string | null>;
  answer(challenge: string): Promise<AfkBeat>;
  /** Lets 20 seconds pass, waits for the challenge and answers it. */
  live(): Promise<AfkBeat>;
  /** Goes away without a word. */
  leave(): Promise<void>;
}

/** Starts a session and opens its stream. */
export async function openTab(world: CoinWorld, ctx: SignedIn): Promise<Tab> {
  return reopen(world, ctx, (await world.afk.start(ctx)).sessionId);
}

/** Opens a stream of a session that runs. */
export async function reopen(world: CoinWorld, ctx: SignedIn, id: string): Promise<Tab> {
  const line = new AbortController();
  const events = (await world.afk.stream(ctx, id, line.signal))[Symbol.asyncIterator]();
  const nextEvent = async () => {
    const { done, value } = await events.next();
    return done ? null : value;
  };
  const challenge = async () => {
    for (let event = await nextEvent(); event; event = await nextEvent())
      if (event.event === 'challenge') return event.data.challenge;
    return null;
  };
  const answer = (text: string) => world.afk.beat(ctx, id, text);
  return {
    id,
    ctx,
    nextEvent,
    challenge,
    answer,
    async live() {
      world.pass(20 * SECOND);
      const text = await challenge();
      if (text === null) throw new Error('the stream is over');
      return answer(text);
    },
    async leave() {
      line.abort();
      await events.return?.();
    },
  };
}

/** Answers the first challenge at once, then one every 20 seconds for a number of minutes. */
export async function sit(tab: Tab, minutes: number): Promise<void> {
  const first = await tab.challenge();
  if (first !== null) await tab.answer(first);
  for (let beat = 0; beat < minutes * 3; beat++) await tab.live();
}
