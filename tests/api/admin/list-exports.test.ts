import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { SESSION_COOKIE } from '#shared/constants.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

setDefaultTimeout(300_000);

/** More than are read at a time, and each several to the moment. */
const ROWS = 1050;
const idOf = (kind: string, n: number) => `0193${kind}-0000-7000-8000-${String(n).padStart(12, '0')}`;

describe.each(ENGINES)('lists of staff as files on %s', (engine) => {
  let h: Harness;
  let staff: Person;
  beforeAll(async () => {
    h = await openHarness({ engine });
    staff = await h.person('olga', {
      permissions: ['admin.servers.list', 'admin.server.queue.list', 'admin.payments.list'],
    });
    const ann = await h.person('ann');
    for (let n = 0; n < ROWS; n += 1) {
      const at = Math.floor(n / 4);
      const name = n === 7 ? '=HYPERLINK(1)' : `world-${n}`;
      const state = n % 2 === 0 ? 'active' : 'suspended';
      await h.db.sql(
        `INSERT INTO servers (id, user_id, name, description, location_id, category_id, egg_id, memory, disk, cpu, ports, databases, backups, variables, state, desired,
         revision, synced_revision, auto_renew, auto_renew_order, periods, created_ms, updated_ms)
         VALUES (?, ?, ?, '', '', '', '', 256, 256, 5, 1, 0, 0, '{}', ?, 'running', 1, 1, 0, 0, 0, ?, 0) RETURNING id`,
        [idOf('aaaa', n), ann.id, name, state, at],
      );
      await h.db.sql(
        'INSERT INTO server_queue (id, server_id, user_id, state, priority, attempts, created_ms) VALUES (?, ?, ?, ?, 0, 3, ?) RETURNING id',
        [idOf('bbbb', n), idOf('aaaa', n), ann.id, n % 2 === 0 ? 'completed' : 'failed', at],
      );
      await h.db.sql(
        `INSERT INTO payment_orders (id, user_id, provider, state, label, currency, amount, tax, tax_rate, credits, bonus, locale, refunded, created_ms, updated_ms)
         VALUES (?, ?, 'manual', ?, 'Starter', 'EUR', 1250, 0, 0, 100, 0, 'en', 0, ?, 0) RETURNING id`,
        [idOf('cccc', n), ann.id, n % 2 === 0 ? 'pending' : 'expired', at],
      );
    }
  });
  afterAll(() => h.close());

  const fetchAs = (person: Person, path: string) =>
    h.http(path, { headers: { Cookie: `${SESSION_COOKIE}=${person.secret}` } });
  /** The lines of a file, without the last, which is empty. */
  async function linesOf(path: string): Promise<{ head: string; lines: string[] }> {
    const response = await fetchAs(staff, path);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    const [head = '', ...lines] = (await response.text()).replace('\uFEFF', '').split('\r\n');
    return { head, lines: lines.slice(0, -1) };
  }
  const FILES = {
    servers: { path: '/api/admin/servers/export.csv', kind: 'aaaa', half: 'state=suspended', action: 'servers.export' },
    queue: {
      path: '/api/admin/server-queue/export.csv',
      kind: 'bbbb',
      half: 'state=failed',
      action: 'server_queue.export',
    },
    payments: {
      path: '/api/admin/payments/export.csv',
      kind: 'cccc',
      half: 'state=expired',
      action: 'payments.export',
    },
  };

  test.each(Object.entries(FILES))(
    'the file of %s has every row once, the newest first, and is in the audit log',
    async (_, file) => {
      const audited = async () => (await h.db.sql('SELECT id FROM audit WHERE action = ?', [file.action])).length;
      const before = await audited();
      const { lines } = await linesOf(file.path);
      const newest = Array.from({ length: ROWS }, (_each, n) => idOf(file.kind, ROWS - 1 - n));
      expect(lines.map((line) => line.slice(0, 36))).toEqual(newest);
      expect((await audited()) - before).toBe(1);
    },
  );

  test.each(Object.entries(FILES))('the file of %s has what the list is narrowed to, and no more', async (_, file) => {
    const { lines } = await linesOf(`${file.path}?${file.half}`);
    expect(lines).toHaveLength(ROWS / 2);
    expect((await linesOf(`${file.path}?q=nobody`)).lines).toEqual([]);
    expect((await linesOf(`${file.path}?q=ann`)).lines).toHaveLength(ROWS);
    expect((await fetchAs(staff, `${file.path}?state=strange`)).status).toBe(422);
  });

  test.each(Object.entries(FILES))('the file of %s is for those who may list them', async (_, file) => {
    const other = await h.person(`other.${file.kind}`, { permissions: ['admin.users.list'] });
    expect((await fetchAs(other, file.path)).status).toBe(403);
  });

  test('T29 no name of a server is a formula, and money stands in decimals', async () => {
    const { head, lines } = await linesOf('/api/admin/servers/export.csv?q=%3Dhyper');
    expect(head).toStartWith(
      'id,name,state,suspend_reason,suspend_note,failure,owner,location,panel,node,address,memory',
    );
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(`${idOf('aaaa', 7)},"'=HYPERLINK(1)",suspended,`);
    const paid = await linesOf(`/api/admin/payments/export.csv?q=${idOf('cccc', 4)}`);
    expect(paid.head).toContain('currency,amount,tax,refunded,credits');
    expect(paid.lines[0]).toContain(',pending,ann,manual,,,Starter,EUR,12.50,0.00,0.00,100,0,');
  });
});

test('T29 what was paid at another dashboard is in the file of payments, in decimals of its currency and as no formula', async () => {
  const h = await openHarness();
  const staff = await h.person('olga', { permissions: ['admin.payments.list'] });
  const ann = await h.person('ann');
  await h.db.sql(
    `INSERT INTO import_runs (id, product, instance, state, options, summary, created_ms, updated_ms)
     VALUES ('run', 'ctrlpanel', 'main', 'done', '{}', '{}', 1, 1)`,
  );
  const paid = [
    ['12.50', 'EUR', 'pi_1', 4000],
    ['1500.00', 'JPY', '=HYPERLINK(1)', 3000],
    ['-5.00', 'USD', '@sum', 2000],
    ['1.250', 'KWD', '', 1000],
    ['7.00', '', '-', null],
    [null, 'EUR', '+1', null],
  ] as const;
  for (const [n, [amount, currency, reference, paidMs]] of paid.entries())
    await h.db.uow.run((tx) =>
      tx.imports.addPayment({
        id: idOf('dddd', n),
        runId: 'run',
        userId: ann.id,
        gateway: '=Stripe',
        reference,
        status: '-paid',
        amount,
        currency,
        credits: n === 0 ? 500 : null,
        paidMs,
      }),
    );
  await h.db.sql(
    `INSERT INTO payment_orders (id, user_id, provider, state, label, currency, amount, tax, tax_rate, credits, bonus, locale, refunded, created_ms, updated_ms)
     VALUES (?, ?, 'manual', 'pending', 'Starter', 'JPY', 1500, 0, 0, 100, 0, 'en', 0, 3500, 0) RETURNING id`,
    [idOf('cccc', 0), ann.id],
  );
  const linesOf = async (query: string) => {
    const headers = { Cookie: `${SESSION_COOKIE}=${staff.secret}` };
    const response = await h.http(`/api/admin/payments/export.csv${query}`, { headers });
    expect([query, response.status]).toEqual([query, 200]);
    return (await response.text()).split('\r\n').slice(1, -1);
  };
  const words = `,,"'-paid",ann,"'=Stripe",`;
  const [first, second, ...others] = [
    `${idOf('dddd', 0)},${words}pi_1,,,EUR,12.50,,,500,,,1970-01-01T00:00:04.000Z,ctrlpanel`,
    `${idOf('dddd', 1)},${words}"'=HYPERLINK(1)",,,JPY,1500,,,,,,1970-01-01T00:00:03.000Z,ctrlpanel`,
    `${idOf('dddd', 2)},${words}"'@sum",,,USD,-5,,,,,,1970-01-01T00:00:02.000Z,ctrlpanel`,
    `${idOf('dddd', 3)},${words},,,KWD,1.250,,,,,,1970-01-01T00:00:01.000Z,ctrlpanel`,
    `${idOf('dddd', 5)},${words}"'+1",,,EUR,,,,,,,,ctrlpanel`,
    `${idOf('dddd', 4)},${words}"'-",,,,7,,,,,,,ctrlpanel`,
  ];
  const order = `${idOf('cccc', 0)},${idOf('cccc', 0)},,pending,ann,manual,,,Starter,JPY,1500,0,0,100,0,1970-01-01T00:00:03.500Z,,`;
  expect(await linesOf('')).toEqual([first ?? '', order, second ?? '', ...others]);
  expect(await linesOf('?provider=imported')).toEqual([first ?? '', second ?? '', ...others]);
  expect(await linesOf('?state=pending')).toEqual([order]);
  expect(await linesOf('?q=pi_1')).toEqual([first ?? '']);
  await h.close();
});
