import { afterAll, beforeAll, expect, test } from 'bun:test';
import { SESSION_COOKIE } from '#shared/constants.ts';
import { Installation } from './installation.ts';

const host = new Installation();
const owner = { secret: null as string | null };
beforeAll(async () => {
  await host.start();
  const person = { password: 'plough lantern meadow seven', first_name: 'A', last_name: 'B', terms: true as const };
  await host
    .client(owner)
    .auth.register({ body: { ...person, username: 'owner', email: 'owner@example.com', setup: host.setup } });
}, 300_000);
afterAll(() => host.remove());

test('T66 the reading thread of the binary answers exports, counts, filtered statements and the proof of the ledger', async () => {
  const api = host.client(owner);
  await api.adminRedeemCodes.create({
    body: {
      code: 'THREAD-1',
      note: '',
      credits: 40,
      uses_total: 1,
      starts_at: null,
      ends_at: null,
      enabled: true,
      min_age_days: 0,
    },
  });
  await api.redeem.redeem({ body: { code: 'THREAD-1' } });
  expect((await api.account.statement({ query: { kind: 'reward.redeem' } })).rows.map(({ amount }) => amount)).toEqual([
    40,
  ]);
  expect((await api.adminOverview.get()).users).toBe(1);
  const get = async (path: string) =>
    (await fetch(host.url + path, { headers: { Cookie: `${SESSION_COOKIE}=${owner.secret}` } })).text();
  expect((await get('/api/account/statement.csv')).trim().split('\r\n')).toHaveLength(2);
  expect(await get('/api/admin/redeem-codes/export.csv')).toContain('THREAD-1');
  expect(await host.run('ledger', 'verify')).toEqual({ code: 0, output: 'the ledger holds\n' });
  // With threads under way it still ends as it should.
  expect(await host.end('SIGTERM')).toBe(0);
}, 300_000);
