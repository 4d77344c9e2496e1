import { afterEach, describe, expect, test } from 'bun:test';
import { presentOptions, presentPlace } from '#server/api/present-servers.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import { WAITING_LIST } from '#server/modules/servers/waiting-list/waiting-list.ts';
import { DAY, iso, MINUTE } from '#shared/time.ts';
import { call } from '#tests/support/call.ts';
import { atOnce, codeOf } from '#tests/support/coins.ts';
import { ENGINES, type Engine } from '#tests/support/db.ts';
import { openHarness } from '#tests/support/harness.ts';
import { serversWorld, type ServersWorld } from '#tests/support/servers.ts';

let world: ServersWorld;
afterEach(() => world.close());

const SMALL = { memory: 512, disk: 512, ports: 1 };
async function open(engine: Engine = 'sqlite', slots = 1) {
  world = await serversWorld(engine);
  const place = await world.addLocation({ slots });
  const owner = await world.person();
  const full: string[] = [];
  for (let at = 0; at < slots; at += 1) full.push(await world.upServer(owner, { locationId: place }));
  const join = (who: SignedIn, want: Partial<typeof SMALL> = {}, at = place) =>
    world.servers.joinWaitingList(who, at, { eggId: world.egg, ...SMALL, ...want }).then(presentPlace);
  /** Somebody gives a server back. */
  const free = async (serverId: string) => {
    await world.servers.delete(owner, serverId, 'Lanternwood');
    await world.pass(MINUTE);
  };
  const countNotified = async (who: SignedIn) =>
    (await world.notices(who)).filter((kind) => kind === 'capacityFree').length;
  const placeOf = async (who: SignedIn) =>
    presentOptions(await world.servers.options(who)).locations.find(({ id }) => id === place);
  return { place, owner, full, join, free, countNotified, placeOf };
}
const people = (count: number) => Promise.all(Array.from({ length: count }, () => world.person()));

describe.each(ENGINES)('waiting for capacity on %s', (engine) => {
  test('users are notified in order, each once, in the app and by mail, as many as there is capacity for', async () => {
    const { full, join, free, countNotified, placeOf } = await open(engine, 2);
    const line = await people(4);
    for (const who of line) {
      await join(who);
      world.clock.advance(1000);
    }
    const [first, second, third, fourth] = line as [SignedIn, SignedIn, SignedIn, SignedIn];
    expect((await placeOf(third))?.wait).toMatchObject({ position: 3, notified_at: null });
    expect(await world.servers.notifyWaiting()).toBe(0);
    await free(full[0] ?? '');
    expect(await world.servers.notifyWaiting()).toBe(1);
    expect(await world.servers.notifyWaiting()).toBe(0);
    expect([await countNotified(first), await countNotified(second)]).toEqual([1, 0]);
    expect((await world.mails(first)).filter((template) => template === 'capacityFree')).toHaveLength(1);
    expect((await placeOf(first))?.wait).toMatchObject({ position: null, notified_at: iso(world.clock.now()) });
    expect((await placeOf(second))?.wait).toMatchObject({ position: 1 });
    await free(full[1] ?? '');
    expect(await world.servers.notifyWaiting()).toBe(1);
    // The first did not come: after half an hour it is the next one's turn.
    world.clock.advance(WAITING_LIST.notifiedHoldMs + 1);
    expect(await world.servers.notifyWaiting()).toBe(2);
    expect(await Promise.all([first, second, third, fourth].map(countNotified))).toEqual([1, 1, 1, 1]);
  });

  test('fifty requests at once make one place in line, and everybody gets one', async () => {
    const { join, placeOf, place } = await open(engine);
    const [one] = await people(1);
    if (!one) throw new Error('nobody');
    expect(await atOnce(50, () => join(one))).toEqual({ ok: 50 });
    expect(await world.db.sql('SELECT user_id FROM waiting_list')).toHaveLength(1);
    const others = await people(10);
    expect(await atOnce(10, (at) => join(others[at] ?? one))).toEqual({ ok: 10 });
    const places = await Promise.all(others.map(async (who) => (await placeOf(who))?.wait?.position));
    expect(places.sort((a, b) => (a ?? 0) - (b ?? 0))).toEqual(Array.from({ length: 10 }, (_, at) => at + 2));
    expect((await placeOf(one))?.waiting).toBe(11);
    expect(await atOnce(50, () => world.servers.leaveWaitingList(one, place))).toEqual({ ok: 1, NOT_FOUND: 49 });
  });

  test('two processes that notify at once notify each user once', async () => {
    const { full, join, free, countNotified } = await open(engine);
    const line = await people(3);
    for (const who of line) await join(who);
    await free(full[0] ?? '');
    await Promise.all(Array.from({ length: 6 }, () => world.servers.notifyWaiting()));
    expect((await Promise.all(line.map(countNotified))).reduce((sum, each) => sum + each, 0)).toBe(1);
  });

  test('an entry is removed a day after its notice, when it waited too long, has its server, or its location or egg is gone', async () => {
    const { full, join, free, place } = await open(engine);
    const [happy, late, patient, other] = (await people(4)) as [SignedIn, SignedIn, SignedIn, SignedIn];
    for (const who of [happy, late, patient]) {
      await join(who);
      world.clock.advance(1000);
    }
    await free(full[0] ?? '');
    await world.servers.notifyWaiting();
    world.clock.advance(1000);
    await world.servers.create(happy, world.serverInput({ locationId: place }));
    await world.servers.notifyWaiting();
    const waiting = async () =>
      (await world.db.sql<{ user_id: string }>('SELECT user_id FROM waiting_list ORDER BY created_ms')).map(
        (row) => row.user_id,
      );
    expect(await waiting()).toEqual([late.actor.userId, patient.actor.userId]);
    await world.db.sql('UPDATE waiting_list SET notified_ms = ? WHERE user_id = ?', [
      world.clock.now() - WAITING_LIST.notifiedKeptMs - 1,
      late.actor.userId,
    ]);
    await world.servers.notifyWaiting();
    expect(await waiting()).toEqual([patient.actor.userId]);
    world.clock.advance(WAITING_LIST.keptMs);
    await join(other);
    await world.servers.notifyWaiting();
    expect(await waiting()).toEqual([other.actor.userId]);
    await world.db.sql('UPDATE waiting_list SET egg_id = ?', [world.ids.uuid()]);
    await world.servers.notifyWaiting();
    expect(await waiting()).toEqual([]);
  });
});

describe('joining', () => {
  test('joining works only where there is something to wait for', async () => {
    const { join, place } = await open();
    const [who] = (await people(1)) as [SignedIn];
    expect(await codeOf(join(who, {}, world.location))).toBe('CAPACITY_AVAILABLE');
    expect(await codeOf(join(who, {}, world.ids.uuid()))).toBe('LOCATION_UNAVAILABLE');
    expect(await codeOf(world.servers.joinWaitingList(who, place, { eggId: world.ids.uuid(), ...SMALL }))).toBe(
      'EGG_UNAVAILABLE',
    );
    await world.db.sql('UPDATE locations SET vip_only = 1 WHERE id = ?', [place]);
    expect(await codeOf(join(who))).toBe('VIP_ONLY');
    expect(await codeOf(join(await world.person({ permissions: ['user.permission.vip'] })))).toBeNull();
    await world.db.sql('UPDATE locations SET online = 0 WHERE id = ?', [place]);
    expect(await codeOf(join(who))).toBe('LOCATION_UNAVAILABLE');
  });

  test('joining again keeps the place with what is wanted now, and after a notification it begins again', async () => {
    const { full, join, free, countNotified } = await open();
    const [one, two] = (await people(2)) as [SignedIn, SignedIn];
    await join(one);
    world.clock.advance(1000);
    await join(two);
    world.clock.advance(1000);
    expect(await join(one, { memory: 256 })).toMatchObject({ position: 1 });
    await free(full[0] ?? '');
    await world.servers.notifyWaiting();
    const again = await world.upServer(await world.person(), {
      locationId:
        (await world.db.sql<{ location_id: string }>('SELECT location_id FROM waiting_list'))[0]?.location_id ?? '',
    });
    expect((await world.row(again)).state).toBe('active');
    expect(await join(one)).toMatchObject({ position: 2, notified_at: null });
    expect(await countNotified(one)).toBe(1);
  });

  test('leaving moves everybody behind up, and nobody leaves for somebody else', async () => {
    const { join, place, placeOf } = await open();
    const [one, two] = (await people(2)) as [SignedIn, SignedIn];
    await join(one);
    world.clock.advance(1000);
    await join(two);
    const stranger = await world.person();
    expect(await codeOf(world.servers.leaveWaitingList(stranger, place))).toBe('NOT_FOUND');
    expect((await placeOf(two))?.wait?.position).toBe(2);
    await world.servers.leaveWaitingList(one, place);
    expect((await placeOf(two))?.wait?.position).toBe(1);
    expect((await placeOf(stranger))?.wait).toBeNull();
  });

  test('a banned account is passed over', async () => {
    const { full, join, free, countNotified } = await open();
    const [banned, next] = (await people(2)) as [SignedIn, SignedIn];
    await join(banned);
    world.clock.advance(1000);
    await join(next);
    await world.setStatus(banned, 'banned');
    await free(full[0] ?? '');
    expect(await world.servers.notifyWaiting()).toBe(1);
    expect([await countNotified(banned), await countNotified(next)]).toEqual([0, 1]);
  });

  test('the scheduler notifies by itself', async () => {
    const { full, join, free, countNotified } = await open();
    const [who] = (await people(1)) as [SignedIn];
    await join(who);
    await free(full[0] ?? '');
    world.clock.advance(2 * MINUTE);
    await world.scheduler.tick();
    expect(await countNotified(who)).toBe(1);
  });
});

describe('the estimate', () => {
  test('the estimate comes from how often capacity came free at this very location lately', async () => {
    const { full, free, owner, placeOf, place } = await open('sqlite', 2);
    const [who] = (await people(1)) as [SignedIn];
    expect(await placeOf(who)).toMatchObject({ waiting: 0, estimate_s: null, reason: 'LOCATION_FULL' });
    for (const serverId of full) await free(serverId);
    for (let at = 0; at < 2; at += 1) await world.upServer(owner, { locationId: place });
    expect((await placeOf(who))?.estimate_s).toBe((7 * DAY) / 1000);
    expect(
      presentPlace(await world.servers.joinWaitingList(who, place, { eggId: world.egg, ...SMALL })).estimate_s,
    ).toBe((7 * DAY) / 1000);
    world.clock.advance(15 * DAY);
    expect((await placeOf(who))?.wait?.estimate_s).toBeNull();
  });
});

describe('what is left', () => {
  test('what is left is shown of locations by software and amounts, of software by location: the panel’s nodes and our slots', async () => {
    world = await serversWorld();
    const site = await world.addPanel({
      nodes: [
        { id: 'n1', location: '1', memory: 2048, disk: 65_536, ports: 10 },
        { id: 'n2', location: '1', memory: 1024, disk: 65_536, ports: 10 },
      ],
    });
    const big = await world.addEgg({ minMemory: 4096 });
    const foreign = await world.addEgg();
    await site.bind(big);
    const who = await world.person();
    const ask = (facts: object) =>
      world.servers.availability(who, {
        locationId: site.location,
        eggId: world.egg,
        memory: 512,
        disk: 512,
        ports: 1,
        ...facts,
      });
    const at = async (facts: object) => (await ask(facts)).locations.find(({ id }) => id === site.location);
    expect(await at({})).toMatchObject({ left: 6, available: true, reason: null });
    expect(await at({ memory: 1024 })).toMatchObject({ left: 3 });
    expect(await at({ memory: 2048 })).toMatchObject({ left: 1 });
    expect(await at({ memory: 4096 })).toMatchObject({ left: 0, available: false, reason: 'LOCATION_FULL' });
    expect(await at({ ports: 5 })).toMatchObject({ left: 4 });
    expect(await at({ eggId: foreign })).toMatchObject({ reason: 'EGG_UNAVAILABLE' });
    const eggs = new Map((await ask({})).eggs.map((each) => [each.id, each]));
    expect(eggs.get(world.egg)).toMatchObject({ left: 12, available: true });
    expect(eggs.get(big)).toMatchObject({ left: 0, reason: 'LOCATION_FULL' });
    expect(eggs.get(foreign)).toMatchObject({ reason: 'EGG_UNAVAILABLE' });
  });

  test('a user who wants much stays in line, and the next one who fits is notified', async () => {
    world = await serversWorld();
    const site = await world.addPanel({ nodes: [{ id: 'n1', location: '1', memory: 2048, disk: 65_536, ports: 10 }] });
    const owner = await world.person();
    const mine = [
      await world.upServer(owner, {
        locationId: site.location,
        resources: { memory: 1024, disk: 512, cpu: 50, ports: 1, databases: 0, backups: 0 },
      }),
    ];
    mine.push(
      await world.upServer(owner, {
        locationId: site.location,
        resources: { memory: 1024, disk: 512, cpu: 50, ports: 1, databases: 0, backups: 0 },
      }),
    );
    const [much, little] = (await people(2)) as [SignedIn, SignedIn];
    presentPlace(
      await world.servers.joinWaitingList(much, site.location, { eggId: world.egg, memory: 2048, disk: 512, ports: 1 }),
    );
    world.clock.advance(1000);
    presentPlace(
      await world.servers.joinWaitingList(little, site.location, {
        eggId: world.egg,
        memory: 512,
        disk: 512,
        ports: 1,
      }),
    );
    await world.servers.delete(owner, mine[0] ?? '', 'Lanternwood');
    await world.pass(10 * MINUTE);
    await site.read();
    expect(await world.servers.notifyWaiting()).toBe(1);
    expect((await world.notices(little)).includes('capacityFree')).toBe(true);
    expect((await world.notices(much)).includes('capacityFree')).toBe(false);
  });
});

test('waiting over HTTP allows joining, the place in the options and leaving, and a guest and nonsense are refused', async () => {
  world = await serversWorld();
  const harness = await openHarness({ sample: true });
  try {
    const ada = await harness.person('ada');
    const { locations, categories } = await ada.api.servers.options();
    const location = locations.find((each) => each.available)?.id ?? '';
    const egg = categories.flatMap((category) => category.eggs).find((each) => each.available)?.id ?? '';
    const body = { location_id: location, egg_id: egg, memory: 512, disk: 512, ports: 1 };
    expect(await call(harness, ada, 'POST', '/api/server-waits', body)).toMatchObject({
      status: 409,
      json: { error_code: 'CAPACITY_AVAILABLE' },
    });
    await harness.db.sql('UPDATE locations SET slots = 0');
    expect(await call(harness, ada, 'POST', '/api/server-waits', body)).toMatchObject({
      status: 200,
      json: { position: 1, estimate_s: null, notified_at: null },
    });
    expect((await ada.api.servers.options()).locations.find(({ id }) => id === location)).toMatchObject({
      waiting: 1,
      wait: { position: 1 },
      reason: 'LOCATION_FULL',
    });
    const bob = await harness.person('bob');
    expect(await call(harness, bob, 'DELETE', `/api/server-waits/${location}`)).toMatchObject({ status: 404 });
    expect(await call(harness, ada, 'DELETE', `/api/server-waits/${location}`)).toMatchObject({ status: 200 });
    for (const wrong of [{ memory: 0 }, { memory: '512' }, { ports: 1.5 }, { user_id: 'x' }, { egg_id: 'x' }]) {
      expect((await call(harness, ada, 'POST', '/api/server-waits', { ...body, ...wrong })).status).toBe(422);
    }
    expect((await harness.http('/api/servers/availability')).status).toBe(401);
    const left = await ada.api.servers.availability({
      query: { location_id: location, egg_id: egg, memory: '512', disk: '512', ports: '1' },
    });
    expect(left.locations.find(({ id }) => id === location)).toMatchObject({ left: 0, reason: 'LOCATION_FULL' });
    expect((await call(harness, ada, 'GET', '/api/servers/availability?memory=0')).status).toBe(422);
  } finally {
    await harness.close();
  }
});
