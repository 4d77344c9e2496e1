import { afterEach, describe, expect, test } from 'bun:test';
import type { SignedIn } from '#server/modules/kernel.ts';
import type { ReviewPolicy } from '#server/modules/rewards/payout/index.ts';
import { toCredits } from '#shared/credits.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { nth } from '#tests/support/coins.ts';
import { Crash, crashing, type CrashingUow } from '#tests/support/crash.ts';
import { ENGINES } from '#tests/support/db.ts';
import { inviteWorld, type InviteWorld, rewardDecided } from '#tests/support/invites.ts';
import type { ReferralReason } from './ports.ts';

let world: InviteWorld;
afterEach(() => world.close());

const rowOf = async ({ actor }: SignedIn) => {
  const row = await world.uow.read((tx) => tx.referrals.of(actor.userId));
  if (!row) throw new Error('nobody brought them');
  return row;
};
const standing = async (newcomer: SignedIn) => {
  const { state, reason, newcomer: own, referrer } = await rowOf(newcomer);
  return [state, reason, own.state, referrer.state];
};
/** Ann, and Bob who came by her and has settled in but for the time that has to pass. */
async function pair() {
  const ann = await world.someone();
  const bob = await world.newcomer(await world.codeOf(ann));
  await world.afkMinutes(bob, 30);
  return { ann, bob };
}

describe.each([...ENGINES])('referrals on %s', (engine) => {
  test('a newcomer who qualifies is paid, and so is who brought them', async () => {
    world = await inviteWorld(engine);
    const { ann, bob } = await pair();
    await world.checkReferralsAfter(DAY - 1);
    expect(await standing(bob)).toEqual(['pending', null, 'open', 'open']);
    await world.checkReferralsAfter(HOUR);
    expect(await standing(bob)).toEqual(['done', null, 'paid', 'paid']);
    expect([await world.balance(bob), await world.balance(ann)]).toEqual([15, 35]);
    const rows = await world.db.sql('SELECT reference FROM ledger_transactions ORDER BY reference');
    expect(rows).toEqual([
      { reference: `referral:${bob.actor.userId}:newcomer` },
      { reference: `referral:${bob.actor.userId}:referrer` },
    ]);
    expect([await world.kinds(bob), await world.kinds(ann)]).toEqual([
      ['referralNewcomerPaid'],
      ['referralReferrerPaid'],
    ]);
    const page = await world.referrals.page(ann, { offset: 0, limit: 10 });
    expect(page).toMatchObject({ totals: { invited: 1, paid: 1, credits: 35 }, month: 1, own: null });
    expect(Object.keys(nth(page.list, 0)).sort()).toEqual([
      'createdMs',
      'newcomerId',
      'reason',
      'referrer',
      'state',
      'username',
    ]);
    expect((await rowOf(bob)).network).toBeNull();
  });

  test('T16 a referral that is checked fifty times at once pays once', async () => {
    world = await inviteWorld(engine);
    const { ann, bob } = await pair();
    world.clock.advance(DAY);
    await Promise.all(Array.from({ length: 50 }, () => world.referrals.check(bob.actor.userId)));
    expect([await world.balance(bob), await world.balance(ann)]).toEqual([15, 35]);
    expect(await standing(bob)).toEqual(['done', null, 'paid', 'paid']);
  });

  test('T16 fifty newcomers of one referrer at once are paid twenty in the month and twenty more in the next', async () => {
    world = await inviteWorld(engine);
    const ann = await world.someone();
    const code = await world.codeOf(ann);
    const people = await Promise.all(Array.from({ length: 50 }, () => world.newcomer(code)));
    for (const person of people) await world.afkMinutes(person, 30);
    world.clock.advance(DAY);
    await Promise.all(people.map((person) => world.referrals.check(person.actor.userId)));
    expect(await world.balance(ann)).toBe(20 * 35);
    const own = await Promise.all(people.map(world.balance));
    expect(own.every((credits) => credits === 15)).toBe(true);
    const states = await Promise.all(people.map(standing));
    expect(states.filter(([state]) => state === 'done')).toHaveLength(20);
    expect(states.filter(([state, reason]) => state === 'qualified' && reason === 'monthly_max')).toHaveLength(30);
    await world.checkReferralsAfter(31 * DAY);
    expect(await world.balance(ann)).toBe(40 * 35);
    await world.checkReferralsAfter(31 * DAY);
    expect(await world.balance(ann)).toBe(50 * 35);
  });

  test('T16 a code by fifty registrations of the same account at once is one referral', async () => {
    world = await inviteWorld(engine);
    const ann = await world.someone();
    const [code, other] = [await world.codeOf(ann), await world.codeOf(await world.someone())];
    const bob = await world.someone(0);
    const join = (index: number) =>
      world.uow.run((tx) =>
        world.referrals.addReferral(tx, {
          userId: bob.actor.userId,
          referral: index % 2 ? code : other,
          address: bob.address,
        }),
      );
    await Promise.all(Array.from({ length: 50 }, (_, index) => join(index)));
    expect(await world.db.sql('SELECT newcomer_id FROM referrals')).toHaveLength(1);
    expect(await world.db.sql('SELECT user_id FROM referral_codes WHERE user_id = ?', [bob.actor.userId])).toHaveLength(
      1,
    );
  });

  test('T16 nobody is paid where both share a device, a linked account, or an address', async () => {
    world = await inviteWorld(engine);
    const cases: readonly [ReferralReason, (ann: SignedIn, bob: SignedIn) => Promise<unknown>][] = [
      [
        'shared_device',
        async (ann, bob) => {
          for (const each of [ann, bob])
            await world.uow.run((tx) =>
              tx.identity.recordDevice(each.actor.userId, `device of ${ann.actor.userId}`, 1),
            );
        },
      ],
      ['shared_identity', async (ann, bob) => world.shared.set(bob.actor.userId, [ann.actor.userId])],
      [
        'shared_address',
        async (ann, bob) =>
          world.db.sql('UPDATE sessions SET address = ? WHERE user_id = ?', [ann.address, bob.actor.userId]),
      ],
      // The one who was logged in there has logged out: what they did there is still in the audit log.
      [
        'shared_address',
        async (ann, bob) => {
          await world.db.sql(
            "INSERT INTO audit (id, at_ms, actor_id, action, address) VALUES (?, ?, ?, 'account.logout', ?)",
            [world.ids.uuid(), world.clock.now(), ann.actor.userId, bob.address],
          );
          await world.db.sql('DELETE FROM sessions WHERE user_id = ?', [ann.actor.userId]);
        },
      ],
      // Of several addresses one in common is enough.
      [
        'shared_address',
        async (ann, bob) =>
          world.db.sql("INSERT INTO audit (id, at_ms, actor_id, action, address) VALUES (?, ?, ?, 'auth.login', ?)", [
            world.ids.uuid(),
            world.clock.now(),
            ann.actor.userId,
            bob.address,
          ]),
      ],
      // Of an IPv6 address the network counts.
      [
        'shared_address',
        async (ann, bob) => {
          await world.db.sql('UPDATE sessions SET address = ? WHERE user_id = ?', [
            '2001:db8:1:2::1',
            ann.actor.userId,
          ]);
          await world.db.sql('UPDATE sessions SET address = ? WHERE user_id = ?', [
            '2001:db8:1:2:aaaa::9',
            bob.actor.userId,
          ]);
        },
      ],
    ];
    for (const [reason, share] of cases) {
      const { ann, bob } = await pair();
      await share(ann, bob);
      await world.checkReferralsAfter();
      expect(await standing(bob)).toEqual(['rejected', reason, 'open', 'open']);
      expect(await world.balance(ann)).toBe(0);
    }
  });
});

test('T16 nobody is paid where the newcomer registered from the referrer’s network and only ever came from elsewhere since', async () => {
  world = await inviteWorld();
  const [ann, bob] = [await world.someone(), await world.someone(0)];
  const referral = await world.codeOf(ann);
  await world.uow.run((tx) =>
    world.referrals.addReferral(tx, { userId: bob.actor.userId, referral, address: ann.address }),
  );
  await world.afkMinutes(bob, 30);
  await world.checkReferralsAfter();
  expect(await standing(bob)).toEqual(['rejected', 'shared_address', 'open', 'open']);
  expect([await world.balance(bob), await world.balance(ann)]).toEqual([0, 0]);
});

describe('a code', () => {
  test('T16 a code that is unknown, of a deleted or banned user, or none lets registering go on, and the newcomer is notified', async () => {
    world = await inviteWorld();
    const [gone, banned] = [await world.someone(), await world.someone()];
    const codes = [
      await world.codeOf(gone),
      await world.codeOf(banned),
      'nosuchcode',
      'user:1',
      "' OR 1=1 --",
      'x'.repeat(2000),
    ];
    await world.db.sql("UPDATE users SET status = 'deleted' WHERE id = ?", [gone.actor.userId]);
    await world.db.sql("UPDATE users SET status = 'banned' WHERE id = ?", [banned.actor.userId]);
    for (const code of codes) {
      const newcomer = await world.newcomer(code);
      expect(await world.uow.read((tx) => tx.referrals.of(newcomer.actor.userId))).toBeNull();
      expect(await world.kinds(newcomer)).toEqual(['referralUnknown']);
      expect(await world.referrals.checkCode(code)).toBe('unknown');
    }
    expect(await world.kinds(await world.newcomer('  '))).toEqual([]);
    const notifiedCode = async (code: string) =>
      (await world.notifications.list((await world.newcomer(code)).actor.userId)).rows[0]?.data.code;
    expect([await notifiedCode('  nosuchcode '), await notifiedCode(`a${'b'.repeat(60)}`)]).toEqual([
      'nosuchcode',
      `a${'b'.repeat(39)}`,
    ]);
  });

  test('a referral is checked for the first time after an hour', async () => {
    world = await inviteWorld();
    await world.newcomer(await world.codeOf(await world.someone()));
    world.clock.advance(HOUR - 1);
    expect(await world.referrals.checkDue()).toBe(0);
    world.clock.advance(1);
    expect(await world.referrals.checkDue()).toBe(1);
  });

  test('a code is the same however it is typed, random, and one a user', async () => {
    world = await inviteWorld();
    const ann = await world.someone();
    const codes = await Promise.all(Array.from({ length: 50 }, () => world.codeOf(ann)));
    expect(new Set(codes).size).toBe(1);
    const code = nth(codes, 0);
    expect(code).toMatch(/^[2-9a-hjkmnp-z]{8}$/);
    expect(await world.referrals.checkCode(` ${code.slice(0, 4).toUpperCase()}-${code.slice(4)} `)).toBe('known');
    expect(await rowOf(await world.newcomer(code.toUpperCase()))).toMatchObject({ referrerId: ann.actor.userId });
    expect(await world.codeOf(await world.someone())).not.toBe(code);
  });

  test('T16 a code of one’s own, and one that leads back to oneself, pay nobody', async () => {
    world = await inviteWorld();
    const ann = await world.someone();
    const join = (ctx: SignedIn, code: string) =>
      world.uow.run((tx) =>
        world.referrals.addReferral(tx, { userId: ctx.actor.userId, referral: code, address: ctx.address }),
      );
    await join(ann, await world.codeOf(ann));
    expect(await world.uow.read((tx) => tx.referrals.of(ann.actor.userId))).toBeNull();
    const bob = await world.newcomer(await world.codeOf(ann));
    const cleo = await world.newcomer(await world.codeOf(bob));
    await join(ann, await world.codeOf(cleo));
    for (const each of [ann, bob, cleo]) await world.afkMinutes(each, 30);
    await world.checkReferralsAfter();
    for (const each of [ann, bob, cleo]) {
      expect(await standing(each)).toEqual(['rejected', 'circular', 'open', 'open']);
      expect(await world.balance(each)).toBe(0);
    }
  });
});

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
    expect([await standing(idle), await standing(busy), await standing(host)].map(([state]) => state)).toEqual([
      'pending',
      'done',
      'done',
    ]);
    expect((await world.referrals.page(idle, { offset: 0, limit: 1 })).own?.checks).toEqual({
      verified: true,
      age: true,
      active: false,
    });
  });

  test('newcomer and referrer need a confirmed address where addresses are confirmed', async () => {
    world = await inviteWorld();
    const { ann, bob } = await pair();
    world.verification.on = true;
    await world.db.sql('UPDATE users SET verified_ms = NULL');
    await world.checkReferralsAfter();
    expect(await standing(bob)).toEqual(['pending', null, 'open', 'open']);
    await world.db.sql('UPDATE users SET verified_ms = 1 WHERE id = ?', [bob.actor.userId]);
    await world.checkReferralsAfter();
    expect(await standing(bob)).toEqual(['qualified', 'unverified', 'paid', 'open']);
    await world.db.sql('UPDATE users SET verified_ms = 1 WHERE id = ?', [ann.actor.userId]);
    await world.checkReferralsAfter(HOUR);
    expect(await standing(bob)).toEqual(['done', null, 'paid', 'paid']);
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
    expect(await standing(bob)).toEqual(['done', null, 'paid', 'paid']);
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
      const { ann, bob } = await pair();
      await world.db.sql('UPDATE users SET status = ? WHERE id = ?', [
        status,
        (who === 'newcomer' ? bob : ann).actor.userId,
      ]);
      await world.checkReferralsAfter();
      expect(await standing(bob)).toEqual(['rejected', reason, 'open', 'open']);
      expect([await world.balance(ann), await world.balance(bob)]).toEqual([0, 0]);
    }
  });
});

describe('what stops a payment for now', () => {
  test('a spent budget is tried again the next day, and nothing is paid twice', async () => {
    world = await inviteWorld();
    await world.settings.set(null, { referral_daily_budget: 40 });
    const { ann, bob } = await pair();
    await world.checkReferralsAfter();
    expect(await standing(bob)).toEqual(['qualified', 'budget', 'paid', 'open']);
    await world.checkReferralsAfter(DAY);
    expect(await standing(bob)).toEqual(['done', null, 'paid', 'paid']);
    expect([await world.balance(bob), await world.balance(ann)]).toEqual([15, 35]);
  });

  test('who is banned between qualifying and payment is paid nothing, and the other side is paid all the same', async () => {
    world = await inviteWorld();
    const { ann, bob } = await pair();
    await world.settings.set(null, { referral_daily_budget: 1 });
    await world.checkReferralsAfter(DAY);
    expect(await standing(bob)).toEqual(['qualified', 'budget', 'open', 'open']);
    await world.db.sql("UPDATE users SET status = 'banned' WHERE id = ?", [ann.actor.userId]);
    await world.settings.set(null, { referral_daily_budget: 0 });
    await world.checkReferralsAfter(HOUR);
    expect(await standing(bob)).toEqual(['done', 'referrer_gone', 'paid', 'refused']);
    expect([await world.balance(bob), await world.balance(ann)]).toEqual([15, 0]);
    // What was refused uses up none of the month.
    expect((await world.referrals.page(ann, { offset: 0, limit: 10 })).month).toBe(0);
  });

  test('a monthly maximum of one pays one, is checked again within the day, and a spent budget within the hour', async () => {
    world = await inviteWorld();
    await world.settings.set(null, { referral_monthly_max: 1 });
    const ann = await world.someone();
    const code = await world.codeOf(ann);
    const [bob, cal] = [await world.newcomer(code), await world.newcomer(code)];
    for (const each of [bob, cal]) await world.afkMinutes(each, 30);
    world.clock.advance(DAY);
    for (const each of [bob, cal]) await world.referrals.check(each.actor.userId);
    expect([await standing(bob), await standing(cal)]).toEqual([
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
    expect([await standing(cal), await next(cal)]).toEqual([['qualified', 'budget', 'paid', 'open'], HOUR]);
    await world.settings.set(null, { referral_daily_budget: 0 });
    await world.referrals.check(cal.actor.userId);
    expect([await standing(cal), await world.balance(ann)]).toEqual([['done', null, 'paid', 'paid'], 70]);
  });

  test('the switch stops every decision and payment while it is off', async () => {
    world = await inviteWorld();
    const { ann, bob } = await pair();
    await world.settings.set(null, { referrals_enabled: false });
    await world.checkReferralsAfter();
    expect(await standing(bob)).toEqual(['pending', null, 'open', 'open']);
    expect(await world.kinds(await world.newcomer('nosuchcode'))).toEqual([]);
    await world.settings.set(null, { referrals_enabled: true });
    await world.checkReferralsAfter(HOUR);
    expect(await world.balance(ann)).toBe(35);
  });

  test('the switch stops the payment of a referral that has qualified before it was off', async () => {
    world = await inviteWorld();
    const { ann, bob } = await pair();
    await world.settings.set(null, { referral_daily_budget: 1 });
    await world.checkReferralsAfter(DAY);
    expect(await standing(bob)).toEqual(['qualified', 'budget', 'open', 'open']);
    await world.settings.set(null, { referral_daily_budget: 0, referrals_enabled: false });
    await world.checkReferralsAfter(HOUR);
    await world.referrals.check(bob.actor.userId);
    expect([await standing(bob), await world.balance(ann)]).toEqual([['qualified', 'budget', 'open', 'open'], 0]);
    await world.settings.set(null, { referrals_enabled: true });
    await world.checkReferralsAfter(HOUR);
    expect([await standing(bob), await world.balance(ann)]).toEqual([['done', null, 'paid', 'paid'], 35]);
  });

  test('an amount of nothing is no payment', async () => {
    world = await inviteWorld();
    await world.settings.set(null, { referral_newcomer_credits: 0 });
    const { ann, bob } = await pair();
    await world.checkReferralsAfter();
    expect(await standing(bob)).toEqual(['done', null, 'none', 'paid']);
    expect([await world.balance(bob), await world.balance(ann)]).toEqual([0, 35]);
  });

  test('a referral on hold for review is shown as such, then paid or refused as it was decided', async () => {
    const reviewPolicy: ReviewPolicy = {
      hold: async (_tx, { reference }) => ({ txId: `held ${reference}` }),
      cancel: async () => false,
    };
    world = await inviteWorld('sqlite', { reviewPolicy });
    const { ann, bob } = await pair();
    await world.checkReferralsAfter();
    expect(await standing(bob)).toEqual(['done', null, 'held', 'held']);
    expect([await world.kinds(bob), await world.balance(ann)]).toEqual([['referralNewcomerHeld'], 0]);
    const decide = (side: string, outcome: 'released' | 'rejected') =>
      world.uow.run((tx) =>
        world.events.emit(tx, `reward.${outcome}`, rewardDecided(bob, `referral:${bob.actor.userId}:${side}`)),
      );
    await decide('newcomer', 'released');
    expect(await standing(bob)).toEqual(['done', null, 'paid', 'held']);
    await decide('referrer', 'rejected');
    // What is decided stays so.
    await decide('referrer', 'released');
    expect(await standing(bob)).toEqual(['done', 'review', 'paid', 'refused']);
    const other = await pair();
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
    expect(await standing(other.bob)).toEqual(['done', null, 'refused', 'paid']);
  });
});

test('T10 a referral broken off before any of its statements goes on where it was and pays once', async () => {
  let uow: CrashingUow | undefined;
  world = await inviteWorld('sqlite', { over: (inner) => (uow = crashing(inner)) });
  const { ann, bob } = await pair();
  world.clock.advance(DAY);
  for (let step = 1; step < 200; step++) {
    uow?.arm(step);
    const crashed = await world.referrals.check(bob.actor.userId).then(
      () => false,
      (error: unknown) => error instanceof Crash || Promise.reject(error),
    );
    uow?.disarm();
    if (!crashed) break;
  }
  await world.referrals.check(bob.actor.userId);
  expect([await world.balance(bob), await world.balance(ann)]).toEqual([15, 35]);
  expect(await standing(bob)).toEqual(['done', null, 'paid', 'paid']);
});

test('a referral that cannot be checked blocks no other', async () => {
  world = await inviteWorld();
  const { bob } = await pair();
  const { ann } = await pair();
  // A ledger line of somebody else stands in its way.
  await world.uow.run((tx) =>
    world.ledger.transfer(tx, {
      kind: 'adjustment',
      reference: `referral:${bob.actor.userId}:newcomer`,
      postings: [{ source: 'system:adjustment', destination: `user:${ann.actor.userId}`, amount: toCredits(1) }],
    }),
  );
  world.clock.advance(DAY + MINUTE);
  await world.referrals.checkDue();
  expect(world.log.events()).toEqual(['referral.check_failed']);
  expect(await world.referrals.checkDue()).toBe(0);
  expect(await world.balance(ann)).toBe(36);
});
