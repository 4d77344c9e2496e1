import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import { SECOND } from '#shared/time.ts';
import { buildsWorld, type BuildsWorld } from '#tests/support/builds.ts';

// Shows behaviour 6.2.

let world: BuildsWorld['world'];
let panel: BuildsWorld['panel'];
let ctx: BuildsWorld['ctx'];
let create: BuildsWorld['create'];
let entryOf: BuildsWorld['entryOf'];
let attempt: BuildsWorld['attempt'];
let dueIn: BuildsWorld['dueIn'];
let failureOf: BuildsWorld['failureOf'];
beforeEach(async () => {
  ({ world, panel, ctx, create, entryOf, attempt, dueIn, failureOf } = await buildsWorld());
});
afterEach(() => world.close());

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

  test('a server that is found after a lost answer counts as never brought up to date, one just made as what was sent', async () => {
    const [found, made] = [await create(), await create()];
    panel.panel.fail('lostAfter', 'createServer');
    await attempt(found);
    await attempt(found);
    await attempt(made);
    for (const id of [found, made]) expect((await world.row(id)).panelId).not.toBeNull();
    const { revision } = await world.row(made);
    expect([(await world.row(found)).syncedRevision, (await world.row(made)).syncedRevision]).toEqual([0, revision]);
    // That the account is known was noted together with what came next.
    expect((await world.steps(made)).slice(-4)).toEqual(['userEnsured', 'lookedUp', 'created', 'waiting']);
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

  test.each([
    ['an egg that the panel lost', 'DELETE FROM egg_bindings'],
    ['an egg that is gone', 'DELETE FROM eggs'],
    ['a location that is gone', 'DELETE FROM locations'],
  ])('%s fails the build without a question', async (_, sql) => {
    const id = await create();
    await world.db.sql(sql);
    await attempt();
    expect([await failureOf(id), panel.panel.calls]).toEqual([['failed', 'catalogGone'], []]);
  });

  test('a server that was made while its creation was refused as a second one is adopted, and brought up to date', async () => {
    const id = await create();
    const { createServer } = panel.inner;
    spyOn(panel.panel, 'createServer').mockImplementationOnce(async (spec) => {
      await createServer(spec);
      return { outcome: 'conflict' };
    });
    await attempt();
    expect(await world.row(id)).toMatchObject({ panelId: '1', syncedRevision: 0 });
    expect([(await world.steps(id)).slice(-2), panel.servers.size]).toEqual([['found', 'waiting'], 1]);
  });

  test('a server is made for the account that was made again, not for the one that is gone', async () => {
    await create();
    const made = spyOn(panel.panel, 'createServer').mockResolvedValue({ outcome: 'refused', reason: 'user' });
    spyOn(panel.panel, 'ensureUser')
      .mockResolvedValueOnce({ outcome: 'ok', value: 'gone' })
      .mockResolvedValueOnce({ outcome: 'ok', value: 'new' });
    await attempt();
    expect(made.mock.calls.map(([spec]) => spec.userId)).toEqual(['gone', 'new']);
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

  test('an attempt that ends without an answer about an account has made nothing in the panel, and is tried again', async () => {
    const id = await create();
    spyOn(panel.panel, 'createServer').mockResolvedValue({ outcome: 'refused', reason: 'user' });
    const { ensureUser } = panel.inner;
    spyOn(panel.panel, 'ensureUser').mockImplementationOnce(ensureUser).mockResolvedValueOnce({ outcome: 'unknown' });
    await attempt();
    expect(await world.row(id)).toMatchObject({ state: 'installing', panelState: null });
    expect(await entryOf(id)).toMatchObject({ state: 'building', attempts: 1, lastError: 'unknown' });
  });

  test('a server whose port was taken is sent to the node that it was moved to', async () => {
    const two = await world.addPanel({
      nodes: [
        { id: 'x', ports: 1 },
        { id: 'y', ports: 1 },
      ],
    });
    const { id } = await world.servers.create(ctx, world.serverInput({ locationId: two.location }));
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
    // Whose the ports are, and whether one of them is this server's, nobody knows.
    expect((await world.row(id)).panelState).toBe('requested');
    expect(await world.steps(id)).toEqual(
      expect.arrayContaining(['userEnsured', 'lookedUp', 'moved', 'moved', 'moved', 'retry']),
    );
    expect((await world.steps(id)).filter((step) => step === 'lookedUp')).toHaveLength(1);
  });

  test('a server whose only port is somebody else’s at the panel is tried again, and fails for want of room', async () => {
    const small = await world.addPanel({ nodes: [{ id: 's', ports: 1 }] });
    small.occupy('s-25565');
    const { id } = await world.servers.create(ctx, world.serverInput({ locationId: small.location }));
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
