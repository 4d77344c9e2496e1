import { afterEach, beforeEach, expect, test } from 'bun:test';
import { DAY } from '#shared/time.ts';
import { proveLedger } from '#tests/support/db.ts';
import { openLinking, type Linking } from '#tests/support/discord/linking.ts';
import type { Person } from '#tests/support/harness.ts';

let h: Linking;
let ann: Person;
let reviewer: Person;
let leave: () => Promise<void>;
beforeEach(async () => {
  h = await openLinking();
  // Everything about these people is suspicious.
  await h.set({ abuse_threshold: 1, abuse_disposable_domains: 'example.com' });
  ann = await h.person('ann', { credits: 100 });
  reviewer = await h.person('reviewer', { permissions: ['admin.rewards.held.list', 'admin.rewards.held.edit'] });
  const vlad = h.discord.person('vlad');
  await h.link(ann, vlad.id);
  const { id, guildId } = await h.entry();
  h.discord.join(vlad.id, guildId);
  expect(await ann.api.j4r.claim({ params: { id } })).toMatchObject({ state: 'held', credits: 45, balance: 100 });
  leave = async () => {
    h.discord.leave(vlad.id, guildId);
    await h.pass(DAY);
  };
});
afterEach(() => h.close());

const card = async () => (await ann.api.j4r.page()).servers[0];
async function decide(decision: 'release' | 'reject'): Promise<void> {
  const { rows } = await reviewer.api.adminHeldRewards.list();
  await reviewer.api.adminHeldRewards.decide({ params: { id: rows[0]?.id ?? '' }, body: { decision } });
}

test('a reward in review is shown as such, and an approved one is theirs like any other', async () => {
  expect(await card()).toMatchObject({ state: 'held' });
  await decide('release');
  expect([await h.balance(ann.id), await card()]).toMatchObject([145, { state: 'vesting' }]);
  await leave();
  expect([await h.balance(ann.id), await card()]).toMatchObject([100, { state: 'left', taken: 45 }]);
});

test('T15 who leaves meanwhile loses it whole out of the review, and the wallet is left alone', async () => {
  await leave();
  expect([await h.balance(ann.id), await card()]).toMatchObject([100, { state: 'left', taken: 45 }]);
  expect((await reviewer.api.adminHeldRewards.list({ query: { state: 'open' } })).rows).toEqual([]);
  await proveLedger(h.db.uow);
});

test('what was refused in review takes nothing from the wallet, as it never was in it', async () => {
  await decide('reject');
  expect(await card()).toMatchObject({ state: 'rejected' });
  await leave();
  expect([await h.balance(ann.id), await card()]).toMatchObject([100, { state: 'left', taken: 0 }]);
});
