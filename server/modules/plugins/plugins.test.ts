import { afterEach, describe, expect, test } from 'bun:test';
import type { SignedIn } from '#server/modules/kernel.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { atOnce, codeOf, coinWorld } from '#tests/support/coins.ts';
import { ENGINES, type Engine } from '#tests/support/db.ts';
import { testSealer } from '#tests/support/sealing.ts';
import { createPluginRegistry, createStatusPage, createWelcomeGifts } from './index.ts';
import { changeFaults, faultOf } from './values.ts';

// Shows behaviour 8.8 for plugins that come with the product.

const LOG = { info: () => undefined, warn: () => undefined, error: () => undefined };

let close: (() => Promise<void>) | null = null;
afterEach(async () => {
  await close?.();
  close = null;
});

async function open(engine: Engine = 'sqlite') {
  const world = await coinWorld(engine);
  close = () => world.close();
  const plugins = createPluginRegistry({ ...world, log: LOG, sealer: testSealer });
  const gifts = createWelcomeGifts({ ...world, plugin: plugins.handle('welcome-gifts') });
  world.events.subscribe(gifts.subscriptions);
  const someone = await world.person();
  const staff: SignedIn = {
    ...someone,
    actor: { ...someone.actor, permissions: ['admin.plugins.list', 'admin.plugins.edit'] },
  };
  const verify = (who: SignedIn) =>
    world.uow.run((tx) => world.events.emit(tx, 'user.verified', { userId: who.actor.userId }, who));
  return { ...world, plugins, gifts, staff, verify };
}

describe.each([...ENGINES])('welcome gifts on %s', (engine) => {
  test('a new user gets credits once, however often the address is confirmed at the same moment', async () => {
    const { plugins, staff, person, verify, balance, uow } = await open(engine);
    await plugins.setOn(staff, 'welcome-gifts', true);
    const ann = await person();
    const tally = await atOnce(20, () => verify(ann));
    expect(tally.ok).toBeGreaterThan(0);
    expect(await balance(ann)).toBe(50);
    const notices = await uow.read((tx) => tx.notifications.latest(ann.actor.userId, 10));
    expect(notices).toMatchObject([{ kind: 'pluginPaid', data: { name: 'Spawnpoint', cost: 50 } }]);
  });

  test('fifty new users at once get no more than the budget of the day, and the next day has its own', async () => {
    const { plugins, staff, person, verify, balance, clock } = await open(engine);
    await plugins.setOn(staff, 'welcome-gifts', true);
    await plugins.configure(staff, 'welcome-gifts', { credits: 30, daily_budget: 100 }, 0);
    const users: SignedIn[] = [];
    for (let index = 0; index < 50; index += 1) users.push(await person());
    expect(await atOnce(50, async (index) => verify(users[index] ?? staff))).toEqual({ ok: 50 });
    const sum = (await Promise.all(users.map(balance))).reduce((total, each) => total + each, 0);
    expect(sum).toBe(90);
    clock.advance(DAY);
    const late = await person();
    await verify(late);
    expect(await balance(late)).toBe(30);
  });

  test('T4 who was paid and confirms another address later costs the budget nothing, and hears of nothing', async () => {
    const { plugins, staff, person, verify, balance, uow } = await open(engine);
    await plugins.setOn(staff, 'welcome-gifts', true);
    await plugins.configure(staff, 'welcome-gifts', { credits: 30, daily_budget: 60 }, 0);
    const [ann, bob] = [await person(), await person()];
    for (let time = 0; time < 5; time += 1) await verify(ann);
    await verify(bob);
    expect([await balance(ann), await balance(bob)]).toEqual([30, 30]);
    expect(await uow.read((tx) => tx.notifications.latest(ann.actor.userId, 10))).toHaveLength(1);
  });

  test('a plugin that is off pays nobody', async () => {
    const { plugins, staff, person, verify, balance } = await open(engine);
    const ann = await person();
    await verify(ann);
    await plugins.setOn(staff, 'welcome-gifts', true);
    await plugins.setOn(staff, 'welcome-gifts', false);
    const bob = await person();
    await verify(bob);
    expect([await balance(ann), await balance(bob)]).toEqual([0, 0]);
  });

  test('what was counted on days long gone is forgotten', async () => {
    const { plugins, gifts, staff, person, verify, db, clock } = await open(engine);
    await plugins.setOn(staff, 'welcome-gifts', true);
    await verify(await person());
    await gifts.purge();
    expect(await db.sql('SELECT identifier FROM plugin_budgets')).toHaveLength(1);
    clock.advance(9 * DAY);
    await gifts.purge();
    expect(await db.sql('SELECT identifier FROM plugin_budgets')).toEqual([]);
  });
});

describe('the registry of plugins', () => {
  test('staff turn plugins on and off, and both stand in the audit log once', async () => {
    const { plugins, staff, uow } = await open();
    expect((await plugins.list(staff)).map(({ identifier, isOn }) => [identifier, isOn])).toEqual([
      ['status-page', false],
      ['welcome-gifts', false],
      ['webhooks', false],
      ['discord', false],
    ]);
    await plugins.setOn(staff, 'status-page', true);
    await plugins.setOn(staff, 'status-page', true);
    expect(plugins.handle('status-page').isOn()).toBe(true);
    const audit = await uow.read((tx) => tx.audit.latest(5));
    expect(audit.filter(({ action }) => action === 'plugins.switch')).toHaveLength(1);
  });

  test('whoever may not is refused, and an unknown plugin is not found', async () => {
    const { plugins, staff, person } = await open();
    const ann = await person();
    expect(await codeOf(plugins.list(ann))).toBe('FORBIDDEN');
    expect(await codeOf(plugins.get(ann, 'status-page'))).toBe('FORBIDDEN');
    expect(await codeOf(plugins.setOn(ann, 'status-page', true))).toBe('FORBIDDEN');
    expect(await codeOf(plugins.configure(ann, 'status-page', {}, 0))).toBe('FORBIDDEN');
    for (const identifier of ['nothing', '__proto__', 'constructor']) {
      expect(await codeOf(plugins.get(staff, identifier))).toBe('NOT_FOUND');
      expect(await codeOf(plugins.setOn(staff, identifier, true))).toBe('NOT_FOUND');
    }
  });

  test('settings that do not fit are refused at their fields, and two who edit do not overwrite each other', async () => {
    const { plugins, staff } = await open();
    const fault = await plugins
      .configure(staff, 'welcome-gifts', { credits: 0, daily_budget: 'much', other: 1, __proto__: 2 }, 0)
      .catch((error: unknown) => error);
    expect(fault).toMatchObject({
      code: 'VALIDATION_FAILED',
      fields: { credits: ['TOO_SMALL'], daily_budget: ['INVALID'], other: ['UNKNOWN'] },
    });
    expect(await plugins.configure(staff, 'welcome-gifts', { credits: 7 }, 0)).toEqual({ revision: 1 });
    expect(await codeOf(plugins.configure(staff, 'welcome-gifts', { credits: 8 }, 0))).toBe('CONFLICT');
    expect(plugins.handle('welcome-gifts').values()).toEqual({ credits: 7, daily_budget: 5000 });
  });

  test('T57 a secret is asked for again where the address that it is sent to becomes another one', () => {
    const fields = {
      url: { type: 'text', default: '', max: 300 },
      token: { type: 'secret', max: 100, sentTo: ['url'] },
    } as const;
    const row = {
      identifier: 'x',
      isOn: true,
      settings: { url: 'https://a.example' },
      secrets: { token: 'sealed' },
      revision: 1,
      updatedMs: 0,
    };
    expect(changeFaults(fields, row, { url: 'https://b.example' })).toEqual([['token', 'REQUIRED']]);
    expect(changeFaults(fields, row, { url: 'https://a.example' })).toEqual([]);
    expect(changeFaults(fields, row, { url: 'https://b.example', token: 'typed' })).toEqual([]);
    expect(changeFaults(fields, row, { url: 'https://b.example', token: '' })).toEqual([]);
  });

  test('each type of field takes its own values alone', () => {
    expect(faultOf({ type: 'text', default: '', max: 3 }, 'abcd')).toBe('TOO_LONG');
    expect(faultOf({ type: 'text', default: '', max: 9 }, 'a\nb')).toBe('INVALID');
    expect(faultOf({ type: 'text', default: '', max: 9, lines: true }, 'a\nb')).toBeNull();
    expect(faultOf({ type: 'number', default: 1, min: 1, max: 5 }, 1.5)).toBe('INVALID');
    expect(faultOf({ type: 'number', default: 1, min: 1, max: 5 }, 6)).toBe('TOO_LARGE');
    expect(faultOf({ type: 'choice', default: 'a', choices: ['a'] }, 'b')).toBe('INVALID');
    expect(faultOf({ type: 'switch', default: true }, 'on')).toBe('INVALID');
  });
});

describe('the status page', () => {
  test('it says how panels are, what the last day was like and when the product was down, and nothing while it is off', async () => {
    const { plugins, staff, uow, clock, db } = await open();
    const rows = [{ key: 'panels', subject: 'Frankfurt', status: 'critical' as const }];
    const page = createStatusPage({
      uow,
      clock,
      plugin: plugins.handle('status-page'),
      health: { current: () => Promise.resolve({ rows }) },
    });
    expect(await codeOf(page.get())).toBe('NOT_FOUND');
    await plugins.setOn(staff, 'status-page', true);
    const now = clock.now();
    await uow.run(async (tx) => {
      await tx.health.add(now, [{ key: 'panels', subject: 'Frankfurt', rank: 3, figure: null }]);
      await tx.uptime.addDowntime({ fromMs: now - 40 * DAY, untilMs: now - 39 * DAY });
      await tx.uptime.addDowntime({ fromMs: now - 3 * HOUR, untilMs: now - 2 * HOUR });
    });
    const found = await page.get();
    expect(found).toMatchObject({ state: 'partial', panels: [{ name: 'Frankfurt', state: 'down' }] });
    expect(found.panels?.[0]?.hours).toHaveLength(24);
    expect(found.panels?.[0]?.hours.at(-1)).toBe('down');
    expect(found.downtimes).toEqual([{ fromMs: now - 3 * HOUR, untilMs: now - 2 * HOUR }]);
    expect(found.uptime).toBeCloseTo(1 - 1 / 720, 6);
    await plugins.configure(staff, 'status-page', { show_panels: false, note: 'Work on Sunday' }, 0);
    expect(await page.get()).toMatchObject({ panels: null, note: 'Work on Sunday' });
    await db.sql('DELETE FROM uptime_downtimes').catch(() => []);
    clock.advance(MINUTE);
    rows.length = 0;
    expect((await page.get()).state).toBe('up');
  });
});
