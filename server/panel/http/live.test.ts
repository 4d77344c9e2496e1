import { describe, expect, test } from 'bun:test';
import { panelErrors } from '#tests/support/panel-http.ts';
import { NOT_THERE, okAnswer, panelWorld } from '#tests/support/panel-world.ts';
import { createHttpPanel } from './panel.ts';

describe('live', () => {
  const stats = (state: string) =>
    okAnswer({
      object: 'stats',
      attributes: {
        current_state: state,
        is_suspended: false,
        resources: { memory_bytes: 5, cpu_absolute: 1.5, disk_bytes: 7, uptime: 9 },
      },
    });
  test('usage and power go by the client key', async () => {
    const { panel, sent } = panelWorld([stats('running'), { status: 204 }]);
    expect(await panel.usage('b8254f63')).toEqual({
      outcome: 'ok',
      value: { power: 'running', memory: 5, cpu: 1.5, disk: 7, uptime: 9 },
    });
    expect(await panel.power('b8254f63', 'restart')).toEqual({ outcome: 'ok', value: null });
    expect(sent.map(({ method, path, body, headers }) => [method, path, body, headers.get('Authorization')])).toEqual([
      ['GET', '/api/client/servers/b8254f63/resources', null, 'Bearer ptlc_key'],
      ['POST', '/api/client/servers/b8254f63/power', { signal: 'restart' }, 'Bearer ptlc_key'],
    ]);
  });
  test('a machine that does not answer is no failure, and what is not seen is not "gone"', async () => {
    const unknown = { outcome: 'ok', value: { power: 'unknown', memory: 0, cpu: 0, disk: 0, uptime: 0 } } as const;
    expect(await panelWorld([panelErrors(504, 'DaemonConnectionException')]).panel.usage('b8254f63')).toEqual(unknown);
    expect(await panelWorld([stats('missing')]).panel.usage('b8254f63')).toMatchObject({ value: { power: 'unknown' } });
    expect(await panelWorld([NOT_THERE]).panel.usage('b8254f63')).toEqual({
      outcome: 'refused',
      reason: 'not_visible',
    });
    expect(await panelWorld([panelErrors(409, 'ServerStateConflictException')]).panel.usage('b8254f63')).toEqual({
      outcome: 'refused',
      reason: 'busy',
    });
    expect(await panelWorld([panelErrors(504, 'DaemonConnectionException')]).panel.power('b8254f63', 'start')).toEqual({
      outcome: 'unknown',
      away: 'node',
    });
  });
  test('nothing is asked without a client key', async () => {
    const { panel, sent } = panelWorld([], { clientKey: null });
    expect([await panel.usage('b8254f63'), await panel.power('b8254f63', 'start')]).toEqual([
      { outcome: 'refused', reason: 'no_client_key' },
      { outcome: 'refused', reason: 'no_client_key' },
    ]);
    expect(await panelWorld().panel.usage('../account')).toEqual({ outcome: 'refused', reason: 'id' });
    expect(sent).toEqual([]);
  });
  test('links lead to the panel itself', () => {
    expect(panelWorld().panel.links('b8254f63')).toEqual({
      server: 'https://panel.example.test/server/b8254f63',
      password: 'https://panel.example.test/auth/password',
    });
    expect(panelWorld([], { dialect: 'pelican' }).panel.links('b8254f63')?.password).toBe(
      'https://panel.example.test/password-reset/request',
    );
  });
});

test('P8 links lead to the public address of a panel that has one', () => {
  const row = { id: 'p', dialect: 'pterodactyl', url: 'http://10.0.0.5', key: 'ptla_key', clientKey: null } as const;
  const deps = panelWorld().deps;
  expect(createHttpPanel(deps, { ...row, publicUrl: 'https://play.example.com' }).panel.links('b8254f63')).toEqual({
    server: 'https://play.example.com/server/b8254f63',
    password: 'https://play.example.com/auth/password',
  });
  expect(createHttpPanel(deps, { ...row, publicUrl: null }).panel.links('b8254f63')?.server).toBe(
    'http://10.0.0.5/server/b8254f63',
  );
});
