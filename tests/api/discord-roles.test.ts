import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { codeOf } from '#tests/support/coins.ts';
import { ENGINES, type Engine } from '#tests/support/db.ts';
import { unlink as endLink } from '#tests/support/discord/joining.ts';
import { openLinking, type Linking } from '#tests/support/discord/linking.ts';
import { FAULTS } from '#tests/support/discord/stand-in.ts';
import { BOT } from '#tests/support/discord/world.ts';
import type { Person } from '#tests/support/harness.ts';

// Shows behaviour 8.8: roles in the host's Discord server, which follow what users are here.

setDefaultTimeout(60_000);

const GIVE = 'PUT /guilds/';
const TAKE = 'DELETE /guilds/';
const LOOK = 'GET /guilds/';

let w: Linking;
let petra: Person;
let ann: Person;
let guildId: string;
let roles: Record<'linked' | 'server' | 'vip' | 'own' | 'high', string>;
let annThere: string;
const open = async (engine?: Engine) => {
  w = await openLinking(engine);
  petra = await w.harness.person('petra', { permissions: ['admin.root'] });
  ann = await w.harness.person('ann');
  guildId = w.discord.guild('Blockwell', 'blockwell').id;
  const role = (name: string, position: number) => w.discord.role(guildId, name, position).id;
  roles = {
    linked: role('Verified', 1),
    server: role('Owner of a server', 2),
    vip: role('VIP', 3),
    own: role('Painter', 4),
    high: role('Admin', 20),
  };
  w.discord.inviteBot(guildId, 10);
  annThere = w.discord.person('ann-there').id;
  w.discord.join(annThere, guildId);
  await configure({ server_id: guildId, bot_token: BOT.token });
  await petra.api.adminPlugins.setOn({ params: { identifier: 'discord' }, body: { on: true } });
  await petra.api.adminDiscordRoles.check({});
};
afterEach(() => w.close());

const configure = async (values: Record<string, string>) => {
  const { revision } = await petra.api.adminPlugins.get({ params: { identifier: 'discord' } });
  return petra.api.adminPlugins.configure({ params: { identifier: 'discord' }, body: { values, revision } });
};
const vipId = async () =>
  (await petra.api.adminDiscordRoles.get({})).own_roles.find(({ name }) => name === 'VIP')?.id ?? '';
const setRules = async (rules: Record<string, string>) => {
  const { server } = await petra.api.adminDiscordRoles.get({});
  const list = Object.entries(rules).map(([source, role_id]) => ({ source, role_id }));
  return petra.api.adminDiscordRoles.save({ body: { rules: list, revision: server?.revision ?? 0 } });
};
const sweep = async () => {
  const task = w.harness.host.services.tasks.find(({ name }) => name === 'discord.roles.sweep');
  await task?.run();
  await w.harness.drainJobs();
};
const pass = async (ms: number) => {
  await w.pass(ms);
  const now = w.harness.clock.now();
  await w.harness.db.sql('UPDATE sessions SET seen_ms = ?, expires_ms = ? RETURNING id', [now, now + 90 * DAY]);
};
const annRoles = () => w.discord.rolesOf(guildId, annThere).toSorted();
const assign = (roleId: string) =>
  w.harness.db.uow.run((tx) => w.harness.host.services.access.assignRole(tx, null, ann.id, roleId));
const link = async () => {
  await w.link(ann, annThere);
  await w.harness.drainJobs();
};
const unlink = async () => {
  await endLink(ann);
  await w.harness.drainJobs();
};
const members = () =>
  w.harness.db.sql<{ given: string; state: string }>('SELECT given, state FROM discord_role_members');

describe.each(ENGINES)('roles in Discord on %s', (engine) => {
  beforeEach(() => open(engine));

  test('roles follow linking, the role here, a ban, its end, and unlinking', async () => {
    const vip = await vipId();
    await setRules({ linked: roles.linked, [`role:${vip}`]: roles.vip });
    await link();
    expect(annRoles()).toEqual([roles.linked]);
    const member = (await w.harness.db.uow.read((tx) => tx.access.defaultRole())).id;
    await assign(vip);
    await w.harness.drainJobs();
    expect(annRoles()).toEqual([roles.linked, roles.vip].toSorted());
    await petra.api.adminAccounts.ban({ params: { id: ann.id }, body: { reason: 'spam', days: 0 } });
    await w.harness.drainJobs();
    expect(annRoles()).toEqual([]);
    await petra.api.adminAccounts.unban({ params: { id: ann.id } });
    await w.harness.drainJobs();
    expect(annRoles()).toEqual([roles.linked, roles.vip].toSorted());
    await assign(member);
    await w.harness.drainJobs();
    expect(annRoles()).toEqual([roles.linked]);
    const [linked] = await w.harness.db.uow.read((tx) => tx.identities.listByUser(ann.id));
    await petra.api.adminUserDetails.unlink({ params: { id: ann.id, link: linked?.id ?? '' }, query: {} });
    await w.harness.drainJobs();
    expect(annRoles()).toEqual([]);
    expect(await members()).toEqual([]);
  });

  test('a lost answer gives nothing twice, and what was given by it is taken like all else', async () => {
    await setRules({ linked: roles.linked });
    w.discord.fault({ call: GIVE, cut: 'after' });
    await link();
    expect(annRoles()).toEqual([roles.linked]);
    await unlink();
    await pass(2 * MINUTE);
    expect(annRoles()).toEqual([]);
    expect(await members()).toEqual([]);
  });

  test('twenty changes of one user at once leave what the last of them wants', async () => {
    const vip = await vipId();
    await setRules({ [`role:${vip}`]: roles.vip, linked: roles.linked });
    await link();
    const member = (await w.harness.db.uow.read((tx) => tx.access.defaultRole())).id;
    await Promise.all(Array.from({ length: 20 }, (_, index) => assign(index % 2 === 0 ? vip : member)));
    await assign(vip);
    await Promise.all([w.harness.drainJobs(), w.harness.drainJobs()]);
    expect(annRoles()).toEqual([roles.linked, roles.vip].toSorted());
  });

  test('an account on Discord that another user links follows that user', async () => {
    await setRules({ linked: roles.linked });
    await link();
    await endLink(ann);
    const ben = await w.harness.person('ben');
    await w.link(ben, annThere);
    await w.harness.drainJobs();
    expect(annRoles()).toEqual([roles.linked]);
    expect(await members()).toHaveLength(1);
  });
});

describe('roles in Discord', () => {
  beforeEach(() => open());

  test('a bot that works says the server and its roles, without those it cannot give for sure', async () => {
    const { server } = await petra.api.adminDiscordRoles.get({});
    expect(server).toMatchObject({ id: guildId, name: 'Blockwell', fault: null });
    expect(server?.roles.map(({ name, above }) => [name, above])).toEqual([
      ['Admin', true],
      ['Painter', false],
      ['VIP', false],
      ['Owner of a server', false],
      ['Verified', false],
    ]);
  });

  test('what moderators gave by hand stays, also a role that is given by us to others', async () => {
    await setRules({ linked: roles.linked, server: roles.server });
    const given = w.discord.world.guilds.get(guildId)?.members.get(annThere)?.roles;
    given?.add(roles.linked).add(roles.own).add(roles.server);
    await link();
    await unlink();
    expect(annRoles()).toEqual([roles.linked, roles.own, roles.server].toSorted());
    expect(w.discord.calls(TAKE)).toBe(0);
  });

  test('limits, a gateway that is broken and a Discord that hangs put it off, and nothing is lost', async () => {
    await setRules({ linked: roles.linked });
    await w.harness.set({ discord_timeout_ms: 500 });
    w.discord.fault(FAULTS.limited(GIVE, 'user', 30.5));
    await link();
    const calls = w.discord.calls('');
    await pass(20_000);
    expect(w.discord.calls('')).toBe(calls);
    expect(annRoles()).toEqual([]);
    await pass(MINUTE);
    expect(annRoles()).toEqual([roles.linked]);
    w.discord.fault(FAULTS.badGateway(TAKE), { call: TAKE, cut: 'hang' }, FAULTS.limitedByEdge(LOOK));
    await unlink();
    for (let minute = 0; minute < 8; minute += 1) await pass(MINUTE);
    expect(annRoles()).toEqual([]);
    expect((await petra.api.adminDiscordRoles.get({})).server?.fault).toBeNull();
  });

  test('a role above that of the bot is refused for itself alone, said to staff, and tried again', async () => {
    await setRules({ linked: roles.high, server: roles.server });
    await link();
    expect(annRoles()).toEqual([]);
    expect(await petra.api.adminDiscordRoles.get({})).toMatchObject({
      counts: { done: 0, absent: 0, refused: 1 },
      refused: ['ann'],
      server: { fault: null },
    });
    const health = await petra.api.adminHealth.get();
    expect(JSON.stringify(health)).toContain('discordRoles');
    const high = w.discord.world.guilds.get(guildId)?.roles.get(roles.high);
    if (high) high.position = 5;
    await pass(2 * HOUR);
    await sweep();
    expect(annRoles()).toEqual([roles.high]);
    expect((await petra.api.adminDiscordRoles.get({})).refused).toEqual([]);
  });

  test('who is not in the server gets their roles once they are, and who left has nothing that is taken', async () => {
    await setRules({ linked: roles.linked });
    w.discord.leave(annThere, guildId);
    await link();
    expect((await petra.api.adminDiscordRoles.get({})).counts).toMatchObject({ absent: 1 });
    w.discord.join(annThere, guildId);
    await pass(DAY + HOUR);
    await sweep();
    expect(annRoles()).toEqual([roles.linked]);
    w.discord.leave(annThere, guildId);
    await unlink();
    expect(await members()).toEqual([]);
  });

  test('a token that is refused stops everything until it is mended, and nothing is asked meanwhile', async () => {
    await setRules({ linked: roles.linked });
    await configure({ bot_token: 'another-token' });
    await link();
    expect((await petra.api.adminDiscordRoles.get({})).server).toMatchObject({ fault: 'token' });
    const calls = w.discord.calls('');
    await sweep();
    await assign(await vipId());
    await w.harness.drainJobs();
    expect(w.discord.calls('')).toBe(calls);
    await configure({ bot_token: BOT.token });
    await petra.api.adminDiscordRoles.check({});
    await sweep();
    expect(annRoles()).toEqual([roles.linked]);
  });

  test('a bot without the permission, or that was thrown out, is a fault that staff read', async () => {
    const guild = w.discord.world.guilds.get(guildId);
    for (const role of guild?.roles.values() ?? []) role.permissions = '0';
    await petra.api.adminDiscordRoles.check({});
    expect((await petra.api.adminDiscordRoles.get({})).server).toMatchObject({ fault: 'forbidden' });
    w.discord.leave(BOT.id, guildId);
    await petra.api.adminDiscordRoles.check({});
    expect((await petra.api.adminDiscordRoles.get({})).server).toMatchObject({ fault: 'unknownGuild' });
  });

  test('rules that change are followed for everybody, and nothing happens while the plugin is off', async () => {
    await setRules({ linked: roles.linked });
    await link();
    await setRules({ linked: roles.own });
    await petra.api.adminPlugins.setOn({ params: { identifier: 'discord' }, body: { on: false } });
    await sweep();
    expect(annRoles()).toEqual([roles.linked]);
    await petra.api.adminPlugins.setOn({ params: { identifier: 'discord' }, body: { on: true } });
    await sweep();
    expect(annRoles()).toEqual([roles.own]);
    await setRules({});
    await sweep();
    expect(annRoles()).toEqual([]);
    expect(await members()).toEqual([]);
  });

  test('rules name what there is, and two who edit do not overwrite each other', async () => {
    const { server } = await petra.api.adminDiscordRoles.get({});
    const revision = server?.revision ?? 0;
    const save = (source: string, role_id: string) =>
      codeOf(petra.api.adminDiscordRoles.save({ body: { rules: [{ source, role_id }], revision } }));
    expect(await save('linked', '123456789012345678')).toBe('VALIDATION_FAILED');
    expect(await save('role:nobody', roles.linked)).toBe('VALIDATION_FAILED');
    await setRules({ linked: roles.linked });
    expect(await save('linked', roles.own)).toBe('CONFLICT');
  });

  test('T57 the token is stored sealed, shown to nobody, and goes to no other address than that it was given for', async () => {
    const seen = JSON.stringify([
      await petra.api.adminPlugins.get({ params: { identifier: 'discord' } }),
      await w.harness.db.sql('SELECT * FROM audit'),
      await w.harness.db.sql('SELECT * FROM plugins'),
    ]);
    expect(seen).not.toContain(BOT.token);
    const { discord_client_secret } = w.discord.settings;
    await w.harness.set({ discord_api_url: 'http://127.0.0.1:9/api/v10', discord_client_secret });
    const moved = await petra.api.adminPlugins.get({ params: { identifier: 'discord' } });
    expect(moved.secrets).toEqual({ bot_token: false });
    await petra.api.adminDiscordRoles.check({});
    expect((await petra.api.adminDiscordRoles.get({})).server).toBeNull();
    await w.harness.set({ discord_api_url: w.discord.settings.discord_api_url, discord_client_secret });
    expect((await petra.api.adminPlugins.get({ params: { identifier: 'discord' } })).secrets).toEqual({
      bot_token: true,
    });
  });
});
