import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import { SERVER_JOBS, type PanelServer } from '#server/modules/servers/index.ts';
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

  test('a server whose node is in maintenance is made at the other node of its location, with ports of that', async () => {
    const two = await world.addPanel({
      nodes: [
        { id: 'x', ports: 1 },
        { id: 'y', ports: 1 },
      ],
    });
    const { id } = await world.servers.create(ctx, world.serverInput({ locationId: two.location }));
    const { panelNode } = await world.row(id);
    const other = panelNode === 'x' ? 'y' : 'x';
    world.clock.advance(MINUTE);
    two.maintenance.add(panelNode ?? '');
    await attempt();
    expect([...two.servers.values()].map(({ node }) => node)).toEqual([other]);
    expect([(await world.row(id)).panelNode, await world.steps(id)]).toEqual([
      other,
      expect.arrayContaining(['moved']),
    ]);
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
