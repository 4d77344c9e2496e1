import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { presentOptions, presentServerPage } from '#server/api/present-servers.ts';
import { DomainError } from '#shared/errors.ts';
import { DAY } from '#shared/time.ts';
import { codeOf, keyed } from '#tests/support/coins.ts';
import { serversWorld, type ServersWorld } from '#tests/support/servers.ts';

// Shows behaviour 6.1.

let world: ServersWorld;
beforeEach(async () => {
  world = await serversWorld();
});
afterEach(() => world.close());

const SMALL = { memory: 512, disk: 512, cpu: 50, ports: 1, databases: 0, backups: 0 };
async function fieldsOf(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    if (error instanceof DomainError) return error.fields;
    throw error;
  }
  return null;
}

describe('creating a server', () => {
  test('a creation reserves at once, costs nothing, and ends with a server that can be used', async () => {
    const ctx = await world.person({ credits: 10 });
    const { id } = await world.servers.create(ctx, world.serverInput({ autoRenew: true }));
    expect(await world.used(ctx)).toMatchObject({ memory: 512, slots: 1 });
    expect(await world.slotsUsed()).toBe(1);
    expect(presentServerPage(await world.servers.get(ctx, id)).server).toMatchObject({
      state: 'queued',
      queue: { position: 1, state: 'queued', can_cancel: true, estimate_s: 8 },
    });
    await world.pass(60_000);
    const { server, activity } = presentServerPage(await world.servers.get(ctx, id));
    expect(server).toMatchObject({
      state: 'active',
      address: 'fra1.example.test:25565',
      auto_renew: true,
      queue: null,
      progress: null,
    });
    expect(server.expires_at).toBe(new Date(Date.parse(server.created_at) + 30 * DAY).toISOString());
    expect(server.can).toEqual({ update: true, renew: true, delete: true, retry: false });
    expect(activity.map((event) => event.code)).toEqual(['ready', 'created']);
    expect(await world.steps(id)).toEqual([
      'queued',
      'started',
      'userEnsured',
      'lookedUp',
      'created',
      'waiting',
      'installed',
    ]);
    expect(await world.balance(ctx)).toBe(10);
    expect(await world.mails(ctx)).toEqual(['serverReady']);
    expect(await world.notices(ctx)).toEqual(['serverReady']);
    expect(await world.inPanel()).toMatchObject([
      { externalId: id, name: 'Lanternwood', state: 'ready', resources: SMALL },
    ]);
  });

  test('a server that installs shows how far it is, by experience', async () => {
    const ctx = await world.person();
    const { id } = await world.servers.create(ctx, world.serverInput());
    await world.pass(4000);
    const { server } = presentServerPage(await world.servers.get(ctx, id));
    expect(server).toMatchObject({
      state: 'installing',
      progress: 50,
      queue: { state: 'building', position: null, estimate_s: 4, can_cancel: false },
    });
    expect(server.can).toEqual({ update: false, renew: false, delete: false, retry: false });
  });

  test('with renewals switched off a server has no expiry', async () => {
    await world.settings.set(null, { server_renew_enabled: false });
    const ctx = await world.person();
    const id = await world.upServer(ctx);
    expect((await world.row(id)).expiresMs).toBeNull();
    expect(presentServerPage(await world.servers.get(ctx, id)).renew).toMatchObject({
      allowed: false,
      reason: 'FEATURE_DISABLED',
    });
  });

  test('the same key gives the same server, and another request under it is refused', async () => {
    const ctx = await world.person();
    const first = await world.servers.create(keyed(ctx, 'key-1'), world.serverInput());
    expect(await world.servers.create(keyed(ctx, 'key-1'), world.serverInput())).toEqual(first);
    expect(await codeOf(world.servers.create(keyed(ctx, 'key-1', 'other'), world.serverInput({ name: 'Other' })))).toBe(
      'IDEMPOTENCY_MISMATCH',
    );
    expect(await world.used(ctx)).toMatchObject({ slots: 1 });
  });

  for (const kind of ['memory', 'disk', 'cpu', 'slots', 'ports', 'databases', 'backups'] as const) {
    test(`T21 a creation with no ${kind} left is refused by name, and nothing is kept`, async () => {
      const ctx = await world.person({ limits: { [kind]: 0 } });
      const resources = { ...SMALL, databases: 1, backups: 1 };
      expect(await codeOf(world.servers.create(ctx, world.serverInput({ resources })))).toBe(
        `NOT_ENOUGH_${kind.toUpperCase()}`,
      );
      expect(await world.used(ctx)).toMatchObject({ slots: 0, memory: 0 });
      expect(await world.db.sql('SELECT id FROM server_queue')).toEqual([]);
    });
  }

  for (const [kind, amounts] of Object.entries({
    memory: [0, 255, -1, 1.5, NaN, Infinity],
    disk: [0, 255],
    cpu: [0, 4],
    ports: [0, -1],
    databases: [-1, 0.5],
    backups: [-1],
  })) {
    test(`T22 ${kind} of ${amounts.join(', ')} is refused, never unlimited`, async () => {
      const ctx = await world.person();
      for (const amount of amounts) {
        const resources = { ...SMALL, [kind]: amount };
        expect(await fieldsOf(world.servers.create(ctx, world.serverInput({ resources })))).toEqual({
          [kind]: [Number.isSafeInteger(amount) ? 'TOO_SMALL' : 'NOT_WHOLE'],
        });
      }
      for (const amount of [null, '512', [512]]) {
        const resources = { ...SMALL, [kind]: amount } as never;
        expect(await fieldsOf(world.servers.create(ctx, world.serverInput({ resources })))).toEqual({
          [kind]: ['NOT_WHOLE'],
        });
      }
    });
  }

  test('T25 an egg or location that is switched off, unknown or does not belong together is refused', async () => {
    const ctx = await world.person();
    const offCategory = await world.addCategory(false);
    const otherCategory = await world.addCategory(true);
    const cases: [Parameters<typeof world.serverInput>[0], string][] = [
      [{ eggId: await world.addEgg({ enabled: false }) }, 'EGG_UNAVAILABLE'],
      [{ eggId: 'nothing' }, 'EGG_UNAVAILABLE'],
      [{ categoryId: 'nothing' }, 'EGG_UNAVAILABLE'],
      [{ eggId: await world.addEgg({ categoryId: offCategory }), categoryId: offCategory }, 'EGG_UNAVAILABLE'],
      [{ categoryId: otherCategory }, 'EGG_CATEGORY_MISMATCH'],
      [{ eggId: await world.addEgg({ categoryId: offCategory }) }, 'EGG_CATEGORY_MISMATCH'],
      [{ locationId: await world.addLocation({ online: false }) }, 'LOCATION_UNAVAILABLE'],
      [{ locationId: 'nothing' }, 'LOCATION_UNAVAILABLE'],
      [{ locationId: await world.addLocation({ slots: 0 }) }, 'LOCATION_FULL'],
      [{ eggId: await world.addEgg({ minMemory: 1024 }) }, 'BELOW_EGG_MINIMUM'],
    ];
    for (const [facts, code] of cases)
      expect(await codeOf(world.servers.create(ctx, world.serverInput(facts)))).toBe(code);
    expect(await world.used(ctx)).toMatchObject({ slots: 0 });
  });

  test('T25 VIP eggs and locations need the permission', async () => {
    const vip = await world.person({ permissions: ['user.permission.vip'] });
    const member = await world.person();
    for (const facts of [
      { eggId: await world.addEgg({ vipOnly: true }) },
      { locationId: await world.addLocation({ vipOnly: true }) },
    ]) {
      expect(await codeOf(world.servers.create(member, world.serverInput(facts)))).toBe('VIP_ONLY');
      expect(await codeOf(world.servers.create(vip, world.serverInput(facts)))).toBeNull();
    }
  });

  test('with servers switched off nothing is created', async () => {
    await world.settings.set(null, { allow_servers: false });
    expect(await codeOf(world.servers.create(await world.person(), world.serverInput()))).toBe('FEATURE_DISABLED');
  });

  test('T34 somebody banned meanwhile creates nothing, whatever the session says', async () => {
    const ctx = await world.person();
    await world.setStatus(ctx, 'banned');
    expect(await codeOf(world.servers.create(ctx, world.serverInput()))).toBe('ACCOUNT_BANNED');
  });
});

describe('variables of the egg', () => {
  const VARIABLES = [
    {
      env: 'SERVER_JARFILE',
      name: 'Jar',
      description: '',
      default_value: 'server.jar',
      rules: 'required|regex:/^([\\w\\d._-]+)(\\.jar)$/',
      user_editable: true,
    },
    {
      env: 'MOTD',
      name: 'Motd',
      description: '',
      default_value: '',
      rules: 'nullable|string|max:20',
      user_editable: true,
    },
    { env: 'SECRET', name: 'Secret', description: '', default_value: 'fixed', rules: 'required', user_editable: false },
  ];

  test('defaults are filled in, the player’s values go over them, and the panel gets all of them', async () => {
    const ctx = await world.person();
    const id = await world.upServer(ctx, {
      eggId: await world.addEgg({ variables: VARIABLES }),
      variables: { MOTD: 'hello', SERVER_JARFILE: 'server.jar' },
    });
    expect((await world.row(id)).variables).toEqual({ MOTD: 'hello' });
    const [row] = await world.db.sql<{ environment: string }>('SELECT environment FROM embedded_servers');
    expect(JSON.parse(row?.environment ?? '')).toEqual({
      SERVER_JARFILE: 'server.jar',
      MOTD: 'hello',
      SECRET: 'fixed',
    });
  });

  test('T29 what breaks a rule, is not the player’s to set, is unknown or holds control characters is refused at its field', async () => {
    const ctx = await world.person();
    const eggId = await world.addEgg({ variables: VARIABLES });
    const cases: [Record<string, string>, Record<string, string[]>][] = [
      [{ SERVER_JARFILE: 'x.jar; rm -rf /' }, { 'variables.SERVER_JARFILE': ['RULE_FAILED'] }],
      [{ SERVER_JARFILE: '' }, { 'variables.SERVER_JARFILE': ['REQUIRED'] }],
      [{ MOTD: 'x'.repeat(21) }, { 'variables.MOTD': ['RULE_FAILED'] }],
      [{ MOTD: 'a\nSTARTUP=evil' }, { 'variables.MOTD': ['INVALID'] }],
      [{ MOTD: 'a\u0000' }, { 'variables.MOTD': ['INVALID'] }],
      [{ SECRET: 'mine' }, { 'variables.SECRET': ['NOT_ALLOWED'] }],
      [{ STARTUP: 'evil' }, { 'variables.STARTUP': ['UNKNOWN'] }],
      [{ constructor: 'evil' }, { 'variables.constructor': ['UNKNOWN'] }],
    ];
    for (const [variables, fields] of cases)
      expect(await fieldsOf(world.servers.create(ctx, world.serverInput({ eggId, variables })))).toEqual(fields);
  });

  test('the create page shows what can be set, and how to ask for it', async () => {
    await world.addEgg({
      variables: [
        ...VARIABLES,
        {
          env: 'VERSION',
          name: 'Version',
          description: '',
          default_value: 'a',
          rules: 'required|in:a,b',
          user_editable: true,
        },
      ],
    });
    const options = presentOptions(await world.servers.options(await world.person()));
    const variables = options.categories[0]?.eggs.flatMap((egg) => egg.variables) ?? [];
    expect(variables.map(({ env, kind, options: choices }) => [env, kind, choices])).toEqual([
      ['SERVER_JARFILE', 'text', []],
      ['MOTD', 'text', []],
      ['VERSION', 'select', ['a', 'b']],
    ]);
    expect(options).toMatchObject({
      panel: 'embedded',
      renew: { enabled: true, cost: 100, days: 30 },
      queue: { length: 0, estimate_s: 8 },
    });
  });
});
