import { afterEach, describe, expect, test } from 'bun:test';
import type { SignedIn } from '#server/modules/kernel.ts';
import { toCredits } from '#shared/credits.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { nth } from '#tests/support/coins.ts';
import { Crash, crashing, type CrashingUow } from '#tests/support/crash.ts';
import { ENGINES } from '#tests/support/db.ts';
import { inviteWorld, type InviteWorld } from '#tests/support/invites.ts';
import type { ReferralReason } from './ports.ts';

let world: InviteWorld;
afterEach(() => world.close());

describe.each(ENGINES)('referrals on %s', (engine) => {
  test('a newcomer who qualifies is paid, and so is who brought them', async () => {
    world = await inviteWorld(engine);
    const { ann, bob } = await world.pair();
    await world.checkReferralsAfter(DAY - 1);
    expect(await world.standing(bob)).toEqual(['pending', null, 'open', 'open']);
    await world.checkReferralsAfter(HOUR);
    expect(await world.standing(bob)).toEqual(['done', null, 'paid', 'paid']);
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
    expect((await world.referralOf(bob)).network).toBeNull();
  });

  test('T16 a referral that is checked fifty times at once pays once', async () => {
    world = await inviteWorld(engine);
    const { ann, bob } = await world.pair();
    world.clock.advance(DAY);
    await Promise.all(Array.from({ length: 50 }, () => world.referrals.check(bob.actor.userId)));
    expect([await world.balance(bob), await world.balance(ann)]).toEqual([15, 35]);
    expect(await world.standing(bob)).toEqual(['done', null, 'paid', 'paid']);
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
    const states = await Promise.all(people.map(world.standing));
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
      const { ann, bob } = await world.pair();
      await share(ann, bob);
      await world.checkReferralsAfter();
      expect(await world.standing(bob)).toEqual(['rejected', reason, 'open', 'open']);
      expect(await world.balance(ann)).toBe(0);
    }
  });
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
    expect(await world.referralOf(await world.newcomer(code.toUpperCase()))).toMatchObject({
      referrerId: ann.actor.userId,
    });
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
      expect(await world.standing(each)).toEqual(['rejected', 'circular', 'open', 'open']);
      expect(await world.balance(each)).toBe(0);
    }
  });
});

test('T10 a referral broken off before any of its statements goes on where it was and pays once', async () => {
  let uow: CrashingUow | undefined;
  world = await inviteWorld('sqlite', { over: (inner) => (uow = crashing(inner)) });
  const { ann, bob } = await world.pair();
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
  expect(await world.standing(bob)).toEqual(['done', null, 'paid', 'paid']);
});

test('a referral that cannot be checked blocks no other', async () => {
  world = await inviteWorld();
  const { bob } = await world.pair();
  const { ann } = await world.pair();
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
