import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import type { SignedIn } from '#server/modules/kernel.ts';
import { createRunner } from '#server/jobs/runner.ts';
import { SERVER_JOBS, serverJobs, type PanelServer } from '#server/modules/servers/index.ts';
import { HOUR, MINUTE, SECOND } from '#shared/time.ts';
import { serversWorld, type ServersWorld } from '#tests/support/servers.ts';
import type { PanelAnswer } from '../panel/ports.ts';

// Shows behaviour 6.2: what each answer of a panel makes of an attempt, to the millisecond. Pauses are neither longer
// nor shorter, as chance is a half here.

let world: ServersWorld;
let panel: Awaited<ReturnType<ServersWorld['addPanel']>>;
let ctx: SignedIn;
beforeEach(async () => {
  world = await serversWorld();
  panel = await world.addPanel({ nodes: [{ id: 'a', ports: 24, memory: 65_536 }] });
  ctx = await world.person();
});
afterEach(() => world.close());

const create = async (who = ctx) => (await world.servers.create(who, world.wish({ locationId: panel.location }))).id;
/** The next attempt, made now, whenever it is due: of the entry of a server, or of whichever comes first. */
async function attempt(of?: string): Promise<void> {
  await world.db.sql('UPDATE jobs SET run_at_ms = 0 WHERE kind = ? AND (id = ? OR ?)', [
    SERVER_JOBS.build,
    of === undefined ? '' : (await entryOf(of)).id,
    of === undefined ? 1 : 0,
  ]);
  await world.db.sql('UPDATE panel_outages SET next_ms = 0');
  expect(await world.buildStep()).toBe(true);
}
const entryOf = async (id: string) => {
  const [entry] = await world.uow.read((tx) => tx.servers.listNewestEntries([id]));
  if (!entry) throw new Error('no such entry');
  return entry;
};
/** When the next attempt is due, from now on; null where there is none. */
async function dueIn(): Promise<number | null> {
  const [job] = await world.db.sql<{ due: number | string }>(
    "SELECT run_at_ms AS due FROM jobs WHERE kind = ? AND state = 'ready'",
    [SERVER_JOBS.build],
  );
  return job ? Number(job.due) - world.clock.now() : null;
}
const outages = () => world.db.sql('SELECT node, cause FROM panel_outages ORDER BY node');
const failureOf = async (id: string) => {
  const { state, failure } = await world.row(id);
  return [state, failure];
};

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
    await world.uow.run((tx) => world.servers.suspendForBan(tx, ctx.actor.userId));
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

describe('an attempt that fails', () => {
  test('the first pause is half a minute, the second two, and the third attempt is the last', async () => {
    const id = await create();
    panel.panel.fail('lostBefore', 'createServer', 100);
    for (const [attempts, pause] of [
      [1, 30],
      [2, 120],
    ] as const) {
      await attempt();
      expect([await dueIn(), await entryOf(id)]).toEqual([
        pause * SECOND,
        expect.objectContaining({ state: 'building', attempts, lastError: 'unknown', waitingSinceMs: null }),
      ]);
      // The panel may have made it.
      expect((await world.row(id)).panelState).toBe('requested');
    }
    await attempt();
    expect([await failureOf(id), await dueIn()]).toEqual([['failed', 'panelUnavailable'], null]);
    expect(await world.row(id)).toMatchObject({ desired: 'deleted', panelState: 'requested' });
    expect(await entryOf(id)).toMatchObject({ state: 'failed', attempts: 3, lastError: 'panelUnavailable' });
  });

  test('an attempt that sent nothing leaves nothing in the panel to wonder about, one after a silence does', async () => {
    const id = await create();
    panel.panel.fail('conflict', 'findServerByExternalId');
    await attempt();
    expect(await world.row(id)).toMatchObject({ state: 'installing', panelState: null });
    // Surely not made: what was written before the call is taken back.
    panel.panel.fail('busy', 'createServer');
    await attempt();
    expect(await world.row(id)).toMatchObject({ state: 'queued', panelState: null });
    panel.panel.fail('lostBefore', 'createServer');
    await attempt();
    expect((await world.row(id)).panelState).toBe('requested');
    panel.panel.fail('refused', 'findServerByExternalId');
    await attempt();
    expect(await world.row(id)).toMatchObject({ state: 'failed', panelState: 'requested', desired: 'deleted' });
  });

  test('a fourth attempt, after one that crashed, is not made', async () => {
    const [third, fourth] = [await create(), await create()];
    for (const [id, attempts] of [
      [third, 2],
      [fourth, 3],
    ] as const)
      await world.db.sql('UPDATE server_queue SET attempts = ? WHERE server_id = ?', [attempts, id]);
    await attempt(third);
    await attempt(fourth);
    expect((await world.row(third)).panelId).toBe('1');
    expect(await failureOf(fourth)).toEqual(['failed', 'interrupted']);
    expect(panel.servers.size).toBe(1);
  });

  test.each([
    ['email', 'addressRefused'],
    ['email_taken', 'accountTaken'],
    ['username_taken', 'accountTaken'],
    ['anything', 'panelRefused'],
  ] as const)('an account that is refused for %s fails the build as %s', async (reason, failure) => {
    const id = await create();
    spyOn(panel.panel, 'ensureUser').mockResolvedValue({ outcome: 'refused', reason });
    await attempt();
    expect([await failureOf(id), (await world.row(id)).desired]).toEqual([['failed', failure], 'nothing']);
    expect(await world.steps(id)).not.toContain('userEnsured');
  });

  test('an owner who is banned gets no server, and the panel is not asked', async () => {
    const id = await create();
    await world.setStatus(ctx, 'banned');
    await attempt();
    expect([await failureOf(id), panel.panel.calls]).toEqual([['failed', 'banned'], []]);
  });

  test('an egg that the panel lost, and a location that is gone, fail the build without a question', async () => {
    const [first, second] = [await create(), await create()];
    await world.db.sql('DELETE FROM egg_bindings');
    await attempt();
    await world.db.sql('DELETE FROM locations WHERE id = ?', [panel.location]);
    await attempt();
    expect([await failureOf(first), await failureOf(second)]).toEqual([
      ['failed', 'catalogGone'],
      ['failed', 'catalogGone'],
    ]);
    expect(panel.panel.calls).toEqual([]);
  });

  test('an account that is gone twice fails the build', async () => {
    const id = await create();
    const made = spyOn(panel.panel, 'createServer').mockResolvedValue({ outcome: 'refused', reason: 'user' });
    await attempt();
    expect([await failureOf(id), made.mock.calls.length]).toEqual([['failed', 'panelRefused'], 2]);
    expect((await world.row(id)).desired).toBe('nothing');
    // What we knew of it was forgotten in between.
    expect(panel.panel.calls.filter((call) => call === 'ensureUser')).toHaveLength(2);
  });

  test('an account that cannot be made again just now keeps the server waiting, with nothing in the panel', async () => {
    const id = await create();
    spyOn(panel.panel, 'createServer').mockResolvedValue({ outcome: 'refused', reason: 'user' });
    const { ensureUser } = panel.inner;
    const ensure = spyOn(panel.panel, 'ensureUser').mockImplementationOnce(ensureUser);
    ensure.mockResolvedValueOnce({ outcome: 'unavailable' });
    await attempt();
    expect(await world.row(id)).toMatchObject({ state: 'queued', panelState: null });
    expect(ensure).toHaveBeenCalledTimes(2);
  });

  test('a server whose port was taken is sent to the node that it was moved to', async () => {
    const two = await world.addPanel({
      nodes: [
        { id: 'x', ports: 1 },
        { id: 'y', ports: 1 },
      ],
    });
    const { id } = await world.servers.create(ctx, world.wish({ locationId: two.location }));
    const { panelNode } = await world.row(id);
    two.occupy(`${panelNode}-25565`);
    await attempt();
    const [made] = [...two.servers.values()];
    expect(made?.node).toBe(panelNode === 'x' ? 'y' : 'x');
    expect((await world.row(id)).panelNode).toBe(made?.node ?? null);
  });

  test('three places are tried at once, each with ports of its own, then the attempt is over', async () => {
    const id = await create();
    const made = spyOn(panel.panel, 'createServer').mockResolvedValue({ outcome: 'refused', reason: 'port_taken' });
    await attempt();
    const places = made.mock.calls.map(([spec]) => spec.placement?.allocation);
    expect(new Set(places).size).toBe(3);
    expect(places).toHaveLength(3);
    expect(await entryOf(id)).toMatchObject({ attempts: 1, lastError: 'conflict' });
    expect(await world.steps(id)).toEqual(
      expect.arrayContaining(['userEnsured', 'lookedUp', 'moved', 'moved', 'moved', 'retry']),
    );
    expect((await world.steps(id)).filter((step) => step === 'lookedUp')).toHaveLength(1);
  });

  test('a server whose only port is somebody else’s at the panel is tried again, and fails for want of room', async () => {
    const small = await world.addPanel({ nodes: [{ id: 's', ports: 1 }] });
    small.occupy('s-25565');
    const { id } = await world.servers.create(ctx, world.wish({ locationId: small.location }));
    await attempt();
    expect([await entryOf(id), (await world.row(id)).panelState]).toEqual([
      expect.objectContaining({ attempts: 1, lastError: 'full' }),
      'requested',
    ]);
    await attempt();
    await attempt();
    expect(await failureOf(id)).toEqual(['failed', 'noRoom']);
    expect((await world.row(id)).desired).toBe('deleted');
  });

  test('a conflict whose look-up is refused, or gets no answer, is a try whose outcome nobody knows', async () => {
    const [first, second] = [await create(), await create()];
    spyOn(panel.panel, 'createServer').mockResolvedValue({ outcome: 'conflict' });
    const find = spyOn(panel.panel, 'findServerByExternalId');
    find.mockResolvedValueOnce({ outcome: 'not_found' }).mockResolvedValueOnce({ outcome: 'refused', reason: 'test' });
    await attempt();
    find.mockResolvedValueOnce({ outcome: 'not_found' }).mockResolvedValueOnce({ outcome: 'unknown' });
    await world.buildStep();
    expect([(await entryOf(first)).lastError, (await entryOf(second)).lastError]).toEqual(['conflict', 'unknown']);
    for (const id of [first, second]) expect((await world.row(id)).panelState).toBe('requested');
  });
});

describe('a creation that finds out whether an outage is over', () => {
  const NODE = { node: 'a', cause: 'node' };
  const answered: [PanelAnswer<PanelServer> | null, left: { node: string; cause: string }[]][] = [
    [null, []],
    [{ outcome: 'conflict' }, []],
    [{ outcome: 'not_found' }, []],
    [{ outcome: 'refused', reason: 'port_taken' }, []],
    [{ outcome: 'refused', reason: 'user' }, []],
    [{ outcome: 'refused', reason: 'test' }, []],
    [{ outcome: 'refused', reason: 'key' }, [{ node: '', cause: 'key' }, NODE]],
    [{ outcome: 'unavailable' }, [{ node: '', cause: 'panel' }, NODE]],
    [{ outcome: 'unavailable', away: 'busy' }, [NODE]],
    [{ outcome: 'unknown' }, [NODE]],
    [{ outcome: 'unknown', away: 'node' }, [NODE]],
  ];
  const outage = { reason: null, sinceMs: 0, nextMs: 0, tries: 1, notifiedMs: null };
  const begin = (node: string, cause: 'node' | 'key' | 'panel' | 'off') =>
    world.uow.run((tx) => tx.outages.save({ ...outage, panel: panel.id, node, cause }));

  test.each(answered)('the outage of its node is over unless the answer is %p', async (answer, left) => {
    await create();
    await begin('a', 'node');
    if (answer) spyOn(panel.panel, 'createServer').mockResolvedValue(answer);
    await attempt();
    expect(await outages()).toEqual(left);
  });

  test.each([
    ['panel', []],
    ['off', []],
    ['key', [{ node: '', cause: 'key' }]],
  ] as const)(
    'a look-up that is answered ends the outage of its panel, not that of its key: %s',
    async (cause, left) => {
      await create();
      await begin('', cause);
      panel.panel.fail('lostBefore', 'createServer');
      await attempt();
      expect(await outages()).toEqual([...left]);
    },
  );
});

test('a look-up that finds the server ends the outage of its panel as well', async () => {
  const id = await create();
  panel.panel.fail('lostAfter', 'createServer');
  await attempt();
  const outage = { panel: panel.id, node: '', cause: 'panel', reason: null, sinceMs: 0, nextMs: 0, tries: 1 } as const;
  await world.uow.run((tx) => tx.outages.save({ ...outage, notifiedMs: null }));
  await attempt();
  expect([await outages(), (await world.row(id)).panelId, (await entryOf(id)).attempts]).toEqual([[], '1', 2]);
  // A poll is no attempt, also where it finds out whether an outage is over.
  await world.uow.run((tx) => tx.outages.save({ ...outage, notifiedMs: null }));
  await attempt();
  expect([await outages(), (await entryOf(id)).attempts]).toEqual([[], 2]);
});

describe('a server that waits for its panel', () => {
  test('the wait costs no attempt, is noted once for each cause, and the line is asked again soon', async () => {
    const id = await create();
    panel.panel.fail('unavailable', undefined, 2);
    const createdMs = world.clock.now();
    world.clock.advance(1000);
    await attempt();
    expect([await dueIn(), await entryOf(id)]).toEqual([
      1500,
      expect.objectContaining({
        state: 'queued',
        attempts: 0,
        startedMs: null,
        waitingSinceMs: createdMs + 1000,
        lastError: 'panel',
      }),
    ]);
    expect(await world.row(id)).toMatchObject({ state: 'queued', panelState: null });
    world.clock.advance(1000);
    await attempt();
    expect(await entryOf(id)).toMatchObject({ waitingSinceMs: createdMs + 1000, attempts: 0 });
    panel.panel.fail('keyRefused');
    await attempt();
    panel.panel.fail('busy');
    await attempt();
    expect(await dueIn()).toBe(15 * SECOND);
    expect((await world.steps(id)).filter((step) => step === 'postponed' || step === 'started')).toEqual([
      'started',
      'postponed',
      'postponed',
      'postponed',
    ]);
    // That the panel has too much to do is no outage; and it answered, so that neither is it away.
    await attempt();
    expect((await world.row(id)).panelId).toBe('1');
    expect(await entryOf(id)).toMatchObject({ attempts: 1, waitingSinceMs: null, lastError: null });
    expect((await world.steps(id)).filter((step) => step === 'started')).toHaveLength(1);
  });

  test('an entry that meets a known outage waits since that began, though not since before it was there', async () => {
    const outage = { panel: panel.id, node: '', reason: null, nextMs: 0, tries: 1, notifiedMs: null };
    const sinceMs = world.clock.now();
    world.clock.advance(1000);
    const early = await create();
    world.clock.advance(1000);
    const late = await create();
    panel.panel.fail('unavailable', undefined, 2);
    await world.uow.run((tx) => tx.outages.save({ ...outage, cause: 'panel', sinceMs: sinceMs + 1500 }));
    await attempt(early);
    await attempt(late);
    expect([(await entryOf(early)).waitingSinceMs, (await entryOf(late)).waitingSinceMs]).toEqual([
      sinceMs + 1500,
      sinceMs + 2000,
    ]);
  });

  test.each([
    ['unavailable', 'panelAway'],
    ['busy', 'panelAway'],
    ['keyRefused', 'panelKey'],
    ['nodeAway', 'nodeAway'],
  ] as const)('an entry that waited for as long as the setting says fails: %s as %s', async (fault, failure) => {
    await world.settings.set(null, { queue_give_up_hours: 3 });
    const id = await create();
    panel.panel.fail(fault, 'findServerByExternalId', 2);
    const wait = (ms: number) => world.db.sql('UPDATE server_queue SET waiting_since_ms = ?', [world.clock.now() - ms]);
    await wait(3 * HOUR - 1);
    await attempt();
    expect((await world.row(id)).state).toBe('queued');
    await wait(3 * HOUR);
    await attempt();
    expect([await failureOf(id), await dueIn()]).toEqual([['failed', failure], null]);
    expect(await world.used(ctx)).toMatchObject({ slots: 0, memory: 0 });
  });

  test('while one entry finds out whether an outage is over, the others stay in line', async () => {
    const outage = { panel: panel.id, node: '', reason: null, nextMs: 0, tries: 1, notifiedMs: null };
    const id = await create();
    await world.uow.run((tx) => tx.outages.save({ ...outage, cause: 'panel', sinceMs: 0, nextMs: world.clock.now() }));
    const hold = spyOn(panel.panel, 'findServerByExternalId');
    // Somebody else takes the try between the lease and the beginning.
    const claim = world.uow.run((tx) =>
      tx.outages.claimRetry(panel.id, '', world.clock.now(), world.clock.now() + MINUTE),
    );
    expect(await claim).toBe(true);
    expect(await world.buildAll()).toBe(0);
    expect([hold.mock.calls.length, (await entryOf(id)).state]).toEqual([0, 'queued']);
  });
});

describe('the node of a server', () => {
  test('nodes are read again half a minute after the last reading, once for all who ask together', async () => {
    const nodes = spyOn(panel.catalogue, 'nodes');
    world.clock.advance(30 * SECOND - 1);
    const second = await create();
    await attempt(second);
    expect(nodes).toHaveBeenCalledTimes(0);
    expect(await world.steps(second)).toEqual([
      'queued',
      'reserved',
      'started',
      'userEnsured',
      'lookedUp',
      'created',
      'waiting',
    ]);
    world.clock.advance(1);
    await create();
    await create();
    expect(await world.buildAll()).toBe(2);
    expect(nodes).toHaveBeenCalledTimes(1);
    expect(panel.servers.size).toBe(3);
  });

  test('nodes that were read at this very moment are not read again', async () => {
    await create();
    const nodes = spyOn(panel.catalogue, 'nodes');
    await attempt();
    expect([nodes.mock.calls.length, panel.servers.size]).toEqual([0, 1]);
  });

  test('a clock that was set back does not keep an old reading', async () => {
    await create();
    const nodes = spyOn(panel.catalogue, 'nodes');
    world.clock.advance(-MINUTE);
    await attempt();
    expect(nodes).toHaveBeenCalledTimes(1);
  });

  test('a node in maintenance, or gone, makes the server move, or wait where there is no other', async () => {
    world.clock.advance(MINUTE);
    const id = await create();
    panel.maintenance.add('a');
    await attempt();
    expect([await entryOf(id), await outages()]).toEqual([
      expect.objectContaining({ state: 'queued', lastError: 'maintenance', attempts: 0 }),
      [{ node: 'a', cause: 'maintenance' }],
    ]);
    panel.maintenance.delete('a');
    world.clock.advance(MINUTE);
    await attempt();
    expect(await world.row(id)).toMatchObject({ panelId: '1', panelNode: 'a' });
    expect(await outages()).toEqual([]);
  });

  test('nodes that cannot be read keep the server waiting, unless only the key may not see them', async () => {
    world.clock.advance(MINUTE);
    const [first, second] = [await create(), await create()];
    const nodes = spyOn(panel.catalogue, 'nodes').mockResolvedValueOnce({ outcome: 'unavailable' });
    await attempt();
    expect(await entryOf(first)).toMatchObject({ state: 'queued', lastError: 'panel' });
    expect(panel.servers.size).toBe(0);
    nodes.mockResolvedValueOnce({ outcome: 'refused', reason: 'right:nodes' });
    await world.db.sql('UPDATE jobs SET run_at_ms = 0 WHERE kind = ?', [SERVER_JOBS.build]);
    await world.db.sql('DELETE FROM panel_outages');
    expect(await world.buildStep()).toBe(true);
    expect([...panel.servers.values()].some(({ externalId }) => externalId === first || externalId === second)).toBe(
      true,
    );
  });
});

describe('a worker whose lease was lost while it waited for an answer', () => {
  /** Everything that a worker may change. */
  const everything = () =>
    Promise.all(
      ['servers', 'server_queue', 'server_queue_log', 'jobs', 'panel_outages', 'notifications', 'mails'].map((table) =>
        world.db.sql(`SELECT * FROM ${table}`),
      ),
    );
  let before: Awaited<ReturnType<typeof everything>>;
  /** Answers in another worker's time. */
  async function late<T>(answer: T): Promise<T> {
    await world.db.sql("UPDATE jobs SET lease_token = 'another' WHERE lease_token IS NOT NULL");
    before = await everything();
    return answer;
  }

  test.each<[PanelAnswer<PanelServer>]>([
    [{ outcome: 'unknown' }],
    [{ outcome: 'unavailable' }],
    [{ outcome: 'refused', reason: 'test' }],
    [{ outcome: 'refused', reason: 'port_taken' }],
  ])('the worker changes nothing when its creation is answered by %p', async (answer) => {
    await create();
    const made = spyOn(panel.panel, 'createServer').mockImplementation(() => late(answer));
    await attempt();
    expect(await everything()).toEqual(before);
    expect(made).toHaveBeenCalledTimes(1);
  });

  test.each(['failed', 'deleted', 'installing'] as const)(
    'the server that the panel made late goes again where it is %s by then',
    async (state) => {
      const id = await create();
      const inner = panel.inner.createServer;
      spyOn(panel.panel, 'createServer').mockImplementation(async (spec) => {
        const made = await inner(spec);
        await world.db.sql("UPDATE servers SET state = ?, desired = 'nothing'", [state]);
        return late(made);
      });
      await attempt();
      if (state === 'installing') return expect(await everything()).toEqual(before);
      const [row] = before[0] as [{ revision: number }];
      expect(await world.row(id)).toMatchObject({ state, panelId: '1', panelState: 'installing', desired: 'deleted' });
      expect((await world.row(id)).revision).toBe(row.revision + 1);
      expect(panel.servers.size).toBe(1);
      await world.pass(MINUTE);
      expect(panel.servers.size).toBe(0);
    },
  );

  test.each<[PanelAnswer<PanelServer>]>([
    [{ outcome: 'conflict' }],
    [{ outcome: 'unavailable' }],
    [{ outcome: 'refused', reason: 'test' }],
  ])(
    'the worker forgets nothing of what another sent meanwhile, when its look-up is answered by %p',
    async (answer) => {
      await create();
      spyOn(panel.panel, 'findServerByExternalId').mockImplementation(async () => {
        await world.db.sql("UPDATE servers SET panel_state = 'requested'");
        return late(answer);
      });
      await attempt();
      expect(await everything()).toEqual(before);
    },
  );

  test('the worker asks the panel for nothing more', async () => {
    const ensured = await panel.panel.ensureUser({
      externalId: ctx.actor.userId,
      username: 'ada',
      email: 'ada@example.test',
      firstName: 'Ada',
      lastName: 'B',
    });
    panel.panel.calls.length = 0;
    await create();
    const ensure = spyOn(panel.panel, 'ensureUser').mockImplementationOnce(() => late(ensured));
    await attempt();
    expect([panel.panel.calls, ensure.mock.calls.length]).toEqual([[], 1]);
    await create(await world.person());
    const find = spyOn(panel.panel, 'findServerByExternalId').mockImplementationOnce(() =>
      late({ outcome: 'not_found' } as const),
    );
    await world.buildStep();
    expect([panel.panel.calls, find.mock.calls.length]).toEqual([['ensureUser'], 1]);
    expect(await everything()).toEqual(before);
  });

  test.each<[PanelAnswer<PanelServer> | Pick<PanelServer, 'state'>]>([
    [{ state: 'installing' }],
    [{ state: 'ready' }],
    [{ state: 'install_failed' }],
    [{ outcome: 'not_found' }],
    [{ outcome: 'unavailable' }],
  ])('the worker changes nothing when its poll is answered by %p', async (answer) => {
    const id = await create();
    await attempt();
    const found = await panel.panel.findServerByExternalId(id);
    if (found.outcome !== 'ok') throw new Error('the server was made');
    spyOn(panel.panel, 'newestServers').mockResolvedValue({ outcome: 'ok', value: [] });
    const read = 'state' in answer ? { outcome: 'ok' as const, value: { ...found.value, ...answer } } : answer;
    spyOn(panel.panel, 'readServer').mockImplementation(() => late(read));
    world.clock.advance(20 * SECOND);
    await attempt();
    expect(await everything()).toEqual(before);
  });
});

test.each([
  ['creation', 6],
  ['conflict', 6],
  ['conflict at the built-in panel', 3],
  ['poll', 2],
  ['last poll', 2],
] as const)(
  'whichever write of a %s fails, the job notes it, and one server comes of it in the end',
  async (kind, most) => {
    const outage = {
      panel: panel.id,
      node: '',
      cause: 'panel',
      reason: null,
      sinceMs: 0,
      nextMs: 0,
      tries: 1,
    } as const;
    for (let failing = 1; ; failing += 1) {
      const builtIn = kind === 'conflict at the built-in panel';
      const who = await world.person();
      const id = builtIn ? (await world.servers.create(who, world.wish())).id : await create(who);
      if (builtIn) world.panel.fail('conflict', 'createServer');
      if (kind === 'poll' || kind === 'last poll') await attempt(id);
      world.clock.advance((kind === 'poll' ? 6 : 8) * SECOND);
      await world.uow.run((tx) => tx.outages.save({ ...outage, notifiedMs: null }));
      if (kind === 'conflict') {
        panel.panel.fail('conflict', 'createServer');
        const find = spyOn(panel.panel, 'findServerByExternalId');
        find.mockResolvedValueOnce({ outcome: 'not_found' }).mockResolvedValueOnce({ outcome: 'conflict' });
      }
      let writes = 0;
      const { servers } = world.instance(
        {
          read: world.uow.read,
          run: (work) =>
            (writes += 1) === failing ? Promise.reject(new Error('the disk is full')) : world.uow.run(work),
        },
        world.panel,
      );
      const handlers = serverJobs(servers);
      const { clock, ids, log, bus, uow } = world;
      const runner = createRunner({ uow, clock, ids, log, bus, handlers, random: () => 0.5 });
      expect(await runner.runDue({ kind: SERVER_JOBS.build, most: 1 })).toBe(1);
      const [job] = await world.db.sql<{ error: string | null }>('SELECT last_error AS error FROM jobs WHERE id = ?', [
        (await entryOf(id)).id,
      ]);
      for (const each of [panel.panel, world.panel]) each.heal();
      spyOn(panel.panel, 'findServerByExternalId').mockRestore();
      expect(job?.error ?? null).toBe(writes < failing ? null : 'the disk is full');
      await world.pass(2 * MINUTE);
      expect((await world.row(id)).state).toBe('active');
      const there = [...panel.servers.values(), ...(await world.inPanel())];
      expect(there.filter(({ externalId }) => externalId === id)).toHaveLength(1);
      if (writes < failing) return expect(writes).toBeGreaterThan(most);
    }
  },
);

/** The servers over the same data, where something happens before the nth write of an attempt. */
function interrupted(before: (write: number) => Promise<unknown> | undefined) {
  let writes = 0;
  const { servers } = world.instance(
    {
      read: world.uow.read,
      run: async (work) => {
        writes += 1;
        await before(writes);
        return world.uow.run(work);
      },
    },
    world.panel,
  );
  const { clock, ids, log, bus, uow } = world;
  const runner = createRunner({ uow, clock, ids, log, bus, handlers: serverJobs(servers), random: () => 0.5 });
  return { attempt: () => runner.runDue({ kind: SERVER_JOBS.build, most: 1 }), writes: () => writes };
}

describe('the beginning of an attempt', () => {
  const jobs = () => world.db.sql('SELECT state, lease_token, run_at_ms FROM jobs WHERE kind = ?', [SERVER_JOBS.build]);

  test('an entry whose panel went away since it was leased goes back into the line, and has not begun', async () => {
    const id = await create();
    const outage = { panel: panel.id, node: '', cause: 'panel', reason: null, sinceMs: 0, tries: 1 } as const;
    const nextMs = world.clock.now() + MINUTE;
    const worker = interrupted((write) =>
      write === 1 ? world.uow.run((tx) => tx.outages.save({ ...outage, nextMs, notifiedMs: null })) : undefined,
    );
    const entry = await entryOf(id);
    expect(await worker.attempt()).toBe(1);
    expect(await jobs()).toEqual([{ state: 'ready', lease_token: null, run_at_ms: world.clock.now() + 1500 }]);
    expect([await entryOf(id), panel.panel.calls]).toEqual([entry, []]);
  });

  test('a worker whose lease was lost before it began begins nothing', async () => {
    const id = await create();
    const entry = await entryOf(id);
    const worker = interrupted((write) =>
      write === 1 ? world.db.sql("UPDATE jobs SET lease_token = 'another'") : undefined,
    );
    expect(await worker.attempt()).toBe(1);
    expect([await entryOf(id), (await world.row(id)).state, panel.panel.calls]).toEqual([entry, 'queued', []]);
  });

  test('an entry whose server was deleted meanwhile is over, and so is its job', async () => {
    const id = await create();
    const worker = interrupted((write) =>
      write === 1 ? world.db.sql("UPDATE servers SET state = 'deleted'") : undefined,
    );
    expect(await worker.attempt()).toBe(1);
    expect(await entryOf(id)).toMatchObject({ state: 'cancelled', doneMs: world.clock.now() });
    expect([await dueIn(), panel.panel.calls]).toEqual([null, []]);
  });

  test('everybody in the line sees it move, and a poll writes once', async () => {
    const other = await world.person();
    const [id] = [await create(), await create(other)];
    const seen: string[] = [];
    for (const who of [ctx, other])
      world.bus.subscribe(`servers:${who.actor.userId}`, () => seen.push(who.actor.userId));
    const stopped = interrupted((write) => (write > 1 ? Promise.reject(new Error('stopped')) : undefined));
    expect(await stopped.attempt()).toBe(1);
    expect(seen.toSorted()).toEqual([ctx.actor.userId, other.actor.userId].toSorted());
    await world.pass(MINUTE);
    expect((await world.row(id)).state).toBe('active');
    const third = await create();
    await attempt(third);
    world.clock.advance(5 * SECOND);
    const worker = interrupted(() => undefined);
    expect(await worker.attempt()).toBe(1);
    expect(worker.writes()).toBe(1);
  });
});

describe('the end of a build', () => {
  const activity = async (id: string) => (await world.servers.get(ctx, id)).activity.map(({ code }) => code);
  let seen: string[];
  beforeEach(() => {
    seen = [];
    for (const topic of ['jobs', `user:${ctx.actor.userId}`] as const)
      world.bus.subscribe(topic, () => seen.push(topic));
  });

  test('a server that is ready is announced to its owner, and its place in the line is free', async () => {
    const id = await create();
    await attempt();
    world.clock.advance(8 * SECOND);
    seen = [];
    await attempt();
    expect(seen.toSorted()).toEqual(['jobs', `user:${ctx.actor.userId}`]);
    expect([(await world.steps(id)).at(-1), await world.mails(ctx)]).toEqual(['installed', ['serverReady']]);
    expect(await activity(id)).toContain('ready');
    const entry = await entryOf(id);
    expect(entry).toMatchObject({ state: 'completed', doneMs: world.clock.now(), lastError: null });
    // What was wanted when the attempt began was made: nothing is left to send.
    expect(await world.db.sql("SELECT kind FROM jobs WHERE kind = 'servers.sync'")).toEqual([]);
  });

  test('a server that failed is announced, and what the panel has of it is removed before its room is free', async () => {
    const id = await create();
    panel.panel.fail('lostBefore', 'createServer');
    await attempt();
    panel.panel.fail('refused', 'findServerByExternalId');
    const { revision } = await world.row(id);
    seen = [];
    await attempt();
    expect(seen.toSorted()).toEqual(['jobs', `user:${ctx.actor.userId}`]);
    expect([(await world.steps(id)).slice(-2), await world.mails(ctx), await activity(id)]).toEqual([
      ['failed', 'released'],
      ['serverFailed'],
      expect.arrayContaining(['failed']),
    ]);
    expect(await world.row(id)).toMatchObject({ desired: 'deleted', revision: revision + 1, expiresMs: null });
    const ports = () => world.db.sql('SELECT allocation FROM node_allocations WHERE server_id IS NOT NULL');
    expect(await ports()).toHaveLength(1);
    await world.pass(10 * MINUTE);
    expect([await ports(), (await world.row(id)).desired]).toEqual([[], 'nothing']);
  });

  test('a server of which nothing was sent gives its ports back at once', async () => {
    await create();
    panel.panel.fail('refused', 'findServerByExternalId');
    await attempt();
    expect(await world.db.sql('SELECT allocation FROM node_allocations WHERE server_id IS NOT NULL')).toEqual([]);
    expect(await world.db.sql('SELECT * FROM capacity_reservations')).toEqual([]);
  });
});
