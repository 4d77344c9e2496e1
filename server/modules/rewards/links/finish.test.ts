import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { SignedIn } from '#server/modules/kernel.ts';
import { HOUR, MINUTE, SECOND } from '#shared/time.ts';
import { codeOf, coinWorld, type CoinWorld } from '#tests/support/coins.ts';
import { testSealer } from '#tests/support/sealing.ts';
import { createLinks } from './index.ts';

// Behaviour 4.5: what happens to a claim while its provider is asked.

let world: CoinWorld;
let ann: SignedIn;
let links: ReturnType<typeof createLinks>;
/** Runs while the provider thinks; then it says yes. */
let meanwhile: () => Promise<unknown>;
let target = '';
/** What the provider says, and what runs before each of the next transactions. */
let verdict: 'yes' | 'no' | 'unknown';
let before: (() => unknown)[];

beforeEach(async () => {
  world = await coinWorld();
  ann = await world.person();
  meanwhile = async () => undefined;
  [verdict, before] = ['yes', []];
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
        proves: true,
        name: 'Sponsor',
        isProof: (text) => text.startsWith('proof'),
        createLink: async (visit) => ((target = visit.target), { url: 'https://sponsor.example/', answer: '' }),
        check: async () => (await meanwhile(), { result: verdict, answer: '' }),
      }),
    },
  });
  await world.settings.set(null, { link_linkvertise_enabled: true, link_linkvertise_max_minutes: 60 });
});
afterEach(() => world.close());

/** Begins a way and waits. Gives the token of the return address. */
async function walk(): Promise<string> {
  await links.start(ann, 'linkvertise');
  world.clock.advance(5 * MINUTE);
  return new URL(target).searchParams.get('claim') ?? '';
}
const finish = (claim: string, proof: string) => links.finish(ann, { claim, proof });

test('a claim that ran out while its provider was asked pays nothing', async () => {
  const claim = await walk();
  meanwhile = async () => world.clock.advance(HOUR);
  expect(await codeOf(finish(claim, 'proof-1'))).toBe('LINK_CLAIM_OVER');
  expect(await world.balance(ann)).toBe(0);
});

test('a claim finished by another request while its provider was asked pays once, and the slower is refused', async () => {
  const claim = await walk();
  let again = true;
  meanwhile = async () => {
    if (!again) return;
    again = false;
    expect(await codeOf(finish(claim, 'proof-2'))).toBe('LINK_BUSY');
    world.clock.advance(16 * SECOND);
    expect((await finish(claim, 'proof-3')).state).toBe('paid');
  };
  expect(await codeOf(finish(claim, 'proof-1'))).toBe('LINK_CLAIM_USED');
  expect(await world.balance(ann)).toBe(world.settings.current().link_linkvertise_credits);
});

test('a claim whose reward met a spent budget can be finished again at once', async () => {
  const claim = await walk();
  meanwhile = () => world.settings.set(null, { link_daily_budget: 1 });
  expect(await codeOf(finish(claim, 'proof-1'))).toBe('BUDGET_SPENT');
  meanwhile = async () => undefined;
  await world.settings.set(null, { link_daily_budget: 0 });
  expect((await finish(claim, 'proof-2')).state).toBe('paid');
  expect(await codeOf(finish(claim, 'proof-4'))).toBe('LINK_CLAIM_USED');
});

test('an outcome that cannot be written down is an error of ours, and the claim can be finished afterwards', async () => {
  const claim = await walk();
  const pass = () => undefined;
  const fail = () => {
    throw new Error('the disk is full');
  };
  for (const said of ['no', 'unknown'] as const) {
    verdict = said;
    before = [pass, fail];
    await expect(finish(claim, `proof-${said}`)).rejects.toThrow('the disk is full');
    world.clock.advance(16 * SECOND);
  }
  verdict = 'yes';
  meanwhile = () => world.settings.set(null, { link_daily_budget: 1 });
  // The reward is refused, and then the claim cannot be freed.
  before = [pass, pass, fail];
  await expect(finish(claim, 'proof-1')).rejects.toThrow('the disk is full');
  world.clock.advance(16 * SECOND);
  meanwhile = async () => undefined;
  await world.settings.set(null, { link_daily_budget: 0 });
  expect((await finish(claim, 'proof-2')).state).toBe('paid');
});
