import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { Topic } from '#server/modules/kernel.ts';
import type { Tx } from '#server/modules/tx.ts';
import { MINUTE, SECOND } from '#shared/time.ts';
import { ENGINES } from '#tests/support/db.ts';
import { serversWorld, type ServersWorld } from '#tests/support/servers.ts';
import type { PanelFailure } from '../panel/index.ts';
import { causeOfFailure, covers, findOutage, isReported } from './outages.ts';
import type { Outage } from './ports.ts';
import { createOutages, type Outages } from './service.ts';

const OUTAGE: Outage = {
  panel: 'p',
  node: '',
  cause: 'panel',
  reason: null,
  sinceMs: 1000,
  nextMs: 2000,
  tries: 1,
  notifiedMs: null,
};

test.each<[PanelFailure, ReturnType<typeof causeOfFailure>]>([
  [{ outcome: 'unavailable' }, { cause: 'panel', reason: null }],
  [
    { outcome: 'unavailable', away: 'busy' },
    { cause: 'busy', reason: null },
  ],
  [
    { outcome: 'unavailable', away: 'node' },
    { cause: 'node', reason: null },
  ],
  [
    { outcome: 'unknown', away: 'node' },
    { cause: 'node', reason: null },
  ],
  [{ outcome: 'unknown' }, null],
  [{ outcome: 'conflict' }, null],
  [
    { outcome: 'refused', reason: 'key' },
    { cause: 'key', reason: 'key' },
  ],
  [{ outcome: 'refused', reason: 'port_taken' }, null],
])('the answer %p means an outage, or a refusal, to those who wait', (answer, cause) => {
  // All that is asked of what it depends on is whether the panel is known.
  const known = { panels: { find: () => ({}) } } as unknown as Parameters<typeof causeOfFailure>[0];
  const none = { panels: { find: () => null } } as unknown as Parameters<typeof causeOfFailure>[0];
  expect(causeOfFailure(known, 'p', answer)).toEqual(cause);
  // Without a connection to the panel nobody was asked, whatever the answer says.
  expect(causeOfFailure(none, 'p', answer)).toEqual({ cause: 'off', reason: null });
});

test('an outage covers the servers of its panel, or those of its node alone, and a panel’s counts before its node’s', () => {
  const [whole, node] = [OUTAGE, { ...OUTAGE, node: '7', cause: 'node' } as const];
  expect(covers(whole, { panel: 'p', panelNode: '7' })).toBe(true);
  expect(covers(whole, { panel: 'p', panelNode: null })).toBe(true);
  expect(covers(whole, { panel: 'q', panelNode: '7' })).toBe(false);
  expect(covers({ ...OUTAGE, panel: '' }, { panel: null, panelNode: null })).toBe(true);
  expect(covers(node, { panel: 'p', panelNode: '7' })).toBe(true);
  expect(covers(node, { panel: 'p', panelNode: '8' })).toBe(false);
  expect(covers(node, { panel: 'q', panelNode: '7' })).toBe(false);
  for (const list of [
    [whole, node],
    [node, whole],
  ])
    expect(findOutage(list, { panel: 'p', panelNode: '7' })).toBe(whole);
  expect(findOutage([node], { panel: 'p', panelNode: '8' })).toBeNull();
  const reported = ['panel', 'key', 'node', 'off', 'maintenance'] as const;
  expect(reported.filter((cause) => isReported({ cause }))).toEqual(['panel', 'key', 'node']);
});

describe.each(ENGINES)('outages of a panel on %s', (engine) => {
  let world: ServersWorld;
  let panel: Awaited<ReturnType<ServersWorld['addPanel']>>;
  let outages: Outages;
  let emitted: [name: string, payload: unknown][];
  let published: Topic[];
  const at = (node: string | null = null) => ({ panel: panel.id, panelNode: node });
  const run = <T>(work: (tx: Tx) => Promise<T>) => world.uow.run(work);
  const find = (node = '') => world.uow.read((tx) => tx.outages.find(panel.id, node));
  const start = (
    reported: Parameters<Outages['start']>[2],
    retried: readonly Outage[] = [],
    node: string | null = null,
  ) => run((tx) => outages.start(tx, at(node), reported, retried));
  const PANEL = { cause: 'panel', reason: null } as const;

  beforeEach(async () => {
    world = await serversWorld(engine);
    panel = await world.addPanel({ nodes: [{ id: 'a', ports: 4 }] });
    emitted = [];
    published = [];
    const emit = (_: Tx, ...event: [name: string, payload: unknown]) => Promise.resolve(void emitted.push(event));
    outages = createOutages({ ...world.deps, events: { emit } });
  });
  afterEach(() => world.close());

  /** What the pages hear from here on. */
  function listen(...topics: Topic[]): void {
    for (const topic of topics) world.bus.subscribe(topic, () => published.push(topic));
  }

  test('an outage is tried again after a pause that doubles up to a minute, and only its own try counts', async () => {
    const began = world.clock.now();
    expect(await start(PANEL)).toBe(began + 10 * SECOND);
    expect(await find()).toEqual({ ...OUTAGE, panel: panel.id, sinceMs: began, nextMs: began + 10 * SECOND });
    world.clock.advance(4 * SECOND);
    // Another that was under way says nothing new; the try itself does.
    expect(await start(PANEL)).toBe(began + 10 * SECOND);
    expect(await start(PANEL, [{ ...OUTAGE, panel: 'other' }])).toBe(began + 10 * SECOND);
    expect(await start(PANEL, [{ ...OUTAGE, panel: panel.id, node: 'a' }])).toBe(began + 10 * SECOND);
    expect((await find())?.tries).toBe(1);
    for (const [tries, pause] of [
      [2, 20],
      [3, 40],
      [4, 60],
      [5, 60],
    ] as const) {
      expect(await start(PANEL, [{ ...OUTAGE, panel: panel.id }])).toBe(world.clock.now() + pause * SECOND);
      expect(await find()).toMatchObject({ tries, sinceMs: began });
    }
    // Whoever asks when the pause is just over counts as a try.
    world.clock.advance(MINUTE);
    expect(await start(PANEL)).toBe(world.clock.now() + MINUTE);
    expect((await find())?.tries).toBe(6);
    // Another cause is news, whatever the pause.
    await start({ cause: 'key', reason: 'key' });
    expect(await find()).toMatchObject({ cause: 'key', reason: 'key', tries: 7 });
  });

  test('an outage of a machine or its maintenance lies at its node, every other at the panel', async () => {
    for (const cause of ['node', 'maintenance'] as const) await start({ cause, reason: null }, [], 'a');
    expect([await find(), (await find('a'))?.cause]).toEqual([null, 'maintenance']);
    await start(PANEL, [], 'a');
    expect((await find())?.cause).toBe('panel');
    await start({ cause: 'node', reason: null });
    expect((await find())?.cause).toBe('node');
  });

  test('a panel in use without a connection has a key that cannot be opened; one that staff turned off is off', async () => {
    const off = { cause: 'off', reason: null } as const;
    await start(off);
    expect(await find()).toMatchObject({ cause: 'key', reason: 'key_unreadable' });
    await world.db.sql('UPDATE panels SET enabled = 0');
    await start(off);
    expect(await find()).toMatchObject({ cause: 'off', reason: null });
    await world.db.sql('UPDATE panels SET enabled = 1');
    await start(PANEL);
    expect(await find()).toMatchObject({ cause: 'panel', reason: null });
    await run((tx) => outages.start(tx, { panel: null, panelNode: null }, off, []));
    expect(await world.uow.read((tx) => tx.outages.find('', ''))).toMatchObject({ cause: 'off', reason: null });
  });

  test('a try is taken by one caller for a minute, and only of what covers their server', async () => {
    await start({ cause: 'node', reason: null }, [], 'a');
    await start(PANEL);
    const claim = (node: string | null, of = at(node)) =>
      run(async (tx) => (await outages.claimRetries(tx, await tx.outages.list(), of)).map((each) => each.node));
    expect(await claim('a')).toEqual([]);
    world.clock.advance(10 * SECOND);
    expect(await claim('a', { panel: 'other', panelNode: 'a' })).toEqual([]);
    expect(await claim('b')).toEqual(['']);
    expect(await claim('a')).toEqual(['a']);
    world.clock.advance(MINUTE - 1);
    expect(await claim('a')).toEqual([]);
    world.clock.advance(1);
    expect((await claim('a')).toSorted()).toEqual(['', 'a']);
  });

  test('those who wait see an outage begin and end once, and staff see every try', async () => {
    const ctx = await world.person();
    await world.servers.create(ctx, world.serverInput({ locationId: panel.location }));
    const own: Topic = `servers:${ctx.actor.userId}`;
    listen('panels', 'jobs', own);
    await start(PANEL);
    expect(published.splice(0).toSorted()).toEqual(['panels', own].toSorted());
    world.clock.advance(MINUTE);
    await start(PANEL);
    expect(published.splice(0)).toEqual(['panels']);
    const known = await find();
    if (!known) throw new Error('there is an outage');
    // That another cause is over does not end it.
    await run((tx) => outages.end(tx, [{ ...known, cause: 'key' }]));
    expect([await find(), published]).toEqual([known, []]);
    await run((tx) => outages.end(tx, [known]));
    expect(await find()).toBeNull();
    expect(published.splice(0).toSorted()).toEqual(['jobs', 'panels', own].toSorted());
    await run((tx) => outages.end(tx, [known]));
    expect(published).toEqual([]);
    // Nobody was notified that it began.
    expect(emitted).toEqual([]);
  });

  test('staff who were notified of an outage are notified of its end, with the names of panel and node', async () => {
    const since = world.clock.now();
    await start(PANEL);
    await start({ cause: 'node', reason: null }, [], 'a');
    await start({ cause: 'node', reason: null }, [], 'gone');
    const [row] = await world.db.sql<{ name: string }>('SELECT name FROM panels');
    const facts = { panelId: panel.id, panel: row?.name, sinceMs: since };
    const nodes = await world.uow.read((tx) => tx.capacity.nodes(panel.id));
    const all = await world.uow.read((tx) => tx.outages.list());
    await run(async (tx) => {
      for (const each of all) {
        await outages.report(tx, each);
        await tx.outages.markNotified(each.panel, each.node, since);
      }
      await outages.end(tx, all);
    });
    const payloads = [
      { ...facts, node: '', nodeName: null, cause: 'panel' },
      { ...facts, node: 'a', nodeName: nodes[0]?.name, cause: 'node' },
      { ...facts, node: 'gone', nodeName: 'gone', cause: 'node' },
    ];
    expect(emitted.splice(0)).toEqual([
      ...payloads.map((payload): [string, unknown] => ['outage.reported', payload]),
      ...payloads.map((payload): [string, unknown] => ['outage.ended', payload]),
    ]);
    const unheard = createOutages({
      ...world.deps,
      events: { emit: () => Promise.reject(new Error('not delivered')) },
    });
    const known = { ...OUTAGE, panel: panel.id };
    await expect(run((tx) => unheard.report(tx, known))).rejects.toThrow('not delivered');
    // What staff did themselves, and panels that are gone, are no news.
    await run(async (tx) => {
      for (const each of [
        { ...OUTAGE, panel: panel.id, cause: 'off' },
        { ...OUTAGE, panel: panel.id, node: 'a', cause: 'maintenance' },
        { ...OUTAGE, panel: 'gone' },
        { ...OUTAGE, panel: '' },
      ] as const)
        await outages.report(tx, each);
    });
    expect(emitted).toEqual([]);
  });
});
