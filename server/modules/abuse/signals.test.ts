import { afterEach, expect, test } from 'bun:test';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { abuseWorld, type AbuseWorld } from '#tests/support/abuse.ts';
import { codeOf } from '#tests/support/coins.ts';
import { createSignals, listPlaces } from './signals.ts';
import type { Vpn } from './vpn.ts';

let world: AbuseWorld;
afterEach(() => world.close());
const signals = () =>
  world.db.sql<{ user_id: string; kind: string; value: string; last_ms: number }>(
    'SELECT user_id, kind, value, last_ms FROM abuse_signals ORDER BY kind, value',
  );
const reasons = async (state: 'open' = 'open') =>
  (await world.abuse.list({ state, sort: { key: 'created', dir: 'desc' }, offset: 0, limit: 1 })).rows[0]?.reasons.map(
    ({ code, count }) => [code, count],
  );

test('T56 nothing personal stands in the table: keyed hashes, the /64 of an IPv6 address, and forgotten in time', async () => {
  world = await abuseWorld();
  const [ann, ben] = [await world.person(), await world.person()];
  world.links.set(ann.actor.userId, [{ provider: 'discord', subject: '123456789012345678' }]);
  await world.see(ann, '203.0.113.9', 'device-token-of-ann');
  await world.see(ben, '2001:db8:1:2:3:4:5:6', 'device-token-of-ben');
  await world.uow.run((tx) => world.abuse.recordPaymentMeans(tx, ben.actor.userId, 'card-fingerprint'));
  await world.pay(ann);
  const rows = await signals();
  expect(rows.map(({ kind }) => kind)).toEqual(['address', 'device', 'device', 'identity', 'network', 'payment']);
  const text = JSON.stringify(rows.map(({ value }) => value));
  for (const secret of ['203.0', '2001', 'token', 'fingerprint', '123456789012345678'])
    expect(text).not.toContain(secret);
  const plain = new Bun.CryptoHasher('sha256').update('203.0.113.9').digest('base64url');
  expect(text).not.toContain(plain);
  // Another address of the same /64 is the same place.
  world.pass(11 * MINUTE);
  await world.see(ben, '2001:db8:1:2:ffff::1', 'device-token-of-ben');
  expect((await signals()).length).toBe(rows.length);
  world.pass(91 * DAY);
  await world.abuse.purge();
  expect(await signals()).toEqual([]);
});

test('a sighting is written once in ten minutes, and again where anything about it is new', async () => {
  world = await abuseWorld();
  const ann = await world.person();
  const see = (address: string, device: string) =>
    world.abuse.observe({ userId: ann.actor.userId, sessionId: ann.actor.sessionId, address, device });
  const first = see('203.0.113.9', 'd');
  expect(first).toBeInstanceOf(Promise);
  await first;
  expect(see('203.0.113.9', 'd')).toBeUndefined();
  await see('203.0.113.10', 'd');
  expect(await signals()).toHaveLength(3);
  world.pass(10 * MINUTE);
  await see('203.0.113.10', 'd');
  expect((await signals()).filter(({ last_ms: last }) => last === world.clock.now())).toHaveLength(2);
  expect(see('unknown', 'd')).toBeInstanceOf(Promise);
});

test('T52 devices and networks that somebody makes up neither fill the table nor push out what speaks against them', async () => {
  world = await abuseWorld();
  const suspect = await world.suspect();
  for (let index = 0; index < 130; index += 1) {
    world.pass(1);
    await world.see(suspect, `2001:db8:0:${index.toString(16)}::1`, `made-up-${index}`);
  }
  const own = (await signals()).filter(({ user_id: id }) => id === suspect.actor.userId);
  expect(own.filter(({ kind }) => kind === 'device')).toHaveLength(60);
  expect(await world.pay(suspect)).toMatchObject({ state: 'held' });
  expect(await reasons()).toContainEqual(['deviceShared', 3]);
});

test('T15 what was linked a moment ago counts at once: an account is not believed for the minutes before it', async () => {
  world = await abuseWorld();
  const [ann, ben] = [await world.person(), await world.person()];
  world.links.set(ann.actor.userId, [{ provider: 'discord', subject: '80351110224678912' }]);
  await world.pay(ann);
  expect(await world.pay(ben, { source: 'afk' })).toMatchObject({ state: 'paid' });
  world.links.set(ben.actor.userId, [{ provider: 'discord', subject: '80351110224678912' }]);
  expect(await world.pay(ben, { source: 'j4r' })).toMatchObject({ state: 'held' });
});

test('an identity that moved from one account to another speaks against both, also after it was unlinked', async () => {
  world = await abuseWorld();
  const [ann, ben] = [await world.person(), await world.person()];
  world.links.set(ann.actor.userId, [{ provider: 'discord', subject: '80351110224678912' }]);
  expect(await world.pay(ann)).toMatchObject({ state: 'paid' });
  world.links.delete(ann.actor.userId);
  world.links.set(ben.actor.userId, [{ provider: 'discord', subject: '80351110224678912' }]);
  expect(await world.pay(ben)).toMatchObject({ state: 'held' });
  expect(await reasons()).toEqual([['identityShared', 1]]);
});

test('a Discord account that is new, and means of payment that others use, add up with the rest', async () => {
  world = await abuseWorld();
  const all = [await world.person(), await world.person(), await world.person()];
  for (const each of all)
    await world.uow.run((tx) => world.abuse.recordPaymentMeans(tx, each.actor.userId, 'one card'));
  const [ann] = all;
  if (!ann) throw new Error('nobody');
  const made = BigInt(world.clock.now() - 2 * DAY - 1_420_070_400_000) << 22n;
  world.links.set(ann.actor.userId, [{ provider: 'discord', subject: String(made) }]);
  expect(await world.pay(ann)).toMatchObject({ state: 'held' });
  expect(await reasons()).toEqual([
    ['paymentShared', 2],
    ['discordYoung', 2],
  ]);
});

test('T20 the ad-blocker check takes no word for it: only what the bait contained, of this session, while it is fresh', async () => {
  world = await abuseWorld();
  const [ann, ben] = [await world.person(), await world.person()];
  expect(await codeOf(world.abuse.assertAdsLoaded(ann))).toBeNull();
  await world.settings.set(null, { adblock_check: true });
  expect(await codeOf(world.abuse.assertAdsLoaded(ann))).toBe('AD_BLOCKER');
  const token = world.abuse.createAdsToken(ann);
  const [at = ''] = token.split('.');
  for (const forged of [
    '',
    'true',
    `${at}.`,
    `${at}.${'A'.repeat(43)}`,
    `zzzzzzzz.${token.split('.')[1]}`,
    world.abuse.createAdsToken(ben),
  ]) {
    expect(await codeOf(world.abuse.confirmAds(ann, forged))).toBe('AD_BLOCKER');
  }
  expect(await codeOf(world.abuse.confirmAds(ben, token))).toBe('AD_BLOCKER');
  world.pass(2 * MINUTE + 1);
  expect(await codeOf(world.abuse.confirmAds(ann, token))).toBe('AD_BLOCKER');
  await world.abuse.confirmAds(ann, world.abuse.createAdsToken(ann));
  expect(await codeOf(world.abuse.assertAdsLoaded(ann))).toBeNull();
  // Of this session alone, and for an hour; the permission lets pass without it.
  expect(await codeOf(world.abuse.assertAdsLoaded(await world.login(ann.actor.userId, ann.actor.username)))).toBe(
    'AD_BLOCKER',
  );
  world.pass(HOUR + 1);
  expect(await codeOf(world.abuse.assertAdsLoaded(ann))).toBe('AD_BLOCKER');
  expect(
    await codeOf(
      world.abuse.assertAdsLoaded({ ...ann, actor: { ...ann.actor, permissions: ['user.permission.adblocker'] } }),
    ),
  ).toBeNull();
  // It pays nothing by itself, and hides nothing from the score.
  expect(await world.balance(ann)).toBe(0);
});

test('an address on the host’s list adds up with what else there is, and the permission lets it pass', async () => {
  world = await abuseWorld();
  const ann = await world.person();
  await world.settings.set(null, { vpn_check: true, vpn_networks: '203.0.113.0/24', abuse_threshold: 40 });
  await world.see(ann, '203.0.113.9', 'd');
  expect(await world.pay(ann)).toMatchObject({ state: 'held' });
  expect(await reasons()).toEqual([['vpn', null]]);
  expect(world.provider.asked).toEqual([]);
  await world.db.sql(
    "INSERT INTO role_permissions (role_id, permission) SELECT role_id, 'user.permission.vpn' FROM users WHERE id = ? RETURNING role_id",
    [ann.actor.userId],
  );
  world.pass(6 * MINUTE);
  expect(await world.pay(ann)).toMatchObject({ state: 'paid' });
});

test('an uploaded list counts at once, in every process, and is audited', async () => {
  world = await abuseWorld();
  const ann = await world.person();
  await world.settings.set(null, { vpn_check: true, abuse_threshold: 40 });
  await world.see(ann, '198.51.100.77', 'd');
  expect(await world.pay(ann)).toMatchObject({ state: 'paid' });
  expect(await codeOf(world.abuse.uploadList(null, 'nothing\n'))).toBe('VALIDATION_FAILED');
  expect(await world.abuse.uploadList(null, '198.51.100.0/24\nnothing\n')).toEqual({ ranges: 1, faults: [2] });
  await world.see(ann, '198.51.100.77', 'd');
  expect(await world.pay(ann)).toMatchObject({ state: 'held' });
  expect(await world.abuse.findUploadedList()).toEqual({ ranges: 1, updatedMs: world.clock.now() });
  await world.abuse.uploadList(null, null);
  expect(await world.abuse.findUploadedList()).toBeNull();
  expect(
    (await world.uow.read((tx) => tx.audit.latest(9))).filter(({ action }) => action === 'vpn_list.put'),
  ).toHaveLength(2);
});

test('T20 a provider that is down blocks nobody: rewards are paid or on hold as set, and it is asked later', async () => {
  world = await abuseWorld();
  const ann = await world.person();
  await world.settings.set(null, { vpn_check: true, vpn_provider_url: 'http://127.0.0.1:1/{ip}', abuse_threshold: 40 });
  world.provider.answer = 'unknown';
  await world.see(ann, '8.8.8.8', 'd');
  await world.lookUp();
  expect(world.provider.asked).toEqual(['8.8.8.8']);
  expect(await world.pay(ann)).toMatchObject({ state: 'paid' });
  await world.settings.set(null, { vpn_unknown_holds: true });
  world.pass(6 * MINUTE);
  expect(await world.pay(ann)).toMatchObject({ state: 'held' });
  expect(await reasons()).toEqual([['vpnUnknown', null]]);
  // The failure is remembered for a quarter of an hour, a verdict for a day.
  world.provider.answer = 'clean';
  world.pass(5 * MINUTE);
  await world.see(ann, '8.8.8.8', 'd');
  await world.lookUp();
  expect(world.provider.asked).toHaveLength(1);
  world.pass(15 * MINUTE);
  await world.see(ann, '8.8.8.8', 'd');
  await world.lookUp();
  expect(world.provider.asked).toHaveLength(2);
  expect(await world.pay(ann)).toMatchObject({ state: 'paid' });
  world.provider.answer = 'vpn';
  world.pass(20 * MINUTE);
  await world.see(ann, '8.8.8.8', 'd');
  await world.lookUp();
  expect(world.provider.asked).toHaveLength(2);
});

test('private addresses are never sent to a provider, and one address is asked about once', async () => {
  world = await abuseWorld();
  await world.settings.set(null, { vpn_check: true, vpn_provider_url: 'http://127.0.0.1:1/{ip}' });
  for (const address of ['10.0.0.1', '127.0.0.1', '100.64.1.1', 'fe80::1', 'unknown'])
    await world.see(await world.person(), address, null);
  for (let index = 0; index < 5; index += 1) await world.see(await world.person(), '8.8.8.8', null);
  const payloads = await world.db.sql<{ payload: string }>("SELECT payload FROM jobs WHERE kind = 'abuse.vpn'");
  expect(payloads).toHaveLength(1);
  expect(payloads[0]?.payload).not.toContain('8.8.8.8');
});

test('signals of a registration and of a payment are written down with them, and a payment forgets the score', async () => {
  world = await abuseWorld();
  const [ann, ben] = [await world.person(), await world.person()];
  const changed: string[] = [];
  // The two functions of it that signals call; nothing is looked up.
  const vpn = { version: () => 0, enqueueLookup: () => Promise.resolve() } as unknown as Vpn;
  const { recordRegistration, recordPaymentMeans } = createSignals(world.abuseDeps, vpn, (userId) =>
    changed.push(userId),
  );
  await world.uow.run(async (tx) => {
    await recordRegistration(tx, { userId: ann.actor.userId, address: '203.0.113.9', device: 'd' });
    await recordRegistration(tx, { userId: ben.actor.userId, address: '2001:db8::1', device: null });
    await recordPaymentMeans(tx, ben.actor.userId, 'card');
  });
  const kindsOf = async (userId: string) =>
    (await signals()).filter(({ user_id: id }) => id === userId).map(({ kind }) => kind);
  expect([await kindsOf(ann.actor.userId), await kindsOf(ben.actor.userId), changed]).toEqual([
    ['address', 'device'],
    ['network', 'payment'],
    [ben.actor.userId],
  ]);
  // Both kinds of places are places.
  const [own, other] = await world.uow.read((tx) =>
    Promise.all([ann, ben].map(({ actor }) => listPlaces(tx, actor.userId, world.clock.now()))),
  );
  const values = (await signals()).filter(({ kind }) => kind !== 'device' && kind !== 'payment');
  expect([own, other]).toEqual(values.map(({ value }) => [value]));
});

test('a sighting that cannot be written is written with the next request, and no score is forgotten before', async () => {
  world = await abuseWorld();
  const ann = await world.person();
  const changed: string[] = [];
  // The two functions of it that signals call; nothing is looked up.
  const vpn = { version: () => 0, enqueueLookup: () => Promise.resolve() } as unknown as Vpn;
  let full = true;
  const run: AbuseWorld['uow']['run'] = (work) =>
    full ? Promise.reject(new Error('the disk is full')) : world.uow.run(work);
  const uow = { read: world.uow.read, run };
  const { observe } = createSignals({ ...world.abuseDeps, uow }, vpn, (userId) => changed.push(userId));
  const see = () =>
    observe({ userId: ann.actor.userId, sessionId: ann.actor.sessionId, address: '203.0.113.9', device: null });
  expect(await see()?.then(() => 'written', String)).toContain('the disk is full');
  expect(changed).toEqual([]);
  full = false;
  await see();
  expect([changed, (await signals()).length]).toEqual([[ann.actor.userId], 1]);
});

test('T20 a token of the bait is good for two minutes to the millisecond', async () => {
  world = await abuseWorld();
  const ann = await world.person();
  const token = world.abuse.createAdsToken(ann);
  world.pass(2 * MINUTE);
  expect(await codeOf(world.abuse.confirmAds(ann, token))).toBeNull();
  world.pass(1);
  expect(await codeOf(world.abuse.confirmAds(ann, token))).toBe('AD_BLOCKER');
});
