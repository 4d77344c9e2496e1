import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import deErrors from '#locales/de/errors.json' with { type: 'json' };
import type { Api } from '#shared/contract/index.ts';
import { Installation, until } from './installation.ts';

// Shows behaviour 8.6: what a restore from the browser is like for everybody else, and what a kill leaves of it.

setDefaultTimeout(600_000);

const PASSWORD = 'plough lantern meadow seven';
let installation: Installation;
let owner: Api;
let backup: { readonly id: string; readonly day: string };

const register = (api: Api, username: string, setup?: string) =>
  api.auth.register({
    body: {
      username,
      email: `${username}@example.com`,
      password: PASSWORD,
      first_name: 'Mirela',
      last_name: 'Vega',
      terms: true,
      ...(setup === undefined ? {} : { setup }),
    },
  });
/** What a log-in comes to: its error code, or null. */
const logIn = (api: Api, login: string): Promise<string | null> =>
  api.auth.login({ body: { login, password: PASSWORD } }).then(
    () => null,
    (error: { code?: string }) => error.code ?? String(error),
  );
const restore = () => owner.adminBackups.restore({ params: { id: backup.id }, body: { day: backup.day } });
/** The owner logs in again, and proves who sits there. */
async function enter(): Promise<void> {
  owner = installation.client();
  expect(await logIn(owner, 'mirela')).toBeNull();
  await owner.passkeys.confirm({ body: { password: PASSWORD } });
}

beforeEach(async () => {
  installation = new Installation({ LOG_LEVEL: 'info' });
  await installation.start();
  owner = installation.client();
  await register(owner, 'mirela', installation.setup);
  await owner.adminBackups.create({});
  const { backups } = await until(
    () => owner.adminBackups.list({}),
    ({ running }) => running === null,
  );
  const [found] = backups;
  backup = { id: found?.id ?? '', day: found?.day ?? '' };
  await register(installation.client(), 'ion');
});
afterEach(() => installation.remove());

test('visitors get a coded answer and a page in their language while a restore runs, and the log has no fault', async () => {
  const headers = { 'Accept-Language': 'de' };
  const seen = {
    api: new Set<string>(),
    page: new Set<number>(),
    ready: new Set<number>(),
    alive: new Set<number>(),
    words: 0,
  };
  const during = { restore: true };
  const visit = async () => {
    while (during.restore) {
      const api = await fetch(`${installation.url}/api/system/settings`, { headers });
      const { error_code: code } = (await api.json()) as { error_code?: string };
      // Who asks so often is told to wait, restore or not.
      if (api.status === 429) {
        await Bun.sleep(1000);
        continue;
      }
      seen.api.add(`${api.status} ${code ?? ''}`.trim());
      const page = await fetch(`${installation.url}/auth/login`, { headers });
      seen.page.add(page.status);
      if (page.status === 503 && (await page.text()).includes(deErrors.SERVER_UNAVAILABLE)) seen.words += 1;
      seen.ready.add((await fetch(`${installation.url}/readyz`)).status);
      seen.alive.add((await fetch(`${installation.url}/healthz`)).status);
      await Bun.sleep(200);
    }
  };
  const visitors = [visit(), visit()];
  await restore();
  const guest = installation.client();
  await until(
    () => logIn(guest, 'ion'),
    (code) => code === 'LOGIN_FAILED',
    120_000,
  );
  during.restore = false;
  await Promise.all(visitors);
  expect([...seen.api].toSorted()).toEqual(['200', '503 SERVER_UNAVAILABLE']);
  expect([...seen.page].toSorted()).toEqual([200, 503]);
  expect([...seen.ready].toSorted()).toEqual([200, 503]);
  expect([...seen.alive]).toEqual([200]);
  expect(seen.words).toBeGreaterThan(0);
  await installation.end('SIGTERM');
  const folder = join(installation.dataDir, 'logs');
  const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'));
  expect(lines.filter((line) => line.includes('"serve.closed"'))).toHaveLength(1);
  expect(lines.filter((line) => /"level":"(?:error|warn)"/.test(line))).toEqual([]);
});

test('a server that is killed at any moment of a restore starts with what was or what is to be, and its ledger holds', async () => {
  for (const ms of [0, 150, 400, 700, 1100, 1800]) {
    await owner.passkeys.confirm({ body: { password: PASSWORD } });
    await restore();
    await Bun.sleep(ms);
    await installation.end('SIGKILL');
    // What the killed server had begun may still be at it: the next one says so, or is after it.
    await until(
      () =>
        installation.start().then(
          () => true,
          () => false,
        ),
      (started) => started,
      120_000,
    );
    expect(await logIn(installation.client(), 'mirela')).toBeNull();
    const ion = await logIn(installation.client(), 'ion');
    expect([null, 'LOGIN_FAILED']).toContain(ion);
    expect(await installation.run('ledger', 'verify')).toMatchObject({ code: 0 });
    expect(readdirSync(installation.dataDir)).not.toContain('restore');
    if (ion !== null) await register(installation.client(), 'ion');
    await enter();
  }
});
