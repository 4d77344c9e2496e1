import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/mc-admin/economy');
const { cleanup, fireEvent, screen, waitFor, within } = await import('@testing-library/react');
const { serverHtml, showScreen, type } = await import('#tests/support/screens.tsx');
const economy = await import('./screen.tsx');
const batch = await import('../redeem-codes/batch.tsx');

afterEach(cleanup);

const ID = (n: number): string => `0190a000-0000-7000-8000-00000000000${n}`;
const DAYS = ['2026-11-19', '2026-11-20', '2026-11-21'];
const DATA = {
  days: DAYS,
  flows: [
    { account: 'reward.afk', minted: [100, 120, 60], burnt: [0, 0, 0] },
    { account: 'store', minted: [0, 0, 10], burnt: [30, 0, 40] },
  ],
  circulation: [1070, 1190, 1220],
  velocity: 0.148,
  reserved: { count: 2, credits: 116 },
  held: { count: 1, credits: 85 },
  sources: [
    { source: 'afk', enabled: true, used: 60, budget: 600 },
    { source: 'redeem', enabled: true, used: 500, budget: 500 },
    { source: 'j4r', enabled: false, used: 0, budget: 0 },
    { source: 'referral', enabled: true, used: 0, budget: 0 },
    { source: 'link', enabled: true, used: 0, budget: 0 },
  ],
  earners: [{ id: ID(1), username: 'luca.builds', credits: 3360 }],
  forecast: { per_day: 95, later: 4070, basis: 2 },
};
const staff = { session: { permissions: ['admin.root'] } };

test('the page has figures, drawings with their tables, budgets and earners', async () => {
  const { calls, container } = showScreen(economy, {
    url: '/mc-admin/economy?days=7',
    answers: { 'GET /api/admin/economy': DATA },
    ...staff,
  });
  expect(await screen.findByRole('heading', { name: 'Economy' })).toBeTruthy();
  expect(calls('GET /api/admin/economy')[0]?.path).toBe('/api/admin/economy?days=7');
  expect(screen.getByText('+30 today')).toBeTruthy();
  expect(screen.getByText('14.8 %')).toBeTruthy();
  expect(screen.getByText('if nothing changes: +95 a day, the average of the last 2 full days')).toBeTruthy();
  const drawings = screen.getAllByRole('img', { name: /^Chart/ });
  expect(drawings).toHaveLength(2);
  expect(drawings[0]?.getAttribute('aria-label')).toContain('290 credits minted and 70 credits burnt');
  // Three days of AFK, two of the store's sales, one of what it gave back.
  expect(container.querySelectorAll('.sp-chart__bars rect')).toHaveLength(6);
  const table = screen.getByRole('table', { name: 'Credits minted and burnt', hidden: true });
  const rows = within(table)
    .getAllByRole('row', { hidden: true })
    .map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.textContent));
  expect(rows[0]).toEqual(['Day', 'Minted', 'Burnt', 'Net', 'AFK', 'Store']);
  expect(rows).toHaveLength(4);
  expect(rows[1]?.[0]).toBe('21 Nov 2026');
  expect(screen.getByText('Budget used up')).toBeTruthy();
  expect(screen.getByText('Stopped')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'luca.builds' }).getAttribute('href')).toBe(`/mc-admin/users/${ID(1)}/edit`);
  expect(screen.getByRole('link', { name: 'Export CSV' }).getAttribute('href')).toBe(
    '/api/admin/economy/export.csv?days=3',
  );
});

test('Screen 5 credits that are reserved stand there once, with what of them is on hold', async () => {
  const { container } = showScreen(economy, {
    url: '/mc-admin/economy',
    answers: {
      'GET /api/admin/economy': { ...DATA, reserved: { count: 3, credits: 1250 }, held: { count: 3, credits: 1250 } },
    },
    ...staff,
  });
  const label = await screen.findByText('Reserved');
  expect(label.closest('.sp-stat')?.textContent).toBe(
    'Reserved1,2501,250 credits3 open reservations, 1,250 of them on hold for review',
  );
  expect(container.querySelectorAll('.sp-stat')).toHaveLength(6);
  cleanup();
  showScreen(economy, {
    url: '/mc-admin/economy',
    answers: { 'GET /api/admin/economy': { ...DATA, held: { count: 0, credits: 0 } } },
    ...staff,
  });
  expect(await screen.findByText('2 open reservations')).toBeTruthy();
});

test('Screen 9 an outlier is cut off with a mark and its amount, and every day stays readable', async () => {
  const days = Array.from({ length: 7 }, (_, n) => `2026-11-${15 + n}`);
  const minted = [20_000, 21_000, 900_000_000, 19_000, 22_000, 20_500, 23_000];
  const data = {
    ...DATA,
    days,
    flows: [{ account: 'reward.afk', minted, burnt: days.map(() => 0) }],
    circulation: minted,
  };
  const { container } = showScreen(economy, {
    url: '/mc-admin/economy',
    answers: { 'GET /api/admin/economy': data },
    ...staff,
  });
  const [flow] = await screen.findAllByRole('slider', { name: 'Day shown' });
  expect(container.querySelectorAll('.sp-chart__gap')).toHaveLength(1);
  expect(container.querySelector('.sp-chart__over text')?.textContent).toMatch(/^900/);
  // The bars of the other days are not flat.
  const heights = [...(container.querySelector('.sp-chart__bars')?.querySelectorAll('rect') ?? [])].map((bar) =>
    Number(bar.getAttribute('height')),
  );
  expect(heights).toHaveLength(7);
  expect(Math.min(...heights)).toBeGreaterThan(100);

  const read = () => container.querySelector('.sp-chart__read')?.textContent;
  expect(read()).toBe('21 Nov 2026: 23,000 minted, 0 burnt');
  fireEvent.change(flow as HTMLElement, { target: { value: '2' } });
  expect(read()).toBe('17 Nov 2026: 900,000,000 minted, 0 burnt');
  expect(flow?.getAttribute('aria-valuetext')).toBe(read() ?? '');
  fireEvent.blur(flow as HTMLElement);
  expect(read()).toBe('21 Nov 2026: 23,000 minted, 0 burnt');
  expect(
    screen.getByRole('table', { name: 'Credits minted and burnt', hidden: true }).querySelectorAll('tbody tr'),
  ).toHaveLength(7);
});

test('a kill switch asks first, and is shown only to users who may use it', async () => {
  const { calls } = showScreen(economy, {
    url: '/mc-admin/economy',
    answers: { 'GET /api/admin/economy': DATA, 'POST /api/admin/economy/set-enabled': {} },
    ...staff,
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Stop: AFK' }));
  fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  expect(calls('POST /api/admin/economy/set-enabled')).toEqual([]);
  fireEvent.click(screen.getByRole('button', { name: 'Stop: AFK' }));
  fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Stop' }));
  expect(await screen.findByText('AFK: stopped.')).toBeTruthy();
  expect(calls('POST /api/admin/economy/set-enabled')[0]?.body).toEqual({ source: 'afk', enabled: false });
  expect(screen.getByRole('button', { name: 'Resume: Join for rewards' })).toBeTruthy();
  cleanup();
  showScreen(economy, {
    url: '/mc-admin/economy',
    answers: { 'GET /api/admin/economy': DATA },
    session: { permissions: ['admin.economy.view'] },
  });
  await screen.findByRole('heading', { name: 'Sources' });
  expect(screen.queryByRole('button', { name: /^Stop/ })).toBeNull();
});

test('a new installation says that nothing moved yet', async () => {
  const none = { ...DATA, flows: [], circulation: [0, 0, 0], velocity: null, forecast: null, earners: [] };
  showScreen(economy, { url: '/mc-admin/economy', answers: { 'GET /api/admin/economy': none }, ...staff });
  expect(await screen.findByText('No activity in this period')).toBeTruthy();
  expect(screen.getByText('available after the first full day')).toBeTruthy();
  expect(screen.getByText('No one has earned anything this month.')).toBeTruthy();
});

test('the chart is the same on the server, has no inline styles, and works without scripts', () => {
  const html = serverHtml(economy, { url: '/mc-admin/economy', ...staff }, DATA);
  expect(html).toContain('class="sp-chart__line"');
  expect(html).not.toMatch(/ style=/);
  expect(html).toContain('name="source" value="afk"');
  expect(html).toContain('name="enabled" value="false"');
  expect(html).toContain('href="/mc-admin/economy?days=30"');
});

test('the form of many codes takes pattern and bounds, then shows the codes to copy', async () => {
  const codes = ['FAIR-1234-5678', 'FAIR-ABCD-EFGH'];
  const { calls } = showScreen(batch, {
    url: '/mc-admin/redeem-codes/batch',
    answers: { 'POST /api/admin/redeem-codes/batch': { codes } },
    ...staff,
  });
  type(await screen.findByLabelText('Pattern'), 'FAIR-####');
  type(screen.getByLabelText('Number of codes'), '2');
  type(screen.getByLabelText('Credits per code'), '50');
  fireEvent.click(screen.getByRole('button', { name: 'Create codes' }));
  expect((await screen.findAllByText('At least 8 characters have to be random (#).')).length).toBeGreaterThan(0);
  expect(calls('POST /api/admin/redeem-codes/batch')).toEqual([]);
  type(screen.getByLabelText('Pattern'), 'fair-####-####');
  fireEvent.click(screen.getByRole('button', { name: 'Create codes' }));
  expect(await screen.findByRole('heading', { name: 'Created 2 codes.' })).toBeTruthy();
  expect((screen.getByLabelText('New codes, one per line') as HTMLTextAreaElement).value).toBe(codes.join('\n'));
  expect(calls('POST /api/admin/redeem-codes/batch')[0]).toMatchObject({
    body: {
      count: 2,
      pattern: 'FAIR-####-####',
      note: '',
      credits: 50,
      uses_total: 1,
      min_age_days: 0,
      starts_at: null,
      ends_at: null,
    },
    key: expect.any(String),
  });
});
