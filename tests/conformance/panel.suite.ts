import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { panelServers } from '#tests/support/servers.ts';
import { life, liveliness } from './panel-life.suite.ts';
import { bob, environment, okOf, person, resources, World, type Get, type PanelUnderTest } from './panel.world.ts';

function accounts(get: Get): void {
  test('T28 an account is made once and found again by our id alone', async () => {
    const { it, user } = get();
    expect(okOf(await it.panel.ensureUser({ ...person, email: 'new@example.test' }))).toBe(user);
    expect(okOf(await it.panel.ensureUser(bob))).not.toBe(user);
  });

  test('T28 the address of another account never leads to it', async () => {
    const { it, user } = get();
    const answer = await it.panel.ensureUser({ ...bob, email: person.email });
    if (it.facts.ownAddresses) expect(answer).toEqual({ outcome: 'refused', reason: 'email_taken' });
    else expect(okOf(answer)).not.toBe(user);
    expect((await it.inside.account(user))?.username).toBe('ada');
  });

  test('ten requests at once make one account', async () => {
    const { it } = get();
    const made = await Promise.all(Array.from({ length: 10 }, () => it.panel.ensureUser(bob)));
    const ids = new Set(made.flatMap((answer) => (answer.outcome === 'ok' ? [answer.value] : [])));
    expect(ids.size).toBe(1);
    expect(made.every((answer) => answer.outcome === 'ok' || answer.outcome === 'conflict')).toBe(true);
  });

  test('a change of address and name follows, and ours stays ours', async () => {
    const { it, user } = get();
    expect(
      (await it.panel.updateUser(user, { ...person, username: 'countess', email: 'lovelace@example.test' })).outcome,
    ).toBe('ok');
    expect(await it.inside.account(user)).toEqual({ username: 'countess', email: 'lovelace@example.test' });
    expect(okOf(await it.panel.ensureUser(person))).toBe(user);
    expect((await it.panel.updateUser('999999', bob)).outcome).toBe('not_found');
  });
}

function creation(get: Get): void {
  test('a server is made as asked, installs, and is ready', async () => {
    const world = get();
    const { panel, facts, inside } = world.it;
    const spec = world.spec();
    const made = okOf(await panel.createServer(spec));
    const asked = {
      externalId: 'server-1',
      name: 'Lanternwood',
      description: 'first',
      suspended: false,
      state: 'installing',
      resources,
      userId: world.user,
      egg: spec.egg.id,
    } as const;
    expect(made).toMatchObject(asked);
    expect(made.identifier === null).toBe(!facts.live);
    expect(made.allocations?.map((port) => port.address)[0]).toBe(made.address ?? '');
    expect(made.address).toMatch(/^[^:]+:\d+$/);
    if (spec.placement)
      expect({ node: made.node, ports: made.allocations?.map((port) => port.id) }).toEqual({
        node: spec.placement.node,
        ports: [spec.placement.allocation, ...spec.placement.additional],
      });
    if (made.environment) expect(made.environment).toMatchObject(environment);
    expect(await inside.environment(made.panelId)).toEqual(environment);
    await world.it.finishInstalls();
    expect(okOf(await panel.readServer(made.panelId))).toEqual({ ...made, state: 'ready' });
    expect(okOf(await panel.findServerByExternalId('server-1'))).toEqual({ ...made, state: 'ready' });
  });

  test('T26 our id is unique: a second creation is a conflict, and fifty at once make one server', async () => {
    const { it, spec } = { it: get().it, spec: get().spec() };
    const answers = await Promise.all(Array.from({ length: 50 }, () => it.panel.createServer(spec)));
    expect(answers.filter((answer) => answer.outcome === 'ok')).toHaveLength(1);
    expect(new Set(answers.map((answer) => answer.outcome))).toEqual(new Set(['ok', 'conflict']));
    expect(await it.panel.createServer({ ...spec, placement: it.place(2) })).toEqual({ outcome: 'conflict' });
    expect(await panelServers(it.panel)).toHaveLength(1);
  });

  test('our id is distinguished by the case of its characters', async () => {
    const world = get();
    await world.server({ externalId: 'server-a' });
    expect((await world.it.panel.findServerByExternalId('SERVER-A')).outcome).toBe('not_found');
  });

  test('ports are never shared and come back with the deletion', async () => {
    const world = get();
    const made = [
      await world.server({ externalId: 'a' }),
      await world.server({ externalId: 'b' }),
      await world.server({ externalId: 'c' }),
    ];
    const addresses = made.flatMap((server) => server.allocations?.map((port) => port.address) ?? []);
    expect(new Set(addresses).size).toBe(6);
    expect((await world.it.panel.deleteServer(made[0]?.panelId ?? '')).outcome).toBe('ok');
    expect((await world.server({ externalId: 'd' })).address).toBe(made[0]?.address ?? '');
  });

  test('T25 one of ten who want the same port at once gets it', async () => {
    const world = get();
    const { panel, facts } = world.it;
    const place = world.it.place(1);
    const one = { ...resources, ports: 1 };
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        panel.createServer(world.spec({ externalId: `s${at}`, resources: one, placement: place })),
      ),
    );
    const made = answers.flatMap((answer) => (answer.outcome === 'ok' ? [answer.value.address] : []));
    expect(made).toHaveLength(facts.placed ? 1 : 10);
    expect(new Set(made).size).toBe(made.length);
    expect(answers.every((answer) => ['ok', 'refused', 'conflict'].includes(answer.outcome))).toBe(true);
    expect(await panelServers(panel)).toHaveLength(made.length);
  });

  test('T22 amounts of zero are refused, and nothing is made', async () => {
    const world = get();
    for (const kind of ['memory', 'disk', 'cpu', 'ports'] as const) {
      expect(
        (
          await world.it.panel.createServer(
            world.spec({ placement: world.it.place(1), resources: { ...resources, [kind]: 0 } }),
          )
        ).outcome,
      ).toBe('refused');
    }
    expect(await panelServers(world.it.panel)).toEqual([]);
  });

  test('an unknown owner is refused', async () => {
    expect((await get().it.panel.createServer(get().spec({ userId: '999999' }))).outcome).toBe('refused');
  });
}

function changes(get: Get): void {
  test('name, description and owner are changed, our id stays', async () => {
    const world = get();
    const other = okOf(await world.it.panel.ensureUser(bob));
    const made = await world.ready();
    const details = { name: 'Skyhold', description: '', externalId: 'server-1', userId: other };
    expect(okOf(await world.it.panel.setDetails(made.panelId, details))).toEqual({ ...made, ...details });
    expect(okOf(await world.it.panel.findServerByExternalId('server-1')).panelId).toBe(made.panelId);
    expect((await world.it.panel.setDetails(made.panelId, { ...details, userId: '999999' })).outcome).toBe('refused');
  });

  test('the id of another server is a conflict, and nothing is changed', async () => {
    const world = get();
    await world.server({ externalId: 'other' });
    const made = await world.server();
    const details = { name: 'Skyhold', description: '', externalId: 'other', userId: world.user };
    expect((await world.it.panel.setDetails(made.panelId, details)).outcome).toBe('conflict');
    expect(okOf(await world.it.panel.readServer(made.panelId))).toEqual(made);
  });

  test('limits are changed, with more ports and fewer', async () => {
    const world = get();
    const { panel } = world.it;
    const made = await world.ready();
    const more = { memory: 2048, disk: 4096, cpu: 150, ports: 3, databases: 0, backups: 2 };
    const added = world.it.place(1)?.allocation;
    const grown = okOf(
      await panel.setBuild(made.panelId, {
        resources: more,
        addAllocations: added === undefined ? [] : [added],
        removeAllocations: [],
      }),
    );
    expect(grown).toMatchObject({ resources: more, address: made.address, name: made.name });
    expect(grown.allocations).toHaveLength(3);
    const gone = grown.allocations?.slice(1).map((port) => port.id) ?? [];
    const small = okOf(
      await panel.setBuild(made.panelId, {
        resources: { ...more, ports: 1 },
        addAllocations: [],
        removeAllocations: added === undefined ? [] : gone,
      }),
    );
    expect(small).toMatchObject({ resources: { ...more, ports: 1 }, address: made.address });
    expect(small.allocations).toHaveLength(1);
    expect(
      (
        await panel.setBuild(made.panelId, {
          resources: { ...more, memory: 0 },
          addAllocations: [],
          removeAllocations: [],
        })
      ).outcome,
    ).toBe('refused');
    expect(okOf(await panel.readServer(made.panelId)).resources.memory).toBe(2048);
  });

  test('variables are changed, and nothing is reinstalled', async () => {
    const world = get();
    const made = await world.ready();
    const wanted = { SERVER_JARFILE: 'paper.jar', MOTD: '' };
    const { id, dockerImage, startup } = world.it.egg;
    const changed = okOf(
      await world.it.panel.setStartup(made.panelId, { egg: id, dockerImage, startup, environment: wanted }),
    );
    expect(changed).toEqual(changed.environment ? { ...made, environment: changed.environment } : made);
    if (changed.environment) expect(changed.environment).toMatchObject(wanted);
    expect(await world.it.inside.environment(made.panelId)).toEqual(wanted);
  });
}

/** What every adapter of the panel port must do alike. In: a name, and a maker of a fresh panel. */
export function panelSuite(name: string, make: () => Promise<PanelUnderTest>): void {
  describe(`panel port: ${name}`, () => {
    let world: World | null = null;
    const get: Get = () => {
      if (!world) throw new Error('no panel was made');
      return world;
    };
    beforeEach(async () => {
      const it = await make();
      world = new World(it, okOf(await it.panel.ensureUser(person)));
    });
    afterEach(() => get().it.close());
    for (const group of [accounts, creation, changes, life, liveliness]) group(get);
  });
}
