import { afterEach, beforeEach, expect, test } from 'bun:test';
import { DAY, MINUTE } from '#shared/time.ts';
import { SETTINGS } from '#shared/settings.ts';
import { coinWorld, type CoinWorld } from '#tests/support/coins.ts';
import { testSealer } from '#tests/support/sealing.ts';
import type { Discord, Outcome, Tokens } from './ports.ts';
import { createTokens } from './tokens.ts';

let world: CoinWorld;
beforeEach(async () => {
  world = await coinWorld();
});
afterEach(() => world.close());
/** Lets everything else have its turn. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('T33 a refresh token is sent once, also where the provider takes its whole time and another process needs one, too', async () => {
  const { uow, clock, db } = world;
  const { actor } = await world.person();
  const waiting: ((outcome: Outcome<Tokens, 'refused'>) => void)[] = [];
  // Both processes see this Discord, which does not answer until it is told to.
  const discord = {
    refresh: () => new Promise((resolve) => void waiting.push(resolve)),
  } as Partial<Discord> as Discord;
  const make = () => createTokens({ uow, clock, log: db.log, sealer: testSealer, discord });
  const [one, two] = [make(), make()];
  const id = 'identity-1';
  const scopes = ['identify'];
  const tokens = one.seal(id, { access: 'old', refresh: 'once', expiresMs: clock.now() + MINUTE, scopes });
  await uow.run((tx) =>
    tx.identities.add(
      {
        id,
        userId: actor.userId,
        provider: 'discord',
        subject: '80351110224678912',
        name: 'ann',
        scopes,
        linkedMs: clock.now(),
        tokens,
      },
      'trace',
    ),
  );
  const ask = (process: typeof one) => process.withAccess(id, async (access) => ({ kind: 'yes', value: access }));
  const first = ask(one);
  while (waiting.length === 0) await turn();
  clock.advance(SETTINGS.discord_timeout_ms.max);
  // The other one either is told to come back, or asks for itself: whichever is first.
  const second = ask(two);
  const state = { over: false };
  void second.finally(() => (state.over = true));
  while (!state.over && waiting.length < 2) await turn();
  expect(waiting).toHaveLength(1);
  expect(await second).toEqual({ kind: 'unknown', retryAfterS: null });
  waiting[0]?.({ kind: 'yes', value: { access: 'new', refresh: 'twice', expiresMs: clock.now() + DAY, scopes } });
  expect(await first).toEqual({ kind: 'yes', value: 'new' });
  expect(await ask(two)).toEqual({ kind: 'yes', value: 'new' });
});
