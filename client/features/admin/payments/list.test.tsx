import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/mc-admin/payments');
const { cleanup, screen, within } = await import('@testing-library/react');
const { showScreen } = await import('#tests/support/screens.tsx');
const list = await import('./list.tsx');

afterEach(cleanup);

const ID = (n: number): string => `0190a000-0000-7000-8000-00000000000${n}`;
const order = (n: number, at: string) => ({
  id: ID(n),
  code: `CODE-000${n}`,
  provider: 'manual',
  state: 'paid',
  label: `Package ${n}`,
  currency: 'EUR',
  amount: 500,
  tax: 0,
  tax_rate: 0,
  credits: 1000,
  bonus: 0,
  refunded: 0,
  pay_url: null,
  instructions: null,
  account: null,
  receipt: null,
  created_at: at,
  paid_at: at,
  expires_at: null,
  user: { id: ID(9), username: 'ann' },
});
const LISTED = {
  rows: [order(1, '2026-03-03T10:00:00.000Z'), order(2, '2026-03-01T10:00:00.000Z')],
  elsewhere: [
    {
      id: ID(3),
      product: 'ctrlpanel',
      gateway: 'Stripe',
      reference: 'pi_3',
      status: 'paid',
      amount: 499,
      currency: 'EUR',
      credits: 500,
      paid_at: '2026-03-02T10:00:00.000Z',
      user: { id: ID(9), username: 'ann' },
    },
    {
      id: ID(4),
      product: 'mythicaldash3',
      gateway: '',
      reference: '',
      status: '',
      amount: null,
      currency: '',
      credits: null,
      paid_at: null,
      user: null,
    },
  ],
  paging: { page: 1, per_page: 25, total: 4 },
};
const url = '/mc-admin/payments';
const answers = { 'GET /api/admin/payments': LISTED, 'GET /api/admin/payments/problems': { problems: [] } };

test('payments at another dashboard stand among the orders by their time, say so, and lead nowhere', async () => {
  const staff = { session: { permissions: ['admin.payments.list', 'admin.payments.view'] } };
  showScreen(list, { url, answers, ...staff });
  await screen.findByRole('link', { name: 'Package 1' });
  const rows = screen.getAllByRole('row').slice(1);
  const names = ['Package 1', 'pi_3', 'Package 2', 'MythicalDash 3'];
  expect(rows.map((row, at) => row.textContent.includes(names[at] ?? ''))).toEqual([true, true, true, true]);
  const [, imported, , unknown] = rows;
  if (!imported || !unknown) throw new Error('rows are missing');
  expect(within(imported).queryByRole('link')).toBeNull();
  for (const text of ['Imported · paid', 'CtrlPanel 1 · Stripe', '€4.99'])
    expect(within(imported).getByText(text)).toBeDefined();
  expect(within(unknown).getByText('Imported')).toBeDefined();
});

test('amounts of currencies without minor units stand by the number that is read', async () => {
  const yen = { ...order(5, '2026-03-01T10:00:00.000Z'), label: 'Yen', currency: 'JPY', amount: 400 };
  const euro = { ...order(6, '2026-03-01T10:00:00.000Z'), label: 'Euro', amount: 50_000 };
  const [elsewhere] = LISTED.elsewhere;
  const imported = { ...elsewhere, amount: 450, currency: 'JPY' };
  const listed = { ...LISTED, rows: [euro, yen], elsewhere: [imported] };
  showScreen(list, {
    url: `${url}?sort=-amount`,
    answers: { ...answers, 'GET /api/admin/payments': listed },
    session: { permissions: ['admin.payments.list', 'admin.payments.view'] },
  });
  await screen.findByRole('link', { name: 'Euro' });
  const rows = screen.getAllByRole('row').slice(1);
  const shown = rows.map((row) => /[€¥][\d.,]+/.exec(row.textContent)?.[0]);
  expect(shown).toEqual(['€500.00', '¥450', '¥400']);
});

test('the file is offered of every payment and of those that were imported', async () => {
  for (const query of ['', '?provider=imported', '?provider=imported&q=ann']) {
    showScreen(list, { url: `${url}${query}`, answers, session: { permissions: ['admin.payments.list'] } });
    const link = await screen.findByRole('link', { name: 'Export as CSV' });
    const { pathname, searchParams } = new URL(link.getAttribute('href') ?? '', 'https://panel.example');
    const asked = new URLSearchParams(query);
    expect([pathname, searchParams.get('provider'), searchParams.get('q') || null]).toEqual([
      '/api/admin/payments/export.csv',
      asked.get('provider'),
      asked.get('q'),
    ]);
    cleanup();
  }
});
