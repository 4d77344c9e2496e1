import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/mc-admin/held-rewards');
const { cleanup, fireEvent, screen, waitFor, within } = await import('@testing-library/react');
const { refuse, serverHtml, showScreen } = await import('#tests/support/screens.tsx');
const held = await import('./screen.tsx');
const { toHeldRewardsQuery, HELD_REWARDS_LIST } = await import('./query.ts');
const { readList } = await import('#client/lib/url-state.ts');

afterEach(cleanup);
const PATH = '/mc-admin/held-rewards';
const API = '/api/admin/held-rewards';
const row = {
  id: '01890000-0000-7000-8000-000000000001',
  source: 'afk',
  amount: 120,
  subject: null,
  state: 'open',
  release_at: null,
  held_at: '2026-11-21T18:00:00.000Z',
  decided_at: null,
  note: 'We are <b>four</b>.',
  username: 'ada',
  parts: 120,
  cause: 'score',
  score: 75,
  reasons: [
    { code: 'deviceShared', weight: 70, count: 3 },
    { code: 'addressShared', weight: 5, count: 3 },
  ],
  decided_by: null,
  noted_at: null,
  own: false,
};
const listed = (rows: object[]) => ({
  rows,
  paging: { page: 1, per_page: 25, total: rows.length },
  open: { count: rows.length, credits: 120 },
});
const BOTH = ['admin.rewards.held.list', 'admin.rewards.held.edit'];
const show = (rows: object[], answers: object = {}, permissions = BOTH) =>
  showScreen(held, { url: PATH, answers: { [`GET ${API}`]: listed(rows), ...answers }, session: { permissions } });

test('each reward opens into what adds up to its score, and what its user said, as text', async () => {
  show([
    row,
    {
      ...row,
      id: '01890000-0000-7000-8000-000000000002',
      username: 'bea',
      cause: 'proof',
      score: 0,
      reasons: [{ code: 'noProof', weight: 0, count: null }],
      release_at: '2026-11-22T18:00:00.000Z',
      note: null,
      own: true,
    },
  ]);
  const ada = within((await screen.findByText('ada')).closest('details') as HTMLElement);
  expect(ada.getByText(/Same device as 3 other accounts/).textContent).toContain('+70 points');
  expect(ada.getByText('We are <b>four</b>.')).toBeTruthy();
  const bea = within(screen.getByText('bea').closest('details') as HTMLElement);
  expect(bea.getByText(/nothing proves/)).toBeTruthy();
  expect(bea.getByText(/unless the score is too high by then/)).toBeTruthy();
  expect(bea.getByText(/your own reward/)).toBeTruthy();
  expect(bea.queryByRole('button')).toBeNull();
});

test('one reward is decided by its own button, and a refusal is shown', async () => {
  const { calls } = show([row], { [`POST ${API}/${row.id}/decide`]: refuse('HOLD_CLOSED') });
  fireEvent.click(await screen.findByRole('button', { name: 'Approve the reward of ada', hidden: true }));
  await waitFor(() =>
    expect(calls(`POST ${API}/${row.id}/decide`).map(({ body }) => body)).toEqual([{ decision: 'release' }]),
  );
  expect((await screen.findByRole('alert')).textContent).not.toBe('');
});

test('several rewards are decided after a question', async () => {
  const other = { ...row, id: '01890000-0000-7000-8000-000000000002', username: 'bea' };
  const { calls } = show([row, other], { [`POST ${API}/decide`]: { done: 1, refused: 1 } });
  fireEvent.click(await screen.findByRole('checkbox', { name: /all/i }));
  fireEvent.click(within(screen.getByRole('region', { name: '2 selected' })).getByRole('button', { name: 'Reject' }));
  fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Reject' }));
  expect(await screen.findByText(/Reward rejected. 1 was skipped/)).toBeTruthy();
  expect(calls(`POST ${API}/decide`).map(({ body }) => body)).toEqual([
    { ids: [row.id, other.id], decision: 'reject' },
  ]);
});

test('a user who may only read sees no way to decide, and nothing there says so', async () => {
  show([row], {}, ['admin.rewards.held.list']);
  expect(await screen.findByText('ada')).toBeTruthy();
  expect(screen.queryByRole('checkbox')).toBeNull();
  expect(screen.queryByRole('button', { name: /^(Release|Reject)/, hidden: true })).toBeNull();
  cleanup();
  show([]);
  expect(await screen.findByText('Nothing to review')).toBeTruthy();
});

test('without scripts the page has everything: explanation, and a form for each decision', () => {
  const html = serverHtml(held, { url: PATH, session: { permissions: BOTH } }, listed([row]));
  expect(html).toContain('<details class="sp-why">');
  expect(html).toContain('method="post"');
  expect(html).toContain(`value="${row.id}"`);
  for (const decision of ['release', 'reject'])
    expect(html).toMatch(new RegExp(`name="decision"[^>]*value="${decision}"|value="${decision}"[^>]*name="decision"`));
});

test('the address says what is asked for; what it cannot say is left out', () => {
  const ask = (search: string) => toHeldRewardsQuery(readList(search, HELD_REWARDS_LIST));
  expect(ask('')).toEqual({ page: '1', per_page: '25', sort: '-created', state: 'open' });
  expect(ask('?state=all&source=link&note=true&sort=score&q=ada')).toEqual({
    page: '1',
    per_page: '25',
    sort: 'score',
    source: 'link',
    note: 'true',
    q: 'ada',
  });
  expect(ask('?state=gone&source=gift&note=perhaps&sort=user')).toEqual({
    page: '1',
    per_page: '25',
    sort: '-created',
    state: 'open',
  });
});
