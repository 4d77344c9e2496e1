import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { SignedIn } from '#server/modules/kernel.ts';
import type { LinkProviderId } from '#shared/link-providers.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { codeOf } from '#tests/support/coins.ts';
import { LINK_KEYS } from '#tests/support/link-services.ts';
import { inviteWorld, rewardDecided, type InviteWorld } from '#tests/support/invites.ts';

let world: InviteWorld;
let ann: SignedIn;
beforeEach(async () => {
  world = await inviteWorld('sqlite', {});
  await world.setUpLinks();
  ann = await world.someone();
});
afterEach(() => world.close());

/** Begins a way and waits. Gives the token of the return address. */
async function walk(provider: LinkProviderId, ms = MINUTE): Promise<string> {
  const { url } = await world.links.start(ann, provider);
  world.clock.advance(ms);
  return world.tokenIn(url);
}
const finish = (claim: string, proof?: string) => world.links.finish(ann, { claim, proof });

test('T14 a proof that paid pays no other claim, however much later', async () => {
  await world.settings.set(null, {
    link_generic_check: 'https://standin.example/generic/check/{token}?key={key}',
    link_generic_key: LINK_KEYS.generic,
  });
  const proof = world.services.prove();
  await finish(await walk('generic'), proof);
  world.clock.advance(40 * DAY);
  await world.links.tidy();
  // The provider would take it again.
  const known = world.services.state.proofs.get(proof);
  if (known) known.spent = false;
  expect(await codeOf(finish(await walk('generic'), proof))).toBe('LINK_NOT_CONFIRMED');
  expect(await world.balance(ann)).toBe(100);
});

test('T52 a claim that came to nothing is forgotten after a month, one that paid is not', async () => {
  await finish(await walk('shareus'));
  await walk('linkpays', HOUR);
  await world.links.tidy();
  const states = () => world.db.sql<{ state: string }>('SELECT state FROM link_claims ORDER BY started_ms');
  expect((await states()).map(({ state }) => state)).toEqual(['paid', 'expired']);
  world.clock.advance(29 * DAY);
  await world.links.tidy();
  expect(await states()).toHaveLength(2);
  world.clock.advance(DAY + 1);
  await world.links.tidy();
  expect((await states()).map(({ state }) => state)).toEqual(['paid']);
});

test('what is kept for a time is forgotten after it', async () => {
  const token = await walk('linkvertise');
  expect(await codeOf(finish(token, 'f'.repeat(64)))).toBe('LINK_NOT_CONFIRMED');
  await finish(token, world.services.prove());
  const proofs = () => world.db.sql('SELECT * FROM link_proofs');
  world.clock.advance(23 * HOUR);
  await world.links.tidy();
  expect(await proofs()).toHaveLength(2);
  world.clock.advance(2 * HOUR);
  await world.links.tidy();
  // The one that paid is kept.
  expect(await proofs()).toHaveLength(1);
  await world.links.start(ann, 'shareus');
  world.clock.advance(31 * DAY);
  await world.links.tidy();
  expect(await world.db.sql('SELECT state, network FROM link_claims ORDER BY state')).toMatchObject([
    { state: 'expired' },
    { state: 'paid', network: null },
  ]);
  expect(await proofs()).toHaveLength(1);
});

test('a reward on hold is paid or rejected in the history as staff decide, and what is decided stays so', async () => {
  const emit = async (event: 'reward.released' | 'reward.rejected', reference: string) =>
    world.uow.run((tx) => world.events.emit(tx, event, rewardDecided(ann, reference)));
  const history = async () =>
    Object.fromEntries((await world.links.page(ann)).history.map(({ provider, state }) => [provider, state]));
  await finish(await walk('shareus'));
  await finish(await walk('linkpays'));
  await world.db.sql("UPDATE link_claims SET state = 'held'");
  const claims = await world.db.sql<{ id: string; provider: string }>('SELECT id, provider FROM link_claims');
  const referenceOf = (provider: string) => `link:${claims.find((claim) => claim.provider === provider)?.id}`;
  await emit('reward.released', referenceOf('shareus'));
  await emit('reward.rejected', referenceOf('linkpays'));
  expect(await history()).toEqual({ shareus: 'paid', linkpays: 'rejected' });
  await emit('reward.rejected', referenceOf('shareus'));
  await emit('reward.released', referenceOf('linkpays'));
  // Rewards of other sources, and of no claim.
  await emit('reward.rejected', `referral:${claims[0]?.id}:newcomer`);
  await emit('reward.rejected', `link:${crypto.randomUUID()}`);
  expect(await history()).toEqual({ shareus: 'paid', linkpays: 'rejected' });
});

test('E5 a claim that was open at a downtime gets exactly its length back', async () => {
  const { url } = await world.links.start(ann, 'shareus');
  const expiry = async () =>
    (await world.db.sql<{ expires_ms: number }>('SELECT expires_ms FROM link_claims'))[0]?.expires_ms ?? 0;
  const before = await expiry();
  const fromMs = world.clock.now() + MINUTE;
  await world.uow.run((tx) => world.events.emit(tx, 'installation.resumed', { fromMs, untilMs: fromMs + 3 * DAY }));
  expect(Number(await expiry())).toBe(Number(before) + 3 * DAY);
  world.clock.advance(3 * DAY + MINUTE);
  expect((await finish(world.tokenIn(url))).state).toBe('paid');
});
