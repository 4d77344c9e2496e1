import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/mc-admin/servers');
const { cleanup, screen, within } = await import('@testing-library/react');
const { showScreen } = await import('#tests/support/screens.tsx');
const servers = await import('../servers/list.tsx');
const queue = await import('../server-queue/list.tsx');
const payments = await import('../payments/list.tsx');

afterEach(cleanup);

const AT = '2026-11-21T18:00:00.000Z';
const PAGING = { page: 1, per_page: 25, total: 1 };
const OWNER = { id: 'u', username: 'radu', status: 'active' };
const SERVER = {
  id: 's',
  name: 'Survival',
  owner: OWNER,
  state: 'active',
  suspend_reason: null,
  pending: false,
  address: 'play.example:25565',
  location: { id: 'l', name: 'Frankfurt' },
  panel: { id: 'p', name: 'Main' },
  expires_at: AT,
  created_at: AT,
};
const ENTRY = {
  id: 'e',
  state: 'queued',
  vip: false,
  attempts: 0,
  last_error: null,
  waiting: null,
  owner: OWNER,
  server: { id: 's', name: 'Survival', state: 'queued' },
  location: SERVER.location,
  panel: SERVER.panel,
  created_at: AT,
  started_at: null,
  done_at: null,
  next_at: null,
};
const ORDER = {
  id: 'o',
  code: 'CODE-0001',
  provider: 'manual',
  state: 'paid',
  label: 'Survival',
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
  created_at: AT,
  paid_at: AT,
  expires_at: null,
  user: { id: 'u', username: 'radu' },
};
const COUNTS = { total: 1, active: 1, suspended: 0, failed: 0 };
/** The lists whose columns are chosen, each with its address, its answers and the keys of its columns in their order. */
const LISTS = [
  [
    '/mc-admin/servers',
    servers,
    {
      'GET /api/admin/servers': { rows: [SERVER], paging: PAGING, counts: COUNTS, drift: 0, locations: [], panels: [] },
    },
    ['owner', 'state', 'location', 'expires', 'created'],
  ],
  [
    '/mc-admin/server-queue',
    queue,
    {
      'GET /api/admin/server-queue': {
        rows: [ENTRY],
        paging: PAGING,
        counts: { total: 1, queued: 1, building: 0, completed: 0, failed: 0, cancelled: 0 },
      },
    },
    ['owner', 'state', 'reason', 'location', 'created', 'done'],
  ],
  [
    '/mc-admin/payments',
    payments,
    {
      'GET /api/admin/payments': { rows: [ORDER], elsewhere: [], paging: PAGING },
      'GET /api/admin/payments/problems': { problems: [] },
    },
    ['code', 'user', 'state', 'provider', 'created_at', 'credits', 'amount', 'receipt'],
  ],
] as const;

const session = { permissions: ['admin.root'] };
/** The headers of the columns after the name of the row, without that of its menu. */
const headers = () =>
  screen
    .getAllByRole('columnheader')
    .slice(1)
    .map(({ textContent }) => textContent)
    .filter((text) => text !== '' && text !== 'Actions');

test.each(LISTS)(
  'the list %s shows all of its columns, or those of its address',
  async (url, module, answers, columns) => {
    showScreen(module, { url, answers, session });
    await screen.findByRole('table');
    const all = headers();
    expect(all).toHaveLength(columns.length);
    const menu = screen.getByRole('menu', { name: 'Columns', hidden: true });
    const entries = () => within(menu).getAllByRole('menuitemcheckbox', { hidden: true });
    expect(entries().map(({ textContent }) => textContent)).toEqual(all);
    expect(entries().map((each) => each.getAttribute('aria-checked'))).toEqual(all.map(() => 'true'));
    const [first, ...others] = columns;
    // An entry takes its column away and leaves the rest.
    expect(entries()[0]?.getAttribute('href')).toBe(`${url}?columns=${others.join('%2C')}`);
    cleanup();
    showScreen(module, { url: `${url}?columns=${first},password`, answers, session });
    await screen.findByRole('table');
    expect(headers()).toEqual(all.slice(0, 1));
    const only = screen.getByRole('menu', { name: 'Columns', hidden: true });
    const [taken] = within(only).getAllByRole('menuitemcheckbox', { hidden: true });
    expect(taken?.getAttribute('href')).toBe(`${url}?columns=none`);
    cleanup();
    showScreen(module, { url: `${url}?columns=none`, answers, session });
    await screen.findByRole('table');
    expect(headers()).toEqual([]);
    cleanup();
    // All of them again need no words in the address.
    showScreen(module, { url: `${url}?columns=${others.join()}`, answers, session });
    await screen.findByRole('table');
    expect(headers()).toEqual(all.slice(1));
    const missing = screen.getByRole('menu', { name: 'Columns', hidden: true });
    const [back] = within(missing).getAllByRole('menuitemcheckbox', { hidden: true });
    expect(back?.getAttribute('href')).toBe(url);
  },
);
