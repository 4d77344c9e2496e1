import { afterEach, beforeEach, expect, test } from 'bun:test';
import { DEFAULT_PRIVACY } from '#shared/profile.ts';
import { DAY, MINUTE } from '#shared/time.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 4.7.

let h: Harness;
let ann: Person;
let bob: Person;
beforeEach(async () => {
  h = await openHarness();
  ann = await h.person('ann');
  bob = await h.person('bob');
});
afterEach(() => h.close());

const places = async (who: Person) => (await who.api.dashboard.get()).early_supporters;
const profile = (viewer: Person) => viewer.api.profiles.get({ params: { id: ann.id } });
/** Ann had a server that was installed, and her account gets old enough. */
async function settleIn(): Promise<void> {
  await h.db.sql("INSERT INTO server_events (id, server_id, user_id, at_ms, code) VALUES ('e', 's', ?, 1, 'ready')", [
    ann.id,
  ]);
  h.clock.advance(DAY);
  await h.drainJobs();
}

test('the dashboard says how many places are left, and what is missing for one', async () => {
  expect(await places(ann)).toBeNull();
  await h.set({ early_supporters_enabled: true, early_supporters_count: 2 });
  expect(await places(ann)).toEqual({
    left: 2,
    count: 2,
    credits: 100,
    state: 'pending',
    reason: null,
    terms: { min_age_hours: 24, afk_minutes: 30, verification: false },
    checks: { verified: true, age: false, active: false },
  });
  await settleIn();
  expect(await places(bob)).toMatchObject({ left: 1, state: 'pending', checks: { age: true, active: false } });
  expect(await places(ann)).toMatchObject({ left: 1, state: 'paid', checks: null });
  expect(await h.balance(ann.id)).toBe(100);
  const { statement } = await ann.api.dashboard.get();
  expect(statement).toMatchObject([{ kind: 'reward.early_supporters', amount: 100 }]);
  expect((await ann.api.notifications.list()).notifications).toMatchObject([
    { kind: 'earlySupporterPaid', data: { cost: 100 } },
  ]);
});

test('the badge is on the profile of who was paid, for as long as they show it, and stays when the feature is off', async () => {
  await h.set({ early_supporters_enabled: true });
  expect(await profile(bob)).toMatchObject({ supporter: false });
  expect(await ann.api.profiles.privacy()).toMatchObject({ supporter: false });
  await settleIn();
  await h.set({ early_supporters_enabled: false });
  expect(await profile(bob)).toMatchObject({ supporter: true });
  expect(await ann.api.profiles.privacy()).toMatchObject({ supporter: true });
  const fields = DEFAULT_PRIVACY.fields.filter((field) => field !== 'supporter');
  await ann.api.profiles.setPrivacy({ body: { ...DEFAULT_PRIVACY, fields } });
  expect(await profile(bob)).toMatchObject({ supporter: null });
  expect(await profile(ann)).toMatchObject({ supporter: null });
});

test('staff stop the source and start it again like every other one', async () => {
  const staff = await h.person('owner', { permissions: ['admin.root'] });
  const switchTo = (enabled: boolean) =>
    staff.api.adminEconomy.setEnabled({ body: { source: 'early_supporters', enabled } });
  await switchTo(true);
  expect((await places(ann))?.left).toBe(100);
  await switchTo(false);
  await settleIn();
  expect([await places(ann), await h.balance(ann.id)]).toEqual([null, 0]);
  await switchTo(true);
  h.clock.advance(MINUTE);
  await h.drainJobs();
  expect(await h.balance(ann.id)).toBe(100);
});
