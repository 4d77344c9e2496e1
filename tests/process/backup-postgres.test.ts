import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Api } from '#shared/contract/index.ts';
import { dropDatabase, makeDatabase } from '#tests/support/postgres.ts';
import { Installation, until } from './installation.ts';

// Shows behaviour 8.6 on PostgreSQL: what the page of backups does, against the running binary.

setDefaultTimeout(300_000);

const NAME = `restored_${crypto.randomUUID().slice(0, 8)}`;
const PASSWORD = 'plough lantern meadow seven';
let installation: Installation | null = null;
afterAll(async () => {
  await installation?.remove();
  await dropDatabase(NAME);
});

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

test('a restore from the running server on PostgreSQL undoes what came later, and everybody logs in again', async () => {
  installation = new Installation({ DATABASE_URL: await makeDatabase(NAME) });
  await installation.start();
  const owner = installation.client();
  await register(owner, 'mirela', installation.setup);
  await owner.adminBackups.create({});
  const idle = () =>
    until(
      () => owner.adminBackups.list({}),
      ({ running }) => running === null,
    );
  const [backup] = (await idle()).backups;
  const params = { id: backup?.id ?? '' };
  await owner.adminBackups.verify({ params, body: {} });
  expect(await idle()).toMatchObject({ backups: [{ users: 1, verified: { fault: null } }], last: { fault: null } });
  await register(installation.client(), 'ion');
  await owner.adminBackups.restore({ params, body: { day: backup?.day ?? '' } });
  const guest = installation.client();
  await until(
    () => logIn(guest, 'ion'),
    (code) => code === 'LOGIN_FAILED',
    60_000,
  );
  expect(await owner.adminBackups.list({}).catch((error: { code?: string }) => error.code)).toBe('UNAUTHENTICATED');
  expect(await logIn(owner, 'mirela')).toBeNull();
  const { backups } = await owner.adminBackups.list({});
  expect(backups.map(({ kind }) => kind).toSorted()).toEqual(['manual', 'safety']);
  expect(await installation.run('ledger', 'verify')).toMatchObject({ code: 0 });
});
