import { afterEach, describe, expect, test } from 'bun:test';
import type { SignedIn } from '#server/modules/kernel.ts';
import type { ReviewPolicy } from '#server/modules/rewards/payout/index.ts';
import { DAY, HOUR } from '#shared/time.ts';
import { inviteWorld, type InviteWorld, rewardDecided } from '#tests/support/invites.ts';

let world: InviteWorld;
afterEach(() => world.close());

describe('who qualifies', () => {
  test('30 AFK minutes over several sessions, or a server that was ready, qualify, and less does not', async () => {
    world = await inviteWorld();
    const ann = await world.someone();
    const code = await world.codeOf(ann);
    const [idle, busy, host] = [await world.newcomer(code), await world.newcomer(code), await world.newcomer(code)];
    await world.afkMinutes(idle, 29);
    await world.afkMinutes(busy, 14);
    await world.afkMinutes(busy, 16);
    await world.db.sql(
      "INSERT INTO server_events (id, server_id, user_id, at_ms, code) VALUES ('e1', 's1', ?, 1, 'ready')",
      [host.actor.userId],
    );
    await world.checkReferralsAfter();
    expect(
      [await world.standing(idle), await world.standing(busy), await world.standing(host)].map(([state]) => state),
    ).toEqual(['pending', 'done', 'done']);
    expect((await world.referrals.page(idle, { offset: 0, limit: 1 })).own?.checks).toEqual({
      verified: true,
      age: true,
      active: false,
    });
  });

  test('newcomer and referrer need a confirmed address where addresses are confirmed', async () => {
    world = await inviteWorld();
    const { ann, bob } = await world.pair();
    world.verification.on = true;
    await world.db.sql('UPDATE users SET verified_ms = NULL');
    await world.checkReferralsAfter();
    expect(await world.standing(bob)).toEqual(['pending', null, 'open', 'open']);
    await world.db.sql('UPDATE users SET verified_ms = 1 WHERE id = ?', [bob.actor.userId]);
    await world.checkReferralsAfter();
    expect(await world.standing(bob)).toEqual(['qualified', 'unverified', 'paid', 'open']);
    await world.db.sql('UPDATE users SET verified_ms = 1 WHERE id = ?', [ann.actor.userId]);
    await world.checkReferralsAfter(HOUR);
    expect(await world.standing(bob)).toEqual(['done', null, 'paid', 'paid']);
  });

  test.each([
    ['user.verified', {}],
    ['server.ready', { serverId: 's1', name: 'A server', entryId: 'e1', address: '' }],
    ['afk.minutes_paid', { minutes: 30 }],
  ] as const)('the event %s has a referral checked before its time', async (event, payload) => {
    world = await inviteWorld();
    const bob = await world.newcomer(await world.codeOf(await world.someone()));
    await world.checkReferralsAfter(8 * DAY);
    await world.afkMinutes(bob, 30);
    world.clock.advance(HOUR);
    // After a week it is checked daily.
    expect(await world.referrals.checkDue()).toBe(0);
    await world.uow.run((tx) => world.events.emit(tx, event, { ...payload, userId: bob.actor.userId } as never));
    expect(await world.referrals.checkDue()).toBe(1);
    expect(await world.standing(bob)).toEqual(['done', null, 'paid', 'paid']);
  });

  test('T16 banned and deleted users are paid nothing', async () => {
    world = await inviteWorld();
    const cases = [
      ['newcomer', 'newcomer_gone', 'banned'],
      ['newcomer', 'newcomer_gone', 'deleted'],
      ['referrer', 'referrer_gone', 'banned'],
      ['referrer', 'referrer_gone', 'deleted'],
    ] as const;
    for (const [who, reason, status] of cases) {
      const { ann, bob } = await world.pair();
      await world.db.sql('UPDATE users SET status = ? WHERE id = ?', [
        status,
        (who === 'newcomer' ? bob : ann).actor.userId,
      ]);
      await world.checkReferralsAfter();
      expect(await world.standing(bob)).toEqual(['rejected', reason, 'open', 'open']);
      expect([await world.balance(ann), await world.balance(bob)]).toEqual([0, 0]);
    }
  });
});

describe('what stops a payment for now', () => {
  test('a spent budget is tried again the next day, and nothing is paid twice', async () => {
    world = await inviteWorld();
    await world.settings.set(null, { referral_daily_budget: 40 });
    const { ann, bob } = await world.pair();
    await world.checkReferralsAfter();
    expect(await world.standing(bob)).toEqual(['qualified', 'budget', 'paid', 'open']);
    await world.checkReferralsAfter(DAY);
    expect(await world.standing(bob)).toEqual(['done', null, 'paid', 'paid']);
    expect([await world.balance(bob), await world.balance(ann)]).toEqual([15, 35]);
  });

  test('who is banned between qualifying and payment is paid nothing, and the other side is paid', async () => {
    world = await inviteWorld();
    const { ann, bob } = await world.pair();
    await world.settings.set(null, { referral_daily_budget: 1 });
    await world.checkReferralsAfter(DAY);
    expect(await world.standing(bob)).toEqual(['qualified', 'budget', 'open', 'open']);
    await world.db.sql("UPDATE users SET status = 'banned' WHERE id = ?", [ann.actor.userId]);
    await world.settings.set(null, { referral_daily_budget: 0 });
    await world.checkReferralsAfter(HOUR);
    expect(await world.standing(bob)).toEqual(['done', 'referrer_gone', 'paid', 'refused']);
    expect([await world.balance(bob), await world.balance(ann)]).toEqual([15, 0]);
    // What was refused uses up none of the month.
    expect((await world.referrals.page(ann, { offset: 0, limit: 10 })).month).toBe(0);
  });

  test('a monthly maximum is checked again within the day, and a spent budget within the hour', async () => {
    world = await inviteWorld();
    await world.settings.set(null, { referral_monthly_max: 1 });
    const ann = await world.someone();
    const code = await world.codeOf(ann);
    const [bob, cal] = [await world.newcomer(code), await world.newcomer(code)];
    for (const each of [bob, cal]) await world.afkMinutes(each, 30);
    world.clock.advance(DAY);
    for (const each of [bob, cal]) await world.referrals.check(each.actor.userId);
    expect([await world.standing(bob), await world.standing(cal)]).toEqual([
      ['done', null, 'paid', 'paid'],
      ['qualified', 'monthly_max', 'paid', 'open'],
    ]);
    const next = async (who: SignedIn) => {
      const [row] = await world.db.sql<{ next_check_ms: number }>(
        'SELECT next_check_ms FROM referrals WHERE newcomer_id = ?',
        [who.actor.userId],
      );
      return (row?.next_check_ms ?? 0) - world.clock.now();
    };
    expect([await world.balance(ann), await next(cal)]).toEqual([35, 6 * HOUR]);
    await world.settings.set(null, { referral_monthly_max: 0, referral_daily_budget: 1 });
    await world.referrals.check(cal.actor.userId);
    expect([await world.standing(cal), await next(cal)]).toEqual([['qualified', 'budget', 'paid', 'open'], HOUR]);
    await world.settings.set(null, { referral_daily_budget: 0 });
    await world.referrals.check(cal.actor.userId);
    expect([await world.standing(cal), await world.balance(ann)]).toEqual([['done', null, 'paid', 'paid'], 70]);
  });

  test('the switch stops every decision and payment while it is off', async () => {
    world = await inviteWorld();
    const { ann, bob } = await world.pair();
    await world.settings.set(null, { referrals_enabled: false });
    await world.checkReferralsAfter();
    expect(await world.standing(bob)).toEqual(['pending', null, 'open', 'open']);
    expect(await world.kinds(await world.newcomer('nosuchcode'))).toEqual([]);
    await world.settings.set(null, { referrals_enabled: true });
    await world.checkReferralsAfter(HOUR);
    expect(await world.balance(ann)).toBe(35);
  });

  test('the switch stops the payment of a referral that has qualified before it was off', async () => {
    world = await inviteWorld();
    const { ann, bob } = await world.pair();
    await world.settings.set(null, { referral_daily_budget: 1 });
    await world.checkReferralsAfter(DAY);
    expect(await world.standing(bob)).toEqual(['qualified', 'budget', 'open', 'open']);
    await world.settings.set(null, { referral_daily_budget: 0, referrals_enabled: false });
    await world.checkReferralsAfter(HOUR);
    await world.referrals.check(bob.actor.userId);
    expect([await world.standing(bob), await world.balance(ann)]).toEqual([['qualified', 'budget', 'open', 'open'], 0]);
    await world.settings.set(null, { referrals_enabled: true });
    await world.checkReferralsAfter(HOUR);
    expect([await world.standing(bob), await world.balance(ann)]).toEqual([['done', null, 'paid', 'paid'], 35]);
  });

  test('an amount of nothing is no payment', async () => {
    world = await inviteWorld();
    await world.settings.set(null, { referral_newcomer_credits: 0 });
    const { ann, bob } = await world.pair();
    await world.checkReferralsAfter();
    expect(await world.standing(bob)).toEqual(['done', null, 'none', 'paid']);
    expect([await world.balance(bob), await world.balance(ann)]).toEqual([0, 35]);
  });

  test('a referral on hold for review is shown as such, then paid or refused as it was decided', async () => {
    const reviewPolicy: ReviewPolicy = {
      hold: async (_tx, { reference }) => ({ txId: `held ${reference}` }),
      cancel: async () => false,
    };
    world = await inviteWorld('sqlite', { reviewPolicy });
    const { ann, bob } = await world.pair();
    await world.checkReferralsAfter();
    expect(await world.standing(bob)).toEqual(['done', null, 'held', 'held']);
    expect([await world.kinds(bob), await world.balance(ann)]).toEqual([['referralNewcomerHeld'], 0]);
    const decide = (side: string, outcome: 'released' | 'rejected') =>
      world.uow.run((tx) =>
        world.events.emit(tx, `reward.${outcome}`, rewardDecided(bob, `referral:${bob.actor.userId}:${side}`)),
      );
    await decide('newcomer', 'released');
    expect(await world.standing(bob)).toEqual(['done', null, 'paid', 'held']);
    await decide('referrer', 'rejected');
    // What is decided stays so.
    await decide('referrer', 'released');
    expect(await world.standing(bob)).toEqual(['done', 'review', 'paid', 'refused']);
    const other = await world.pair();
    await world.checkReferralsAfter();
    for (const [side, outcome] of [
      ['newcomer', 'rejected'],
      ['referrer', 'released'],
    ] as const)
      await world.uow.run((tx) =>
        world.events.emit(
          tx,
          `reward.${outcome}`,
          rewardDecided(other.bob, `referral:${other.bob.actor.userId}:${side}`),
        ),
      );
    // Only what becomes of the referrer's reward is a reason that the referrer sees.
    expect(await world.standing(other.bob)).toEqual(['done', null, 'refused', 'paid']);
  });
});

test('T16 nobody is paid where the newcomer registered from the referrer’s network and left it since', async () => {
  world = await inviteWorld();
  const [ann, bob] = [await world.someone(), await world.someone(0)];
  const referral = await world.codeOf(ann);
  await world.uow.run((tx) =>
    world.referrals.addReferral(tx, { userId: bob.actor.userId, referral, address: ann.address }),
  );
  await world.afkMinutes(bob, 30);
  await world.checkReferralsAfter();
  expect(await world.standing(bob)).toEqual(['rejected', 'shared_address', 'open', 'open']);
  expect([await world.balance(bob), await world.balance(ann)]).toEqual([0, 0]);
});
