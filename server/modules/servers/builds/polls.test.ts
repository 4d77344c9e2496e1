import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import { type PanelServer } from '#server/modules/servers/index.ts';
import { HOUR, MINUTE, SECOND } from '#shared/time.ts';
import { buildsWorld, type BuildsWorld } from '#tests/support/builds.ts';
import type { PanelAnswer } from '../panel/ports.ts';

// Shows behaviour 6.2.

let world: BuildsWorld['world'];
let panel: BuildsWorld['panel'];
let ctx: BuildsWorld['ctx'];
let create: BuildsWorld['create'];
let entryOf: BuildsWorld['entryOf'];
let attempt: BuildsWorld['attempt'];
let dueIn: BuildsWorld['dueIn'];
let outages: BuildsWorld['outages'];
let failureOf: BuildsWorld['failureOf'];
beforeEach(async () => {
  ({ world, panel, ctx, create, entryOf, attempt, dueIn, outages, failureOf } = await buildsWorld());
});
afterEach(() => world.close());

describe('an installation that is polled', () => {
  let id: string;
  let startedMs: number;
  beforeEach(async () => {
    id = await create();
    await attempt();
    startedMs = world.clock.now();
  });
  /** What the panel says of the server from here on. */
  function says(answer: PanelAnswer<PanelServer> | Pick<PanelServer, 'state'>): void {
    const made = 'state' in answer ? { outcome: 'ok' as const, value: { ...server(), ...answer } } : answer;
    spyOn(panel.panel, 'newestServers').mockResolvedValue({ outcome: 'ok', value: [] });
    spyOn(panel.panel, 'readServer').mockResolvedValue(made);
  }
  const server = (): PanelServer => ({
    panelId: '1',
    externalId: id,
    identifier: 'id1',
    userId: '101',
    node: 'a',
    egg: '5',
    name: 'Lanternwood',
    description: '',
    state: 'installing',
    suspended: false,
    resources: { memory: 512, disk: 512, cpu: 50, ports: 1, databases: 0, backups: 0 },
    address: 'a.example.test:25565',
    allocations: null,
    usage: { databases: null, backups: null, disk: null },
  });

  test('the first poll is due after five seconds, the next after half the age, with what the panel said', async () => {
    expect([await dueIn(), await entryOf(id)]).toEqual([
      5 * SECOND,
      expect.objectContaining({ state: 'building', attempts: 1, startedMs, lastError: null, waitingSinceMs: null }),
    ]);
    expect(await world.row(id)).toMatchObject({ panelState: 'installing', panelSeenMs: startedMs, panelNode: 'a' });
    const before = ['queued', 'reserved', 'started', 'userEnsured', 'lookedUp'];
    expect(await world.steps(id)).toEqual([...before, 'created', 'waiting']);
    world.clock.advance(40 * SECOND);
    says({ state: 'installing' });
    await attempt();
    expect([await dueIn(), (await entryOf(id)).startedMs, (await entryOf(id)).lastError]).toEqual([
      20 * SECOND,
      startedMs,
      null,
    ]);
    expect((await world.row(id)).panelSeenMs).toBe(world.clock.now());
  });

  test('a server is ready by its own state, whatever the others on the page are', async () => {
    world.clock.advance(7 * SECOND);
    await attempt(id);
    const second = await create();
    await attempt(second);
    world.clock.advance(5 * SECOND);
    await attempt(second);
    await attempt(id);
    expect([await failureOf(second), await failureOf(id)]).toEqual([
      ['installing', null],
      ['active', null],
    ]);
  });

  test.each(['install_failed', 'reinstall_failed'] as const)('a server that is %s has failed', async (state) => {
    says({ state });
    await attempt();
    expect(await failureOf(id)).toEqual(['failed', 'installFailed']);
    // The panel has it, so it is to go there.
    expect((await world.row(id)).desired).toBe('deleted');
  });

  test('a server that is not found is believed gone a minute after it was last seen', async () => {
    says({ outcome: 'not_found' });
    world.clock.advance(30 * SECOND);
    await attempt();
    expect(await world.row(id)).toMatchObject({ state: 'installing', panelState: 'missing', panelSeenMs: startedMs });
    expect((await entryOf(id)).lastError).toBe('not_found');
    world.clock.advance(30 * SECOND - 1);
    await attempt();
    expect(await failureOf(id)).toEqual(['installing', null]);
    world.clock.advance(1);
    await attempt();
    expect(await failureOf(id)).toEqual(['failed', 'panelLost']);
  });

  test('a server that is not found a minute after it was seen has a second chance all the same', async () => {
    says({ outcome: 'not_found' });
    world.clock.advance(MINUTE);
    await attempt();
    expect(await world.row(id)).toMatchObject({ state: 'installing', panelState: 'missing' });
    // No word at all is no second "not found".
    says({ outcome: 'unknown' });
    await attempt();
    expect(await failureOf(id)).toEqual(['installing', null]);
  });

  test.each<[PanelAnswer<PanelServer> | Pick<PanelServer, 'state'>]>([
    [{ state: 'installing' }],
    [{ outcome: 'conflict' }],
    [{ outcome: 'refused', reason: 'test' }],
  ])('an installation is over after half an hour where the panel says %p', async (answer) => {
    says(answer);
    world.clock.advance(30 * MINUTE);
    await attempt();
    expect([await failureOf(id), (await entryOf(id)).startedMs]).toEqual([['installing', null], startedMs]);
    world.clock.advance(1);
    await attempt();
    expect(await failureOf(id)).toEqual(['failed', 'installTimeout']);
  });

  test('the time for an installation stands still while the panel is silent, and never lies ahead', async () => {
    says({ outcome: 'unknown' });
    world.clock.advance(40 * SECOND);
    await attempt();
    expect([await dueIn(), await entryOf(id)]).toEqual([
      20 * SECOND,
      expect.objectContaining({ startedMs: startedMs + 20 * SECOND, lastError: 'unknown' }),
    ]);
    expect(await outages()).toEqual([]);
    await world.db.sql('UPDATE server_queue SET started_ms = ?', [world.clock.now() - 1000]);
    await attempt();
    expect((await entryOf(id)).startedMs).toBe(world.clock.now());
    world.clock.advance(HOUR);
    await attempt();
    expect(await failureOf(id)).toEqual(['installing', null]);
  });

  test.each<[PanelAnswer<PanelServer>, { node: string; cause: string }[]]>([
    [{ outcome: 'unavailable' }, [{ node: '', cause: 'panel' }]],
    [{ outcome: 'unknown', away: 'node' }, [{ node: 'a', cause: 'node' }]],
    [{ outcome: 'refused', reason: 'key' }, [{ node: '', cause: 'key' }]],
    [{ outcome: 'unavailable', away: 'busy' }, []],
  ])('the answer %p to a poll begins the outage it stands for, and fails nobody', async (answer, begun) => {
    says(answer);
    world.clock.advance(31 * MINUTE);
    await attempt();
    expect([await outages(), await failureOf(id)]).toEqual([begun, ['installing', null]]);
  });

  test('a poll that reads the server ends the outage of its panel, and leaves that of its node and of its key', async () => {
    const outage = { panel: panel.id, reason: null, sinceMs: 0, nextMs: 0, tries: 1, notifiedMs: null };
    says({ state: 'installing' });
    for (const [node, cause, left] of [
      ['', 'panel', []],
      ['', 'off', []],
      ['', 'key', [{ node: '', cause: 'key' }]],
      ['a', 'node', [{ node: 'a', cause: 'node' }]],
    ] as const) {
      await world.db.sql('DELETE FROM panel_outages');
      await world.uow.run((tx) => tx.outages.save({ ...outage, node, cause }));
      await attempt();
      expect(await outages()).toEqual([...left]);
    }
  });

  test('a server that is banned while it is built is suspended when it is ready, and the panel hears of it', async () => {
    await world.suspendForBan(ctx);
    world.clock.advance(8 * SECOND);
    await attempt();
    expect(await world.row(id)).toMatchObject({ state: 'suspended', desired: 'suspended' });
    await world.pass(MINUTE);
    expect([...panel.servers.values()].map(({ suspended }) => suspended)).toEqual([true]);
    expect((await world.row(id)).panelState).toBe('suspended');
  });

  test('one page of the panel’s list serves all for five seconds, and not those who were seen after it', async () => {
    const [second, third] = [await create(), await create()];
    await attempt(second);
    await attempt(third);
    const calls = () => panel.panel.calls.filter((call) => call === 'newestServers' || call === 'readServer');
    world.clock.advance(1000);
    for (const each of [id, second, third]) await attempt(each);
    expect(calls()).toEqual(['newestServers']);
    // Seen when that page was read, not after it.
    world.clock.advance(5 * SECOND - 1);
    await attempt(id);
    expect(calls()).toHaveLength(1);
    // Now it was.
    await attempt(id);
    expect(calls()).toHaveLength(2);
    world.clock.advance(5 * SECOND);
    await attempt(second);
    expect(calls()).toHaveLength(3);
    expect((await world.row(second)).state).toBe('active');
    // A clock that was set back makes no page newer.
    world.clock.advance(-MINUTE);
    await attempt(third);
    expect(calls()).toEqual(Array(4).fill('newestServers'));
  });
});
