import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { SignedIn } from '#server/modules/kernel.ts';
import type { PanelStartup } from '#server/modules/servers/index.ts';
import { DomainError } from '#shared/errors.ts';
import { HOUR, MINUTE } from '#shared/time.ts';
import { atOnce, keyed } from '#tests/support/coins.ts';
import { serversWorld, type ServersWorld } from '#tests/support/servers.ts';

const SMALL = { memory: 512, disk: 512, cpu: 50, ports: 1, databases: 0, backups: 0 };
const variable = (env: string, default_value: string, rules: string, user_editable = true) => ({
  env,
  name: env,
  description: '',
  default_value,
  rules,
  user_editable,
});
const VARIABLES = [
  variable('JAR', 'server.jar', 'required|ends_with:.jar'),
  variable('PLAYERS', '20', 'required|integer|between:1,100'),
  variable('MOTD', '', 'nullable|string|max:20'),
  variable('SECRET', 'fixed', 'required', false),
  variable('ODD', 'x', 'required|timezone'),
];

let world: ServersWorld;
let ctx: SignedIn;
let id: string;
let startups: PanelStartup[];
let site: Awaited<ReturnType<ServersWorld['addPanel']>>;
beforeEach(async () => {
  world = await serversWorld();
  ctx = await world.person();
  site = await world.addPanel({ nodes: [{ id: 'n1', location: '1', memory: 8192, disk: 65_536, ports: 10 }] });
  const { setStartup } = site.panel;
  startups = [];
  Object.assign(site.panel, {
    setStartup: (panelId: string, startup: PanelStartup) => {
      startups.push(startup);
      return setStartup(panelId, startup);
    },
  });
  const eggId = await world.addEgg({ variables: VARIABLES });
  await site.bind(eggId);
  id = await world.upServer(ctx, { locationId: site.location, eggId, variables: { JAR: 'paper.jar' } });
});
afterEach(() => world.close());

const change = (variables: Record<string, string>, who = ctx) =>
  world.servers.update(who, id, { name: 'Lanternwood', description: '', resources: SMALL, variables });
const refusal = async (variables: Record<string, string>) => {
  try {
    await change(variables);
    return null;
  } catch (error) {
    return error instanceof DomainError ? error.fields : error;
  }
};
const values = async () =>
  Object.fromEntries((await world.servers.get(ctx, id)).variables.map(({ env, value }) => [env, value]));

describe('the settings of a server', () => {
  test('settings are their owner’s alone to see and to change, with what only the panel can check', async () => {
    expect(await values()).toEqual({ JAR: 'paper.jar', PLAYERS: '20', MOTD: '', ODD: 'x' });
    expect((await world.servers.get(ctx, id)).variables.find(({ env }) => env === 'ODD')?.unchecked).toEqual([
      'timezone',
    ]);
  });

  test('settings reach the panel whole, once, and are noted', async () => {
    await change({ PLAYERS: '40', MOTD: 'Hello' });
    expect((await world.servers.get(ctx, id)).server.pending).toBe(true);
    await world.pass(MINUTE);
    expect(startups.map(({ environment }) => environment)).toEqual([
      { JAR: 'paper.jar', PLAYERS: '40', MOTD: 'Hello', SECRET: 'fixed', ODD: 'x' },
    ]);
    expect((await world.servers.get(ctx, id)).server.pending).toBe(false);
    expect((await world.servers.get(ctx, id)).activity[0]).toMatchObject({ code: 'updated', detail: 'variables' });
    await change({ PLAYERS: '40', MOTD: 'Hello' });
    await change({});
    await world.pass(MINUTE);
    expect(startups).toHaveLength(1);
  });

  test('settings that the panel took are not sent again, nor shown as different, while it refuses the rest of the change', async () => {
    site.panel.fail('refused', 'setBuild', 100_000);
    await world.servers.update(ctx, id, {
      name: 'Lanternwood',
      description: '',
      resources: { ...SMALL, memory: 600 },
      variables: { PLAYERS: '40' },
    });
    await world.pass(MINUTE);
    await world.servers.reconcile();
    await world.pass(HOUR);
    expect(startups.map(({ environment }) => environment['PLAYERS'])).toEqual(['40']);
    expect(await world.db.sql('SELECT detail FROM panel_drift')).toEqual([{ detail: 'build' }]);
    await change({ PLAYERS: '50' });
    site.panel.heal();
    await world.pass(HOUR);
    expect(startups.map(({ environment }) => environment['PLAYERS'])).toEqual(['40', '50']);
    expect((await world.servers.get(ctx, id)).server.pending).toBe(false);
  });

  test('settings that were changed while older ones were being sent are what the panel has in the end', async () => {
    const { setStartup } = site.panel;
    let meanwhile: (() => Promise<unknown>) | null = () => change({ PLAYERS: '50' });
    Object.assign(site.panel, {
      setStartup: async (panelId: string, startup: PanelStartup) => {
        const other = meanwhile;
        meanwhile = null;
        // The newer ones are chosen, sent and written down before this call arrives.
        await other?.();
        if (other) await world.runner.runDue();
        return setStartup(panelId, startup);
      },
    });
    site.panel.fail('refused', 'setDetails', 100_000);
    await world.servers.update(ctx, id, {
      name: 'Skyhold',
      description: '',
      resources: SMALL,
      variables: { PLAYERS: '40' },
    });
    await world.pass(MINUTE);
    site.panel.heal();
    await world.pass(HOUR);
    expect(startups.map(({ environment }) => environment['PLAYERS'])).toEqual(['50', '40', '50']);
    expect((await world.servers.get(ctx, id)).server.pending).toBe(false);
  });

  test('a setting that is not named stays, and the default is no value of its own', async () => {
    await change({ PLAYERS: '40' });
    await change({ JAR: 'server.jar' });
    expect(await values()).toEqual({ JAR: 'server.jar', PLAYERS: '40', MOTD: '', ODD: 'x' });
    expect((await world.row(id)).variables).toEqual({ PLAYERS: '40' });
  });

  test('a name alone is changed without a word about settings, even where an egg’s rules have changed since', async () => {
    await world.db.sql('UPDATE eggs SET variables = ?', [
      JSON.stringify([variable('JAR', 'server.jar', 'required|in:server.jar')]),
    ]);
    await world.servers.update(ctx, id, {
      name: 'Skyhold',
      description: '',
      resources: SMALL,
      variables: { JAR: 'paper.jar' },
    });
    expect((await world.row(id)).name).toBe('Skyhold');
    expect(await refusal({ JAR: 'purpur.jar' })).toEqual({ 'variables.JAR': ['RULE_FAILED'] });
  });

  test('T29 what breaks a rule, is not the owner’s, or holds control signs is refused at its field, and nothing changes', async () => {
    const before = await world.row(id);
    expect(await refusal({ JAR: 'evil.sh' })).toEqual({ 'variables.JAR': ['RULE_FAILED'] });
    expect(await refusal({ JAR: '' })).toEqual({ 'variables.JAR': ['REQUIRED'] });
    expect(await refusal({ PLAYERS: '101' })).toEqual({ 'variables.PLAYERS': ['RULE_FAILED'] });
    expect(await refusal({ SECRET: 'mine' })).toEqual({ 'variables.SECRET': ['NOT_ALLOWED'] });
    expect(await refusal({ LD_PRELOAD: 'x.so' })).toEqual({ 'variables.LD_PRELOAD': ['UNKNOWN'] });
    expect(await refusal({ constructor: 'x' })).toEqual({ 'variables.constructor': ['UNKNOWN'] });
    for (const sign of ['\n', '\u0000', '\u2028'])
      expect(await refusal({ MOTD: `a${sign}b` })).toEqual({ 'variables.MOTD': ['INVALID'] });
    expect(await world.row(id)).toEqual(before);
    await world.pass(MINUTE);
    expect(startups).toEqual([]);
  });

  test('fifty changes at once with one key are one', async () => {
    const revision = (await world.row(id)).revision;
    expect(await atOnce(50, () => change({ PLAYERS: '33' }, keyed(ctx, 'settings-1')))).toEqual({ ok: 50 });
    expect((await world.row(id)).revision).toBe(revision + 1);
  });

  test('T24 nobody else changes them', async () => {
    expect(await atOnce(1, async () => change({ PLAYERS: '5' }, await world.person()))).toEqual({ NOT_FOUND: 1 });
  });
});
