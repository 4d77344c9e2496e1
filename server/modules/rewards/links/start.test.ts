import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { SignedIn } from '#server/modules/kernel.ts';
import { HOUR, MINUTE, SECOND } from '#shared/time.ts';
import { codeOf, coinWorld, keyed, nth, type CoinWorld } from '#tests/support/coins.ts';
import { testSealer } from '#tests/support/sealing.ts';
import { createLinks } from './index.ts';

// Behaviour 4.5: how a way begins, and what comes of the one before.

const FAILED = { failed: 'unavailable', answer: 'maintenance' } as const;
let world: CoinWorld;
let ann: SignedIn;
let links: ReturnType<typeof createLinks>;
/** Return addresses that links were made for. */
let targets: string[];
let answers: (typeof FAILED | null)[];
/** What runs before each of the next transactions. */
let before: (() => unknown)[];

beforeEach(async () => {
  world = await coinWorld();
  ann = await world.person();
  [targets, answers, before] = [[], [], []];
  links = createLinks({
    ...world,
    uow: {
      ...world.uow,
      run: async (work) => {
        const [first, ...others] = before;
        before = others;
        await first?.();
        return world.uow.run(work);
      },
    },
    log: world.db.log,
    sealer: testSealer,
    appUrl: () => 'https://panel.example.com',
    providers: {
      of: () => ({
        ready: true,
        proves: false,
        name: 'Sponsor',
        isProof: () => false,
        createLink: async ({ target }) => {
          targets.push(target);
          return answers.shift() ?? { url: `https://sponsor.example/${targets.length}`, answer: '' };
        },
        check: () => Promise.reject(new Error('not asked in these tests')),
      }),
    },
  });
  await world.settings.set(null, {
    link_shareus_enabled: true,
    link_shareus_min_seconds: 30,
    link_shareus_max_minutes: 60,
    link_shareus_cooldown_minutes: 60,
  });
});
afterEach(() => world.close());

const pass = () => undefined;
const start = (ctx = ann) => links.start(ctx, 'shareus');
const claims = () =>
  world.db.sql<{ id: string; state: string; token_sealed: string | null; closed_ms: number | null }>(
    'SELECT id, state, token_sealed, closed_ms FROM link_claims ORDER BY started_ms',
  );

test('a way that is open goes on at its link, which is not made again, until it is over to the millisecond', async () => {
  const shown = async () => (await links.page(ann)).offers.find(({ id }) => id === 'shareus')?.open;
  const begunMs = world.clock.now();
  const first = await start();
  expect(first.url).toBe('https://sponsor.example/1');
  world.clock.advance(HOUR - 1);
  expect(await start()).toEqual(first);
  expect(await shown()).toEqual({ url: first.url, readyMs: begunMs + 30 * SECOND, expiresMs: begunMs + HOUR });
  world.clock.advance(1);
  expect(await shown()).toBeNull();
  const second = await start();
  expect([second.claimId === first.claimId, second.url]).toEqual([false, 'https://sponsor.example/2']);
  expect(await claims()).toMatchObject([
    { id: first.claimId, state: 'expired', token_sealed: null, closed_ms: world.clock.now() },
    { id: second.claimId, state: 'open' },
  ]);
  expect(new Set(targets).size).toBe(2);
});

test('a key whose way is over is refused, and one whose way is open gives it again', async () => {
  const ctx = keyed(ann, 'start-key-1');
  const first = await start(ctx);
  expect(await start(ctx)).toEqual(first);
  world.clock.advance(HOUR);
  expect(await codeOf(start(ctx))).toBe('LINK_CLAIM_OVER');
});

test('a link that its provider does not make is written down, logged, and asked for again at once', async () => {
  answers = [FAILED];
  expect(await codeOf(start())).toBe('LINK_PROVIDER_FAILED');
  expect(await world.db.sql('SELECT answer, checking_ms FROM link_claims')).toEqual([
    { answer: 'maintenance', checking_ms: null },
  ]);
  expect(world.db.log.lines.at(-1)).toMatchObject({
    event: 'link.way_failed',
    fields: { provider: 'shareus', why: 'unavailable' },
  });
  expect((await start()).url).toBe('https://sponsor.example/2');
  expect(new Set(targets).size).toBe(1);
});

test('a link that cannot be kept is not given out, nor a failure that cannot be written down', async () => {
  const fail = () => {
    throw new Error('the disk is full');
  };
  before = [pass, pass, fail];
  await expect(start()).rejects.toThrow('the disk is full');
  world.clock.advance(MINUTE);
  answers = [FAILED];
  before = [pass, pass, fail];
  await expect(start()).rejects.toThrow('the disk is full');
});

test('a second request meanwhile is busy for fifteen seconds', async () => {
  let busy: string | null = null;
  before = [pass, pass, async () => (busy = await codeOf(start()))];
  await start();
  expect(busy as string | null).toBe('LINK_BUSY');
});

test('the time to wait after a reward is at least a second, and the whole seconds until the next way', async () => {
  const { claimId } = await start();
  world.clock.advance(MINUTE);
  await links.finish(ann, { claim: new URL(nth(targets, 0)).searchParams.get('claim') ?? '' });
  for (const [leftMs, retryAfterS] of [
    [HOUR, 3600],
    [1500, 2],
    [SECOND, 1],
    [1, 1],
  ] as const) {
    const rewardedMs = world.clock.now() - HOUR + leftMs;
    await world.db.sql('UPDATE link_claims SET closed_ms = ? WHERE id = ?', [rewardedMs, claimId]);
    const refused = await start().catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'LINK_COOLDOWN', retryAfterS });
  }
});

test('the page says that the budget of the day is spent from its last credit on, and never without a budget', async () => {
  await start();
  world.clock.advance(MINUTE);
  await links.finish(ann, { claim: new URL(nth(targets, 0)).searchParams.get('claim') ?? '' });
  const { link_shareus_credits: credits } = world.settings.current();
  for (const [budget, spent] of [
    [0, false],
    [1, true],
    [credits, true],
    [credits + 1, false],
  ] as const) {
    await world.settings.set(null, { link_daily_budget: budget });
    expect([budget, (await links.page(ann)).budgetSpent]).toEqual([budget, spent]);
  }
});
