import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { DAY, HOUR } from '#shared/time.ts';
import { call } from '#tests/support/call.ts';
import { TEST_START } from '#tests/support/clock.ts';
import { ENGINES, proveLedger, type Engine } from '#tests/support/db.ts';
import { card, claim, MEMBER, unlink } from '#tests/support/discord/joining.ts';
import { openLinking, type Linking } from '#tests/support/discord/linking.ts';
import type { Person as DiscordPerson } from '#tests/support/discord/stand-in.ts';
import type { Person } from '#tests/support/harness.ts';

// Shows behaviour 4.3.

let h: Linking;
let ann: Person;
let vlad: DiscordPerson;
async function open(engine: Engine = 'sqlite'): Promise<void> {
  h = await openLinking(engine);
  ann = await h.person('ann');
  vlad = h.discord.person('vlad');
  await h.link(ann, vlad.id);
}
afterEach(() => h.close());

describe.each([...ENGINES])('join for rewards on %s', (engine) => {
  beforeEach(() => open(engine));

  test('joining pays once, vests for seven days, and then is theirs for good', async () => {
    const { id, guildId } = await h.entry();
    expect(await card(ann)).toMatchObject({
      state: 'open',
      credits: 45,
      invite_url: 'https://discord.gg/invite-1',
      members: 100,
    });
    expect(await claim(ann, id)).toBe('J4R_NOT_MEMBER');
    h.discord.join(vlad.id, guildId);
    expect(await claim(ann, id)).toBe('paid');
    expect(await h.balance(ann.id)).toBe(45);
    expect(await card(ann)).toMatchObject({
      state: 'vesting',
      claimed_at: new Date(TEST_START).toISOString(),
      vests_at: new Date(TEST_START + 7 * DAY).toISOString(),
    });
    await h.pass(6 * DAY, 6);
    expect(await card(ann)).toMatchObject({ state: 'vesting' });
    await h.pass(DAY);
    expect(await card(ann)).toMatchObject({ state: 'kept' });
    h.discord.leave(vlad.id, guildId);
    await h.pass(20 * DAY, 3);
    expect([await h.balance(ann.id), (await card(ann))?.state]).toEqual([45, 'kept']);
  });

  test('T15 fifty claims at once pay once', async () => {
    const { id, guildId } = await h.entry();
    h.discord.join(vlad.id, guildId);
    const codes = await Promise.all(Array.from({ length: 25 }, () => claim(ann, id)));
    codes.push(...(await Promise.all(Array.from({ length: 25 }, () => claim(ann, id, 'the-same-key')))));
    const tally = Object.fromEntries([...Map.groupBy(codes, (code) => code)].map(([code, all]) => [code, all.length]));
    expect(tally.paid).toBe(1);
    expect(Object.keys(tally).sort()).toEqual(['J4R_ALREADY_PAID', 'RATE_LIMITED', 'paid']);
    expect(await h.balance(ann.id)).toBe(45);
    await proveLedger(h.db.uow);
  });

  test('fifty players at once are each paid once, and a budget holds', async () => {
    const { id, guildId } = await h.entry({ credits: 10 });
    await h.set({ j4r_daily_budget: 200 });
    const people = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const person = await h.person(`person${index}`);
        const own = h.discord.person(`discord${index}`);
        await h.link(person, own.id);
        h.discord.join(own.id, guildId);
        return person;
      }),
    );
    const codes = await Promise.all(people.map((person) => claim(person, id)));
    expect(codes.filter((code) => code === 'paid')).toHaveLength(20);
    expect(codes.filter((code) => code === 'BUDGET_SPENT')).toHaveLength(30);
    const paid = await h.db.sql<{ n: number }>('SELECT count(*) AS n FROM j4r_claims');
    expect(Number(paid[0]?.n)).toBe(20);
    expect((await ann.api.j4r.page()).budget_spent).toBe(true);
    await proveLedger(h.db.uow);
  });

  test('T15 leaving reverses the reward as far as the balance allows, once, and joining again pays nothing', async () => {
    const { id, guildId } = await h.entry();
    h.discord.join(vlad.id, guildId);
    await claim(ann, id);
    // 30 of the 45 are spent.
    await h.db.uow.run((tx) =>
      h.host.services.ledger.transfer(tx, {
        kind: 'store.buy',
        reference: 'spent',
        postings: [{ source: `user:${ann.id}`, destination: 'system:store', amount: 30 as never }],
      }),
    );
    h.discord.leave(vlad.id, guildId);
    await Promise.all([h.pass(DAY), h.host.services.j4r.checkDue(), h.host.services.j4r.checkDue()]);
    expect([await h.balance(ann.id), await card(ann)]).toMatchObject([0, { state: 'left', taken: 15 }]);
    expect((await ann.api.notifications.list()).notifications.map(({ kind }) => kind)).toContain('j4rClawedBack');
    h.discord.join(vlad.id, guildId);
    expect(await claim(ann, id)).toBe('J4R_ALREADY_PAID');
    await h.pass(20 * DAY, 3);
    expect(await h.balance(ann.id)).toBe(0);
    const [line] = (await ann.api.account.statement({ query: { kind: 'reward.j4r.back' } })).rows;
    expect(line).toMatchObject({ amount: -15, subject: 'Server 1' });
    await proveLedger(h.db.uow);
  });

  test('T15 T17 one Discord account is paid for once for good: not on another account, not after unlinking, not for a new entry', async () => {
    const { id, guildId } = await h.entry();
    h.discord.join(vlad.id, guildId);
    await claim(ann, id);
    await unlink(ann);
    const bob = await h.person('bob');
    await h.link(bob, vlad.id);
    expect(await card(bob)).toMatchObject({ state: 'used' });
    expect(await claim(bob, id)).toBe('J4R_ALREADY_PAID');
    // Nor is the account, with another Discord account.
    const second = h.discord.person('second');
    await h.link(ann, second.id);
    h.discord.join(second.id, guildId);
    expect(await claim(ann, id)).toBe('J4R_ALREADY_PAID');
    // The entry is deleted and made anew for the same Discord server.
    await h.staff.api.adminJ4rServers.remove({ params: { id }, body: { name: 'Server 1' } });
    const body = {
      name: 'Again',
      description: '',
      invite: 'invite-1',
      credits: 100,
      min_account_days: 0,
      pays_members: true,
      position: 0,
      enabled: true,
    };
    const again = await h.staff.api.adminJ4rServers.create({ body });
    await h.harness.drainJobs();
    expect(await claim(bob, again.id)).toBe('J4R_ALREADY_PAID');
    expect(await claim(ann, again.id)).toBe('J4R_ALREADY_PAID');
    expect([await h.balance(ann.id), await h.balance(bob.id)]).toEqual([45, 0]);
  });
});

describe('who is paid', () => {
  beforeEach(() => open());

  test('T15 members from before the entry are not paid, nor by leaving and joining again, unless the entry says so', async () => {
    const guild = h.discord.guild('Old', 'old');
    h.discord.join(vlad.id, guild.id, { atMs: TEST_START - DAY });
    const body = {
      name: 'Old',
      description: '',
      invite: 'https://discord.gg/old',
      credits: 45,
      min_account_days: 0,
      pays_members: false,
      position: 0,
      enabled: true,
    };
    const { id } = await h.staff.api.adminJ4rServers.create({ body });
    await h.harness.drainJobs();
    expect(await claim(ann, id)).toBe('J4R_MEMBER_BEFORE');
    h.discord.leave(vlad.id, guild.id);
    await h.pass(HOUR);
    h.discord.join(vlad.id, guild.id);
    expect(await claim(ann, id)).toBe('J4R_MEMBER_BEFORE');
    const { row } = await h.staff.api.adminJ4rServers.get({ params: { id } });
    await h.staff.api.adminJ4rServers.update({
      params: { id },
      body: { ...body, pays_members: true, updated_at: row.updated_at },
    });
    expect(await claim(ann, id)).toBe('paid');
  });

  test('a member who waits in the screening is not paid, until they have passed it', async () => {
    const { id, guildId } = await h.entry();
    h.discord.join(vlad.id, guildId, { pending: true });
    expect(await claim(ann, id)).toBe('J4R_PENDING');
    const member = h.discord.world.guilds.get(guildId)?.members.get(vlad.id);
    if (member) member.pending = false;
    expect(await claim(ann, id)).toBe('paid');
  });

  test('a Discord account that is too young is not paid, and its age is in its id', async () => {
    const { id, guildId } = await h.entry({ min_account_days: 30 });
    const bob = await h.person('bob');
    const young = h.discord.person('young', TEST_START - 29 * DAY);
    await h.link(bob, young.id);
    h.discord.join(young.id, guildId);
    expect(await claim(bob, id)).toBe('DISCORD_TOO_YOUNG');
    h.discord.join(vlad.id, guildId);
    expect(await claim(ann, id)).toBe('paid');
  });

  test('nobody is paid without a link, with a link that allows too little, or for an entry that is off', async () => {
    const { id } = await h.entry();
    const off = await h.entry({ enabled: false });
    const bob = await h.person('bob');
    expect(await claim(bob, id)).toBe('J4R_NOT_LINKED');
    await h.link(bob, h.discord.person('shy').id, ['identify']);
    expect((await bob.api.j4r.page()).linked).toEqual({ name: 'shy', relink: true });
    expect(await claim(bob, id)).toBe('J4R_RELINK');
    expect(await claim(ann, off.id)).toBe('NOT_FOUND');
    expect((await ann.api.j4r.page()).servers.map(({ name }) => name)).toEqual(['Server 1']);
  });

  test('the kill switch closes page and command; cap and budget hold', async () => {
    const { id, guildId } = await h.entry();
    h.discord.join(vlad.id, guildId);
    await h.set({ j4r_daily_cap: 44 });
    expect(await claim(ann, id)).toBe('DAILY_CAP_REACHED');
    expect(h.discord.calls(MEMBER)).toBe(0);
    await h.set({ j4r_daily_cap: 0, j4r_enabled: false });
    expect(await claim(ann, id)).toBe('FEATURE_DISABLED');
    expect((await call(h.harness, ann, 'GET', '/api/earn/j4r')).json.error_code).toBe('FEATURE_DISABLED');
    expect(await h.balance(ann.id)).toBe(0);
  });

  test('without vesting a reward is theirs at once', async () => {
    await h.set({ j4r_vesting_days: 0 });
    const { id, guildId } = await h.entry();
    h.discord.join(vlad.id, guildId);
    await claim(ann, id);
    h.discord.leave(vlad.id, guildId);
    await h.pass(8 * DAY);
    expect([await h.balance(ann.id), (await card(ann))?.state]).toEqual([45, 'kept']);
  });
});
