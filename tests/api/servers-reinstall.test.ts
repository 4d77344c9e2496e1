import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { presentServerPage } from '#server/api/present-servers.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import { ApiError } from '#shared/contract/client.ts';
import { MINUTE } from '#shared/time.ts';
import { codeOf, keyed } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness } from '#tests/support/harness.ts';
import { serversWorld, type ServersWorld } from '#tests/support/servers.ts';

/** Installing a server anew, by its owner and by staff. */
const MISSING = '01890000-0000-7000-8000-000000000000';

describe.each(ENGINES.map((engine) => [engine] as const))('reinstalling on %s', (engine) => {
  let world: ServersWorld;
  let panel: Awaited<ReturnType<ServersWorld['addPanel']>>;
  let owner: SignedIn;
  let staff: SignedIn;
  let id: string;
  beforeEach(async () => {
    world = await serversWorld(engine);
    [owner, staff] = [await world.person(), await world.person({ permissions: ['admin.servers.edit'] })];
    panel = await world.addPanel({ nodes: [{ id: 'a', ports: 8 }] });
    id = await world.upServer(owner, { locationId: panel.location });
  });
  afterEach(() => world.close());
  const times = async () => panel.servers.get(Number((await world.row(id)).panelId))?.reinstalls;
  const events = async () =>
    presentServerPage(await world.servers.get(owner, id))
      .activity.filter(({ code }) => code.startsWith('reinstall'))
      .map(({ code, detail }) => [code, detail]);
  const audits = async () =>
    (await world.db.sql<{ n: number }>("SELECT COUNT(*) AS n FROM audit WHERE action = 'servers.reinstall'"))[0]?.n;

  test('the page follows the reinstall from the order to its end, with who ordered it', async () => {
    const { servers } = world;
    expect((await servers.get(owner, id)).reinstall).toBe('possible');
    await servers.reinstall(owner, id);
    expect((await servers.get(owner, id)).reinstall).toBe('underWay');
    await world.runner.runDue();
    expect([
      (await world.row(id)).panelState,
      (await servers.get(owner, id)).reinstall,
      (await servers.staff.view(id)).reinstall,
    ]).toEqual(['installing', 'underWay', 'underWay']);
    // The panel is at it: another would be a second one.
    expect([await codeOf(servers.reinstall(owner, id)), await codeOf(servers.staff.reinstall(staff, id))]).toEqual([
      'SERVER_BUSY',
      'SERVER_BUSY',
    ]);
    await world.pass(5 * MINUTE);
    expect([(await servers.get(owner, id)).reinstall, await times()]).toEqual(['possible', 1]);
    await servers.staff.reinstall(staff, id);
    await world.pass(5 * MINUTE);
    expect(await events()).toEqual([
      ['reinstalled', null],
      ['reinstalling', 'admin'],
      ['reinstalled', null],
      ['reinstalling', null],
    ]);
    expect([await times(), await audits()]).toEqual([2, 2]);
  });

  test('fifty reinstalls at once, and one key twice, are one', async () => {
    const codes = await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        codeOf(
          at % 2 === 0
            ? world.servers.reinstall(keyed(owner, `again-${at}`), id)
            : world.servers.staff.reinstall(staff, id),
        ),
      ),
    );
    expect(new Set(codes)).toEqual(new Set([null]));
    await world.pass(5 * MINUTE);
    expect([await times(), (await events()).length, await audits()]).toEqual([1, 2, 1]);
    // The same key says the same again, and does nothing.
    await world.servers.reinstall(keyed(owner, 'again-0'), id);
    await world.pass(5 * MINUTE);
    expect(await times()).toBe(1);
  });

  test('a server that waits, is suspended, is going or is gone cannot be reinstalled, not by staff either', async () => {
    const { servers } = world;
    const both = async (what: string) => [
      await codeOf(servers.reinstall(owner, what)),
      await codeOf(servers.staff.reinstall(staff, what)),
    ];
    const waiting = await servers.create(owner, world.serverInput());
    expect([await both(waiting.id), (await servers.get(owner, waiting.id)).reinstall]).toEqual([
      ['SERVER_NOT_READY', 'SERVER_NOT_READY'],
      'impossible',
    ]);
    await servers.staff.suspend(staff, id, 'Mining');
    expect([await both(id), (await servers.get(owner, id)).reinstall]).toEqual([
      ['SERVER_SUSPENDED', 'SERVER_SUSPENDED'],
      'impossible',
    ]);
    await servers.staff.unsuspend(staff, id);
    panel.panel.fail('unavailable', 'deleteServer', 2);
    await servers.delete(owner, id, 'Lanternwood');
    expect(await both(id)).toEqual(['SERVER_BUSY', 'SERVER_BUSY']);
    await world.pass(10 * MINUTE);
    expect([await both(id), panel.panel.calls.includes('reinstall')]).toEqual([['NOT_FOUND', 'NOT_FOUND'], false]);
  });

  test('T24 somebody else’s server answers like a missing one, and no panel is asked', async () => {
    const bob = await world.person();
    for (const what of [id, MISSING]) expect(await codeOf(world.servers.reinstall(bob, what))).toBe('NOT_FOUND');
    expect(await codeOf(world.servers.staff.reinstall(staff, MISSING))).toBe('NOT_FOUND');
    await world.pass(5 * MINUTE);
    expect([await times(), await events()]).toEqual([0, []]);
  });

  test('the reason of a suspension by staff is the owner’s to read, word for word, while it lasts', async () => {
    const note = async () => presentServerPage(await world.servers.get(owner, id)).suspend_note;
    expect(await note()).toBeNull();
    await world.servers.staff.suspend(staff, id, '<b>Mining</b>');
    expect(await note()).toBe('<b>Mining</b>');
    await world.setStatus(owner, 'banned');
    await world.servers.staff.unsuspend(staff, id);
    expect([(await world.row(id)).suspendReason, await note()]).toEqual(['ban', null]);
  });
});

const refusal = (call: Promise<unknown>): Promise<string | null> =>
  call.then(
    () => null,
    (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
  );

test('T24 reinstalls over the wire are for the owner alone, and staff by permission', async () => {
  const h = await openHarness({ sample: true });
  try {
    const [ann, bob] = [await h.person('ann'), await h.person('bob')];
    const [clerk, lister] = [
      await h.person('clerk', { permissions: ['admin.servers.edit'] }),
      await h.person('lister', { permissions: ['admin.servers.list'] }),
    ];
    const options = await ann.api.servers.options();
    const category = options.categories.find((each) => each.eggs.some(({ available }) => available));
    const egg = category?.eggs.filter(({ available }) => available).toSorted((a, b) => a.min_memory - b.min_memory)[0];
    const { id } = await ann.api.servers.create({
      body: {
        name: 'Lanternwood',
        description: '',
        location_id: options.locations.find(({ available }) => available)?.id ?? '',
        category_id: category?.id ?? '',
        egg_id: egg?.id ?? '',
        memory: egg?.min_memory ?? 0,
        disk: egg?.min_disk ?? 0,
        cpu: egg?.min_cpu ?? 0,
        ports: 1,
        databases: 0,
        backups: 0,
        variables: Object.fromEntries((egg?.variables ?? []).map((each) => [each.env, each.default_value])),
        auto_renew: false,
      },
    });
    const state = async () => (await ann.api.servers.get({ params: { id } })).server.state;
    for (let turn = 0; turn < 12 && (await state()) !== 'active'; turn += 1) {
      await h.drainJobs();
      h.clock.advance(10_000);
    }
    const params = { id };
    for (const each of [{ id }, { id: MISSING }])
      expect(await refusal(bob.api.servers.reinstall({ params: each }))).toBe('NOT_FOUND');
    for (const who of [bob, lister, ann])
      expect(await refusal(who.api.adminServers.reinstall({ params }))).toBe('FORBIDDEN');
    expect(await refusal(clerk.api.adminServers.reinstall({ params: { id: MISSING } }))).toBe('NOT_FOUND');
    expect((await ann.api.servers.get({ params })).reinstall).toBe('possible');
    await ann.api.servers.reinstall({ params });
    expect((await ann.api.servers.get({ params })).reinstall).toBe('underWay');
    expect(await refusal(clerk.api.adminServers.reinstall({ params }))).toBeNull();
  } finally {
    await h.close();
  }
});
