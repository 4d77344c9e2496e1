import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { proveLedger } from '#tests/support/db.ts';
import { card, claim, MEMBER, unlink } from '#tests/support/discord/joining.ts';
import { openLinking, type Linking } from '#tests/support/discord/linking.ts';
import { FAULTS, type Person as DiscordPerson } from '#tests/support/discord/stand-in.ts';
import type { Person } from '#tests/support/harness.ts';

let h: Linking;
let ann: Person;
let vlad: DiscordPerson;
beforeEach(async () => {
  h = await openLinking();
  ann = await h.person('ann');
  vlad = h.discord.person('vlad');
  await h.link(ann, vlad.id);
});
afterEach(() => h.close());

describe('unknown never pays and never punishes', () => {
  test.each([
    ['502', FAULTS.badGateway(MEMBER)],
    ['a cut before the work', { call: MEMBER, cut: 'before' as const }],
    ['an answer that is lost', { call: MEMBER, cut: 'after' as const }],
    ['a limit', FAULTS.limited(MEMBER, 'user', 7)],
    ['a global limit', FAULTS.limited(MEMBER, 'global', 7)],
    ['404 that does not say of what', { call: MEMBER, status: 404, body: {} }],
    ['a member without a time', { call: MEMBER, status: 200, body: { joined_at: 'yesterday' } }],
  ])('%s pays nothing, and the same key pays once Discord answers', async (_, fault) => {
    const { id, guildId } = await h.entry();
    h.discord.join(vlad.id, guildId);
    h.discord.fault(fault);
    expect(await claim(ann, id, 'one-and-the-same')).toBe('PROVIDER_UNAVAILABLE');
    expect(await h.balance(ann.id)).toBe(0);
    await h.pass(MINUTE);
    expect(await claim(ann, id, 'one-and-the-same')).toBe('paid');
    // Whatever Discord says afterwards, the same key has the same answer.
    h.discord.fault(FAULTS.badGateway(MEMBER));
    expect(await claim(ann, id, 'one-and-the-same')).toBe('paid');
    expect(await h.balance(ann.id)).toBe(45);
  });

  test('a week of faults takes nothing from anybody, and does not make the reward theirs', async () => {
    const { id, guildId } = await h.entry();
    h.discord.join(vlad.id, guildId);
    await claim(ann, id);
    h.discord.leave(vlad.id, guildId);
    h.discord.fault(FAULTS.badGateway('GET /users/@me/guilds', 10_000));
    await h.pass(9 * DAY, 20);
    expect([await h.balance(ann.id), (await card(ann))?.state]).toEqual([45, 'vesting']);
    h.discord.clearFaults();
    await h.pass(2 * HOUR, 2);
    expect([await h.balance(ann.id), (await card(ann))?.state]).toEqual([0, 'left']);
  });

  test('T15 a list of servers that lacks one does not prove that somebody left: the member is asked for', async () => {
    const { id, guildId } = await h.entry();
    h.discord.join(vlad.id, guildId);
    await claim(ann, id);
    h.discord.fault({ call: 'GET /users/@me/guilds', status: 200, body: [] });
    await h.pass(DAY);
    expect([await h.balance(ann.id), (await card(ann))?.state]).toEqual([45, 'vesting']);
  });

  test('T15 a Discord server that was deleted takes nothing from anybody: what was paid for it becomes theirs', async () => {
    const [gone, other] = [await h.entry(), await h.entry()];
    for (const { id, guildId } of [gone, other]) {
      h.discord.join(vlad.id, guildId);
      await claim(ann, id);
    }
    h.discord.deleteGuild(gone.guildId);
    h.discord.leave(vlad.id, other.guildId);
    await h.pass(13 * DAY, 13);
    // The other one is there: that one was left.
    expect([
      await h.balance(ann.id),
      (await card(ann, 'Server 1'))?.state,
      (await card(ann, 'Server 2'))?.state,
    ]).toEqual([45, 'vesting', 'left']);
    await h.pass(2 * DAY, 2);
    expect([await h.balance(ann.id), (await card(ann, 'Server 1'))?.state]).toEqual([45, 'kept']);
    await proveLedger(h.db.uow);
  });

  test('T15 an invite that ran out proves nothing either; one that works, entered within the grace, does', async () => {
    const { id, guildId } = await h.entry();
    h.discord.join(vlad.id, guildId);
    await claim(ann, id);
    const guild = h.discord.world.guilds.get(guildId);
    if (guild) guild.invite = 'made-anew';
    h.discord.leave(vlad.id, guildId);
    await h.pass(10 * DAY, 10);
    expect([await h.balance(ann.id), (await card(ann))?.state]).toEqual([45, 'vesting']);
    const { updated_at, name, description, credits, min_account_days, pays_members, position, enabled } = (
      await h.staff.api.adminJ4rServers.get({ params: { id } })
    ).row;
    await h.staff.api.adminJ4rServers.update({
      params: { id },
      body: {
        name,
        description,
        credits,
        min_account_days,
        pays_members,
        position,
        enabled,
        invite: 'made-anew',
        updated_at,
      },
    });
    await h.pass(2 * DAY, 2);
    expect([await h.balance(ann.id), (await card(ann))?.state]).toEqual([0, 'left']);
  });

  test('T15 an invite that somebody took over, or that Discord gives no answer about, proves nothing', async () => {
    const { id, guildId } = await h.entry();
    h.discord.join(vlad.id, guildId);
    await claim(ann, id);
    h.discord.deleteGuild(guildId);
    h.discord.guild('Taken over', 'invite-1');
    await h.pass(3 * DAY, 3);
    h.discord.fault(FAULTS.badGateway('GET /invites/', 10_000));
    await h.pass(20 * DAY, 20);
    expect([await h.balance(ann.id), (await card(ann))?.state]).toEqual([45, 'vesting']);
    h.discord.clearFaults();
    await h.pass(2 * HOUR, 2);
    expect([await h.balance(ann.id), (await card(ann))?.state]).toEqual([45, 'kept']);
  });

  test('T15 "unknown member" proves leaving by itself, and one request for the invite serves all who left', async () => {
    const { id, guildId } = await h.entry();
    const people = await Promise.all(
      ['one', 'two', 'three'].map(async (name) => {
        const [person, own] = [await h.person(name), h.discord.person(name)];
        await h.link(person, own.id);
        h.discord.join(own.id, guildId);
        await claim(person, id);
        return { person, own };
      }),
    );
    for (const { own } of people) h.discord.leave(own.id, guildId);
    h.discord.fault({ call: MEMBER, status: 404, body: { message: 'Unknown Member', code: 10_007 } });
    const before = h.discord.calls('GET /invites/');
    h.discord.setNow(h.clock.advance(DAY));
    await h.host.services.j4r.checkDue();
    expect(h.discord.calls('GET /invites/') - before).toBe(1);
    for (const { person } of people) expect(await h.balance(person.id)).toBe(0);
  });

  test('T15 a member who leaves and comes back between two checks has left', async () => {
    const { id, guildId } = await h.entry();
    h.discord.join(vlad.id, guildId);
    await claim(ann, id);
    await h.pass(3 * DAY + HOUR, 3);
    h.discord.leave(vlad.id, guildId);
    await h.pass(HOUR);
    h.discord.join(vlad.id, guildId);
    await h.pass(4 * DAY, 5);
    expect([await h.balance(ann.id), (await card(ann))?.state]).toEqual([0, 'left']);
  });
});

describe('tokens', () => {
  test('an old token is refreshed, once for all who need it at the same time', async () => {
    const entries = [await h.entry(), await h.entry(), await h.entry()];
    for (const { guildId } of entries) h.discord.join(vlad.id, guildId);
    await h.pass(7 * DAY - MINUTE);
    expect(await Promise.all(entries.map(({ id }) => claim(ann, id)))).toEqual(['paid', 'paid', 'paid']);
    expect(h.discord.calls('POST /oauth2/token')).toBe(2);
  });

  test('a live token that is refused is refreshed, and a fresh one that is refused all the same says nothing', async () => {
    const { id, guildId } = await h.entry();
    h.discord.join(vlad.id, guildId);
    h.discord.fault(FAULTS.unauthorized(MEMBER, 2));
    expect(await claim(ann, id)).toBe('PROVIDER_UNAVAILABLE');
    expect((await ann.api.j4r.page()).linked?.relink).toBe(false);
    h.discord.fault(FAULTS.unauthorized(MEMBER));
    expect(await claim(ann, id)).toBe('paid');
  });

  test('a refresh whose answer is lost asks to link again, and takes nothing before there was time for it', async () => {
    const { id, guildId } = await h.entry();
    h.discord.join(vlad.id, guildId);
    await claim(ann, id);
    h.discord.fault({ call: 'POST /oauth2/token', cut: 'after' });
    await h.pass(8 * DAY, 8);
    expect(await card(ann)).toMatchObject({ state: 'vesting', unlinked: true });
    expect((await ann.api.j4r.page()).linked).toEqual({ name: 'vlad', relink: true });
    expect((await ann.api.notifications.list()).notifications.map(({ kind }) => kind)).toContain('j4rUnlinked');
    await h.link(ann, vlad.id);
    await h.pass(2 * DAY, 2);
    expect([await h.balance(ann.id), await card(ann)]).toMatchObject([45, { state: 'kept', unlinked: false }]);
  });

  test('T15 neither unlinking nor revoking the consent is a way to keep what is not vested', async () => {
    const { id, guildId } = await h.entry();
    h.discord.join(vlad.id, guildId);
    await claim(ann, id);
    const bob = await h.person('bob');
    const other = h.discord.person('other');
    await h.link(bob, other.id);
    h.discord.join(other.id, guildId);
    await claim(bob, id);
    await unlink(ann);
    h.discord.withdraw(other.id);
    await h.pass(13 * DAY, 13);
    expect([await h.balance(ann.id), await h.balance(bob.id)]).toEqual([45, 45]);
    await h.pass(2 * DAY, 2);
    expect([await h.balance(ann.id), await h.balance(bob.id)]).toEqual([0, 0]);
    expect(await card(bob)).toMatchObject({ state: 'left', taken: 45 });
  });

  test('T50 a damaged key asks to link again', async () => {
    const { id } = await h.entry();
    await h.db.sql("UPDATE linked_identities SET tokens = 'sealed:1:AAAAAAAA:AAAA' RETURNING id");
    expect(await claim(ann, id)).toBe('J4R_RELINK');
  });
});

test('T12 a worker that was down for weeks checks once, and reverses what is due', async () => {
  const { id, guildId } = await h.entry();
  h.discord.join(vlad.id, guildId);
  await claim(ann, id);
  h.discord.leave(vlad.id, guildId);
  await h.pass(25 * DAY);
  expect([await h.balance(ann.id), await card(ann)]).toMatchObject([0, { state: 'left', taken: 45 }]);
});

test('a debt comes before a reward that is reversed', async () => {
  const { id, guildId } = await h.entry();
  h.discord.join(vlad.id, guildId);
  await claim(ann, id);
  await h.db.uow.run((tx) =>
    h.host.services.ledger.chargeBack(tx, {
      userId: ann.id,
      amount: 100,
      destination: 'system:payment.stripe',
      kind: 'payment.dispute',
      reference: 'dispute',
    }),
  );
  // What comes in later does not pay a reward back while the debt stands, and the claim ends all the same.
  await h.creditPerson(ann.id, 30);
  h.discord.leave(vlad.id, guildId);
  await h.pass(DAY);
  expect([await card(ann), await h.balance(ann.id)]).toMatchObject([{ state: 'left', taken: 0 }, 30]);
  await proveLedger(h.db.uow);
});

describe('invites', () => {
  const row = async (id: string) => (await h.staff.api.adminJ4rServers.get({ params: { id } })).row;
  const create = (name: string, invite: string) =>
    h.staff.api.adminJ4rServers.create({
      body: {
        name,
        description: '',
        invite,
        credits: 45,
        min_account_days: 0,
        pays_members: false,
        position: 0,
        enabled: true,
      },
    });

  test('invites are looked up at Discord, and what they lead to is never typed', async () => {
    const { id, guildId } = await h.entry();
    expect(await row(id)).toMatchObject({
      status: 'active',
      guild_id: guildId,
      guild_name: 'Guild 1',
      members: 100,
      paid: 0,
    });
    const none = await create('None', 'nowhere');
    const twice = await create('Twice', 'vanity');
    const guild = h.discord.world.guilds.get(guildId);
    if (guild) guild.invite = 'vanity';
    await h.harness.drainJobs();
    expect([(await row(none.id)).status, (await row(twice.id)).status]).toEqual(['unknown', 'duplicate']);
    expect((await ann.api.j4r.page()).servers).toHaveLength(1);
  });

  test('T15 invites that somebody else took over pay nobody for another server', async () => {
    const { id, guildId } = await h.entry();
    const first = h.discord.world.guilds.get(guildId);
    if (first) first.invite = null;
    const other = h.discord.guild('Taken over', 'invite-1');
    await h.pass(DAY + HOUR, 2);
    expect(await row(id)).toMatchObject({ status: 'unknown', guild_id: guildId, guild_name: 'Guild 1' });
    h.discord.join(vlad.id, other.id);
    expect(await claim(ann, id)).toBe('J4R_NOT_MEMBER');
  });

  test('invites that Discord does not answer for are asked again', async () => {
    h.discord.guild('Late', 'late');
    h.discord.fault(FAULTS.badGateway('GET /invites/late', 1));
    const { id } = await create('Late', 'late');
    await h.harness.drainJobs();
    expect((await row(id)).status).toBe('checking');
    await h.pass(5 * MINUTE);
    expect((await row(id)).status).toBe('active');
  });

  test('another invite is another server: joining counts from the change', async () => {
    const { id } = await h.entry();
    const other = h.discord.guild('Other', 'other');
    h.discord.join(vlad.id, other.id);
    await h.pass(DAY);
    const { updated_at, name, description, credits, min_account_days, pays_members, position, enabled } = await row(id);
    await h.staff.api.adminJ4rServers.update({
      params: { id },
      body: {
        name,
        description,
        credits,
        min_account_days,
        pays_members,
        position,
        enabled,
        invite: 'discord.gg/other',
        updated_at,
      },
    });
    expect((await row(id)).status).toBe('checking');
    expect(await claim(ann, id)).toBe('NOT_FOUND');
    await h.harness.drainJobs();
    expect(await row(id)).toMatchObject({ status: 'active', guild_name: 'Other' });
    expect(await claim(ann, id)).toBe('J4R_MEMBER_BEFORE');
  });
});
