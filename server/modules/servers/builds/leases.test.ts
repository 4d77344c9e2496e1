import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import type { PanelServer } from '#server/modules/servers/index.ts';
import { MINUTE, SECOND } from '#shared/time.ts';
import { buildsWorld, type BuildsWorld } from '#tests/support/builds.ts';
import type { PanelAnswer } from '../panel/ports.ts';

// Shows behaviour 6.2.

let world: BuildsWorld['world'];
let panel: BuildsWorld['panel'];
let ctx: BuildsWorld['ctx'];
let create: BuildsWorld['create'];
let entryOf: BuildsWorld['entryOf'];
let interrupted: BuildsWorld['interrupted'];
let attempt: BuildsWorld['attempt'];
beforeEach(async () => {
  ({ world, panel, ctx, create, entryOf, interrupted, attempt } = await buildsWorld());
});
afterEach(() => world.close());

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
  ['conflict at the built-in panel', 2],
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
      const id = builtIn ? (await world.servers.create(who, world.serverInput())).id : await create(who);
      if (builtIn) world.panel.fail('conflict', 'createServer');
      if (kind === 'poll' || kind === 'last poll') await attempt(id);
      world.clock.advance((kind === 'poll' ? 6 : 8) * SECOND);
      await world.uow.run((tx) => tx.outages.save({ ...outage, notifiedMs: null }));
      if (kind === 'conflict') {
        panel.panel.fail('conflict', 'createServer');
        const find = spyOn(panel.panel, 'findServerByExternalId');
        find.mockResolvedValueOnce({ outcome: 'not_found' }).mockResolvedValueOnce({ outcome: 'conflict' });
      }
      const worker = interrupted((write) =>
        write === failing ? Promise.reject(new Error('the disk is full')) : undefined,
      );
      expect(await worker.attempt()).toBe(1);
      const [job] = await world.db.sql<{ error: string | null }>('SELECT last_error AS error FROM jobs WHERE id = ?', [
        (await entryOf(id)).id,
      ]);
      for (const each of [panel.panel, world.panel]) each.heal();
      spyOn(panel.panel, 'findServerByExternalId').mockRestore();
      expect(job?.error ?? null).toBe(worker.writes() < failing ? null : 'the disk is full');
      await world.pass(2 * MINUTE);
      expect((await world.row(id)).state).toBe('active');
      const there = [...panel.servers.values(), ...(await world.inPanel())];
      expect(there.filter(({ externalId }) => externalId === id)).toHaveLength(1);
      if (worker.writes() < failing) return expect(worker.writes()).toBeGreaterThan(most);
    }
  },
);
