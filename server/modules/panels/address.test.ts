import { afterEach, describe, expect, test } from 'bun:test';
import type { FieldErrors } from '#shared/errors.ts';
import { ENGINES } from '#tests/support/db.ts';
import { anEgg, standInPanel } from '#tests/support/panel-standin.ts';
import { panelCreateInput, panelUpdateInput } from '#shared/schemas/panel.ts';
import { fieldErrors } from '#shared/validation.ts';
import { closePanels, CTX, openPanels, refusal, URL_A } from '#tests/support/panels-service.ts';

afterEach(closePanels);

describe('addresses', () => {
  const bad = [
    'http://panel.example.com',
    'http://meta.example.com',
    'https://meta.example.com',
    'http://169.254.169.254',
    'http://[::ffff:169.254.169.254]',
    'http://0.0.0.0',
    'http://nowhere.example.com',
    'http://8.8.8.8',
    'http://[fe80::1]',
  ];
  test.each(bad)('T26 no key goes to %s', async (url) => {
    const { service, input, connector } = await openPanels();
    const fields = await refusal(service.create(CTX, { ...input, url: new URL(url).origin }));
    expect(Object.keys(fields)).toEqual(['url']);
    expect(connector.connected).toEqual([]);
  });
  test.each([
    'http://inside.example.com',
    'http://10.1.2.3:8080',
    'http://[fd00::7]',
    'http://127.0.0.1',
    'http://100.100.1.1',
  ])('an address like %s is inside, and said to be without encryption', async (url) => {
    const { add, service } = await openPanels('sqlite', {
      [URL_A]: standInPanel(),
      [new URL(url).origin]: standInPanel(),
    });
    expect(await service.get(await add({ url: new URL(url).origin }))).toMatchObject({ insecure: true });
  });

  test('T26 a wrong address or key stores nothing until somebody says what stands there', async () => {
    const { service, input, panel, add } = await openPanels();
    expect(await refusal(service.create(CTX, { ...input, url: 'https://moved.example.com' }))).toEqual({
      url: ['PANEL_SILENT'],
    });
    expect(await refusal(service.create(CTX, { ...input, key: 'ptla_wrong' }))).toEqual({ key: ['NOT_ALLOWED'] });
    expect(await service.list()).toEqual([]);
    panel.faults.set('detect', { outcome: 'unavailable' });
    const id = await add({ dialect: 'pelican' as never });
    expect(await service.get(id)).toMatchObject({
      dialect: 'pelican',
      checked: { check: { fault: 'unavailable', cause: 'timeout' } },
    });
    panel.faults.clear();
    expect(await service.test(null, id)).toMatchObject({
      check: { found: { dialect: 'pterodactyl' } },
    });
    expect((await service.get(id)).dialect).toBe('pterodactyl');
  });

  test('T26 an address that leads to another panel is not taken for the same one', async () => {
    const elsewhere = standInPanel({ eggs: [anEgg('1', 'Paper', { uuid: '99999999-0000-4000-8000-000000000001' })] });
    const { update, read, takeAll, service } = await openPanels('sqlite', {
      [URL_A]: standInPanel(),
      'https://moved.example.com': elsewhere,
    });
    const id = await read();
    await takeAll(id);
    const moved = { url: 'https://moved.example.com', key: elsewhere.key };
    expect(await refusal(update(id, moved))).toEqual({ url: ['OTHER_PANEL'] });
    elsewhere.faults.set('eggs', { outcome: 'unknown' });
    expect(await refusal(update(id, moved))).toBe('PANEL_UNAVAILABLE');
    elsewhere.faults.clear();
    elsewhere.eggs.push(anEgg('2', 'Forge'));
    await update(id, moved);
    expect((await service.get(id)).url).toBe('https://moved.example.com');
  });
});

describe.each(ENGINES)('keys and a new address on %s', (engine) => {
  const THIEF = 'https://moved.example.com';
  const world = async () => {
    const thief = standInPanel();
    const all = await openPanels(engine, { [URL_A]: standInPanel(), [THIEF]: thief });
    const id = await all.add({ client_key: 'ptlc_0123456789abcdef' });
    all.connector.connected.length = 0;
    return { ...all, id, thief };
  };

  test('S1 staff who change a panel’s address without its keys are refused, and nothing is sent there', async () => {
    const { update, thief, connector, id, service, input } = await world();
    const both: FieldErrors = { key: ['REQUIRED'], client_key: ['REQUIRED'] };
    for (const dialect of ['auto', 'pelican'] as const)
      expect(await refusal(update(id, { url: THIEF, dialect }))).toEqual(both);
    // One key alone does not send the other.
    expect(await refusal(update(id, { url: THIEF, key: input.key }))).toEqual({ client_key: ['REQUIRED'] });
    expect(await refusal(update(id, { url: THIEF, client_key: 'ptlc_fresh' }))).toEqual({ key: ['REQUIRED'] });
    expect(await refusal(update(id, { url: THIEF, drop_client_key: true }))).toEqual({ key: ['REQUIRED'] });
    // Another scheme or port is another origin.
    expect(await refusal(update(id, { url: 'https://panel.example.com:8443' }))).toEqual(both);
    expect(await refusal(update(id, { url: 'http://panel.example.com' }))).toEqual(both);
    expect([thief.asked, connector.connected.filter(({ url }) => url !== URL_A)]).toEqual([[], []]);
    expect((await service.get(id)).url).toBe(URL_A);
  });

  test('S1 an attempt is in the audit log before anything is asked, also one that is refused', async () => {
    const { update, thief, id, audit, service, input } = await world();
    const attempts = async () =>
      (await audit())
        .filter(({ action, target }) => action === 'panels.attempt' && target === id)
        .map(({ actorId, after }) => [actorId, after]);
    await refusal(update(id, { url: THIEF }));
    expect(await attempts()).toEqual([
      [CTX.actor.userId, { name: 'Main', url: THIEF, key: 'absent', client_key: 'absent' }],
    ]);
    let seen = 0;
    thief.before = async () => void (seen ||= (await attempts()).length);
    thief.key = 'ptla_another';
    expect(await refusal(update(id, { url: THIEF, key: input.key, client_key: 'ptlc_fresh' }))).toEqual({
      key: ['NOT_ALLOWED'],
    });
    expect([seen, (await attempts()).length]).toEqual([2, 2]);
    // A new panel is tried as well.
    await refusal(service.create(CTX, { ...input, name: 'Next', url: 'https://third.example.com' }));
    expect(
      (await audit()).some(
        ({ action, target, after }) =>
          action === 'panels.attempt' && target === 'Next' && JSON.stringify(after).includes('third.example.com'),
      ),
    ).toBe(true);
    expect(JSON.stringify(await audit())).not.toMatch(/ptla_|ptlc_/);
  });

  test('S1 a panel moves with all keys given again, or the client key dropped', async () => {
    const { update, id, service, input } = await world();
    await update(id, { url: THIEF, key: input.key, drop_client_key: true });
    expect(await service.get(id)).toMatchObject({ url: THIEF, clientKey: { state: 'absent' } });
    await update(id, { url: URL_A, key: input.key });
    expect((await service.get(id)).url).toBe(URL_A);
  });
});

describe('connecting names the cause', () => {
  test.each([
    ['refused', 'PANEL_SILENT'],
    ['dns', 'PANEL_DNS'],
    ['tls', 'PANEL_TLS'],
    ['timeout', 'PANEL_TIMEOUT'],
    ['reset', 'PANEL_RESET'],
    ['redirect', 'PANEL_REDIRECT'],
    ['not_api', 'PANEL_NOT_API'],
    ['not_json', 'PANEL_NOT_API'],
  ] as const)('P7 a connection that fails of %s says so beside the address', async (failure, code) => {
    const { service, connector, input } = await openPanels();
    connector.detect = () => Promise.resolve({ answer: { outcome: 'unavailable' }, failure });
    expect(await refusal(service.create(CTX, input))).toEqual({ url: [code] });
  });
  test.each([
    ['key', 'NOT_ALLOWED'],
    ['key_owner', 'PANEL_KEY_OWNER'],
    ['key_address', 'PANEL_KEY_ADDRESS'],
  ] as const)('P7 a key that is refused for %s says so beside the key', async (reason, code) => {
    const { service, connector, input } = await openPanels();
    connector.detect = () => Promise.resolve({ answer: { outcome: 'refused', reason }, failure: 'key' });
    expect(await refusal(service.create(CTX, input))).toEqual({ key: [code] });
  });
  test.each([
    ['ptlc_0123456789', 'key', 'CLIENT_KEY'],
    ['pacc_0123456789', 'key', 'CLIENT_KEY'],
    ['ptla_0123456789', 'client_key', 'INVALID'],
    ['papp_0123456789', 'client_key', 'INVALID'],
  ] as const)('P7 the key %s is refused in the field %s', (value, field, code) => {
    const both = {
      name: 'Main',
      url: URL_A,
      dialect: 'auto',
      enabled: true,
      key: 'ptla_0',
      client_key: 'ptlc_0',
      [field]: value,
    };
    for (const parsed of [
      panelCreateInput.safeParse(both),
      panelUpdateInput.safeParse({ ...both, public_url: '', drop_client_key: false }),
    ]) {
      expect(parsed.error && fieldErrors(parsed.error)).toEqual({ [field]: [code] });
    }
  });
});

describe.each(ENGINES)('a public address on %s', (engine) => {
  test('P8 players’ links lead to a panel’s public address, and the product calls the other one', async () => {
    const { service, add, update, registry, connector } = await openPanels(engine);
    const id = await add({ public_url: 'https://play.example.com' });
    expect(await service.get(id)).toMatchObject({ url: URL_A, publicUrl: 'https://play.example.com' });
    await registry.load();
    registry.find(id);
    expect(connector.connected.at(-1)).toMatchObject({ id, url: URL_A, publicUrl: 'https://play.example.com' });
    // It is no address that keys are sent to: it changes without them.
    await update(id, { name: 'Renamed' });
    expect((await service.get(id)).publicUrl).toBe('https://play.example.com');
    await update(id, { public_url: '' });
    expect((await service.get(id)).publicUrl).toBeNull();
  });
});
