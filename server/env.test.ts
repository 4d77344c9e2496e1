import { expect, test } from 'bun:test';
import { ConfigError, readConfig } from './env.ts';

test('an empty environment has the documented defaults', () => {
  const config = readConfig({});
  expect(config).toMatchObject({
    host: '127.0.0.1',
    port: 3000,
    dataDir: './data',
    appUrl: null,
    logLevel: 'info',
    database: './data/spawnpoint.db',
    panelDriver: 'embedded',
    mail: null,
  });
  expect(config.trustedProxies).toBeNull();
  expect(config.localUrl).toBe('http://127.0.0.1:3000');
});

test('one message lists everything wrong', () => {
  const wrong = {
    PORT: 'abc',
    APP_URL: 'example',
    LOG_LEVEL: 'loud',
    TRUSTED_PROXIES: 'proxy',
    MAIL_HOST: 'mail.example.com',
    PANEL_DRIVER: 'other',
  };
  let message = '';
  try {
    readConfig(wrong);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    message = (error as Error).message;
  }
  for (const name of ['PORT', 'APP_URL', 'LOG_LEVEL', 'TRUSTED_PROXIES', 'MAIL_FROM_ADDRESS', 'PANEL_DRIVER'])
    expect(message).toContain(name);
});

test('a password is never sent in clear to another machine', () => {
  const mail = {
    MAIL_HOST: 'mail.example.com',
    MAIL_FROM_ADDRESS: 'a@example.com',
    MAIL_ENCRYPTION: 'none',
    MAIL_PASSWORD: 'x',
  };
  expect(() => readConfig(mail)).toThrow('MAIL_ENCRYPTION');
  expect(readConfig({ ...mail, MAIL_HOST: '127.0.0.1' }).mail?.security).toBe('none');
});

test('databases are named by address or path', () => {
  expect(readConfig({ DATABASE_URL: 'postgres://u@h/db' }).database).toBe('postgres://u@h/db');
  expect(readConfig({ DATABASE_URL: 'sqlite:/var/lib/x.db' }).database).toBe('/var/lib/x.db');
  expect(readConfig({ DATABASE_URL: 'sqlite:///var/lib/x.db' }).database).toBe('/var/lib/x.db');
  expect(readConfig({ DATA_DIR: '/srv/sp' }).database).toBe('/srv/sp/spawnpoint.db');
});

test('the first panel is named by address and key together, and only where panels are used', () => {
  const panel = { PANEL_DRIVER: 'pelican', PANEL_URL: 'https://Panel.example.com/', PANEL_KEY: 'papp_1' };
  expect(readConfig(panel)).toMatchObject({
    panelDriver: 'pelican',
    firstPanel: { url: 'https://panel.example.com', key: 'papp_1', clientKey: null },
  });
  expect(readConfig({ PANEL_DRIVER: 'pterodactyl' }).firstPanel).toBeNull();
  expect(() => readConfig({ ...panel, PANEL_KEY: undefined })).toThrow('PANEL_URL and PANEL_KEY go together');
  expect(() => readConfig({ ...panel, PANEL_URL: 'https://panel.example.com/api' })).toThrow('PANEL_URL');
  expect(() => readConfig({ ...panel, PANEL_DRIVER: undefined })).toThrow('PANEL_KEY needs PANEL_DRIVER');
  expect(() => readConfig({ REDIS_URL: 'localhost:6379' })).toThrow('REDIS_URL');
});
