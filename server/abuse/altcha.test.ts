import { afterEach, beforeEach, expect, test } from 'bun:test';
import { solveChallenge, type Challenge as Puzzle } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { createChallenge, type ChallengeAction } from '#server/modules/challenge/index.ts';
import type { Ctx, SignedIn } from '#server/modules/kernel.ts';
import { MINUTE } from '#shared/time.ts';
import { atOnce, codeOf, coinWorld, type CoinWorld } from '#tests/support/coins.ts';
import { createPuzzles } from './altcha.ts';

let world: CoinWorld;
const guest: Ctx = {
  actor: null,
  requestId: 'r',
  locale: 'en',
  address: '203.0.113.9',
  userAgent: '',
  idempotency: null,
};
const secrets = { signature: 'a'.repeat(43), key: 'b'.repeat(43) };

beforeEach(async () => {
  world = await coinWorld();
  await world.settings.set(null, { challenge: 'altcha', altcha_cost: 100 });
});
afterEach(() => world.close());

const challenge = (own = secrets) => {
  const { uow, clock, ids, db, settings } = world;
  return createChallenge({
    uow,
    clock,
    ids,
    log: db.log,
    settings,
    appUrl: () => 'https://panel.example.com',
    puzzles: createPuzzles(own),
    turnstile: { verify: () => Promise.reject(new Error('none')) },
  });
};
const holder = (device: string, ctx: Ctx | SignedIn = guest) => ({ ctx, device });
interface Answer {
  challenge: Puzzle;
  solution: { counter: number; derivedKey: string; time: number };
}
/** A real solution of a puzzle that was asked for. */
async function solved(action: ChallengeAction, who: ReturnType<typeof holder>, own = secrets): Promise<Answer> {
  const offer = await challenge(own).offer(action, who);
  if (offer.kind !== 'altcha') throw new Error('no puzzle');
  const puzzle = JSON.parse(offer.puzzle) as Puzzle;
  const solution = await solveChallenge({ challenge: puzzle, deriveKey });
  if (!solution) throw new Error('not solved');
  return { challenge: puzzle, solution: { ...solution, time: solution.time ?? 0 } };
}
const sent = (answer: unknown): string => Buffer.from(JSON.stringify(answer)).toString('base64');
const verify = (answer: string | undefined, action: ChallengeAction = 'register', who = holder('d')) =>
  codeOf(challenge().verify(action, who, answer));

test('a solved puzzle is good once, for its form and its browser', async () => {
  const answer = sent(await solved('register', holder('d')));
  expect(await verify(answer, 'login')).toBe('CHALLENGE_FAILED');
  expect(await verify(answer, 'register', holder('another'))).toBe('CHALLENGE_FAILED');
  expect(await verify(answer)).toBeNull();
  expect(await verify(answer)).toBe('CHALLENGE_FAILED');
  expect(await verify(undefined)).toBe('CHALLENGE_REQUIRED');
  expect(await verify('')).toBe('CHALLENGE_REQUIRED');
});

test('fifty requests at once with one solution pass once', async () => {
  const answer = sent(await solved('register', holder('d')));
  const all = challenge();
  expect(await atOnce(50, () => all.verify('register', holder('d'), answer))).toEqual({ ok: 1, CHALLENGE_FAILED: 49 });
});

test('a puzzle of a session is no good in another', async () => {
  const [ann, ben] = [await world.person(), await world.person()];
  const answer = sent(await solved('link', holder('d', ann)));
  expect(await verify(answer, 'link', holder('d', ben))).toBe('CHALLENGE_FAILED');
  expect(await verify(answer, 'link', holder('other device', ann))).toBeNull();
});

test('a puzzle is good for ten minutes, by our clock', async () => {
  const answer = sent(await solved('register', holder('d')));
  world.pass(10 * MINUTE);
  expect(await verify(answer)).toBe('CHALLENGE_FAILED');
  world.clock.advance(-1);
  expect(await verify(answer)).toBeNull();
});

test('nothing of a puzzle can be changed, and it cannot be made by anybody else', async () => {
  const good = await solved('register', holder('d'));
  const { parameters } = good.challenge;
  const changed = (change: object): Answer => ({
    ...good,
    challenge: { ...good.challenge, parameters: { ...parameters, ...change } },
  });
  for (const bad of [
    changed({ cost: 1 }),
    changed({ keyPrefix: '00' }),
    changed({ nonce: parameters.salt }),
    changed({ data: { ...parameters.data, until: world.clock.now() + 100 * MINUTE } }),
    changed({ data: { ...parameters.data, action: 'login' } }),
    changed({ keySignature: undefined }),
    changed({ algorithm: 'SHA-256' }),
    { ...good, solution: { ...good.solution, derivedKey: `${parameters.keyPrefix}${'0'.repeat(32)}` } },
    { ...good, solution: { counter: 0, derivedKey: '' } },
    { ...good, challenge: { parameters } },
    await solved('register', holder('d'), { signature: 'x'.repeat(43), key: 'y'.repeat(43) }),
  ]) {
    expect(await verify(sent(bad))).toBe('CHALLENGE_FAILED');
  }
  expect(await verify(sent(good))).toBeNull();
});

test.each([
  ['no base64', '%%%'],
  ['no JSON', Buffer.from('hello').toString('base64')],
  ['a list', sent([])],
  ['null', sent(null)],
  ['a giant', 'A'.repeat(8000)],
  ['prototype tricks', Buffer.from('{"__proto__":{"verified":true}}').toString('base64')],
])('the solution %s is refused', async (_, text) => expect(await verify(text)).toBe('CHALLENGE_FAILED'));

test('with the setting off nothing is asked, and old answers are forgotten in time', async () => {
  expect(await verify(sent(await solved('register', holder('d'))))).toBeNull();
  await world.uow.run((tx) => tx.challenge.forget(world.clock.now() + 11 * MINUTE, '', 10));
  expect(await world.db.sql('SELECT id FROM used_challenges')).toEqual([]);
  await world.settings.set(null, { challenge: 'off' });
  expect(await challenge().offer('register', holder('d'))).toEqual({ kind: 'off' });
  expect(await verify(undefined)).toBeNull();
});
