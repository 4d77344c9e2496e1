import { afterEach, expect, test } from 'bun:test';
import { PERMISSIONS } from '#shared/permissions.ts';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/mc-admin/roles');
const { cleanup, fireEvent, screen, waitFor, within } = await import('@testing-library/react');
const { NOW, refuse, showScreen, type } = await import('#tests/support/screens.tsx');
const list = await import('./list.tsx');
const create = await import('./create.tsx');
const remove = await import('./delete.tsx');
const permissions = await import('./permissions.tsx');

afterEach(cleanup);

const ID = (n: number): string => `0190a000-0000-7000-8000-00000000000${n}`;
const ROW = {
  id: ID(1),
  name: 'Support',
  color: '#6caee8',
  rank: 50,
  is_default: false,
  members: 4,
  permissions: 2,
  editable: true,
  created_at: NOW,
  updated_at: NOW,
};
const OWNER = { ...ROW, id: ID(2), name: 'Owner', rank: 100, members: 1, editable: false };
const staff = { session: { permissions: ['admin.root'] } };

test('the list leads to the roles below one’s own and to the permissions of every role', async () => {
  const { calls } = showScreen(list, {
    url: '/mc-admin/roles?q=o&sort=-members',
    answers: { 'GET /api/admin/roles': { rows: [ROW, OWNER] } },
    ...staff,
  });
  expect((await screen.findByRole('link', { name: 'Support' })).getAttribute('href')).toBe(
    `/mc-admin/roles/${ID(1)}/edit`,
  );
  expect(screen.queryByRole('link', { name: 'Owner' })).toBeNull();
  expect(calls('GET /api/admin/roles')[0]?.path).toBe('/api/admin/roles?q=o&sort=-members');
  expect(screen.getByRole('link', { name: '4' }).getAttribute('href')).toBe(`/mc-admin/users?role=${ID(1)}`);
  expect(screen.getAllByRole('link', { name: '2' })[0]?.getAttribute('href')).toBe(
    `/mc-admin/roles/${ID(1)}/permissions`,
  );
});

test('a new role begins like the one the address names, and a rank of one’s own is explained', async () => {
  const { calls } = showScreen(create, {
    url: `/mc-admin/roles/create?like=${ID(1)}`,
    answers: {
      'GET /api/admin/roles/new': { rank_max: 99, templates: [{ id: ID(1), name: 'Support' }] },
      'POST /api/admin/roles': refuse('VALIDATION_FAILED', { rank: ['TOO_LARGE'] }),
    },
    ...staff,
  });
  expect((await screen.findByLabelText<HTMLSelectElement>(/Start like/)).value).toBe(ID(1));
  type(screen.getByLabelText(/Name/), 'Desk');
  fireEvent.click(screen.getByRole('button', { name: 'Create role' }));
  expect((await screen.findAllByText(/Choose a rank below your own/)).length).toBeGreaterThan(0);
  expect(calls('POST /api/admin/roles')[0]?.body).toEqual({
    name: 'Desk',
    color: '#8d93a1',
    rank: 1,
    is_default: false,
    template: ID(1),
  });
});

test('deleting says where the members go, and is not offered for the default role', async () => {
  const answers = { [`GET /api/admin/roles/${ID(1)}/dependants`]: { row: ROW, fallback: 'Member' } };
  const at = { url: `/mc-admin/roles/${ID(1)}/delete`, path: '/mc-admin/roles/:id/delete' };
  showScreen(remove, { ...at, answers, ...staff });
  expect(await screen.findByText(/4 members move to the role Member/)).toBeTruthy();
  cleanup();
  showScreen(remove, {
    ...at,
    answers: { [`GET /api/admin/roles/${ID(1)}/dependants`]: { row: ROW, fallback: null } },
    ...staff,
  });
  expect(await screen.findByText(/This is the default role/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Delete' })).toBeNull();
});

test('the matrix shows who gains or loses what before it is saved, and saves only that', async () => {
  const column = { ...ROW, names: ['oana', 'stefan'], permissions: ['admin.users.list'] };
  const owner = { ...OWNER, names: [], permissions: ['admin.root'] };
  const { calls } = showScreen(permissions, {
    url: `/mc-admin/roles/${ID(1)}/permissions`,
    path: '/mc-admin/roles/:id/permissions',
    answers: {
      [`GET /api/admin/roles/${ID(1)}/permissions`]: { roles: [owner, column] },
      'GET /api/admin/permissions': { permissions: PERMISSIONS },
      'PATCH /api/admin/permissions': { changed: 2 },
    },
    ...staff,
  });
  const box = (name: RegExp) => screen.getByRole<HTMLInputElement>('checkbox', { name });
  expect(await screen.findByText(/Here you see who gains or loses what/)).toBeTruthy();
  fireEvent.click(box(/Support: Settings, See the settings/));
  fireEvent.click(box(/Support: Users, See users/));
  const review = screen.getByRole('heading', { name: /Before you save 2/ }).closest('section') as HTMLElement;
  expect(within(review).getByText('oana, stefan and 2 more')).toBeTruthy();
  expect(within(review).getByText('admin.settings.view')).toBeTruthy();
  expect(within(review).getByText('admin.users.list')).toBeTruthy();
  // Searching hides rows, and keeps what was ticked.
  type(screen.getByRole('searchbox'), 'redeem');
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(calls('PATCH /api/admin/permissions')).toHaveLength(1));
  expect(calls('PATCH /api/admin/permissions')[0]?.body).toEqual({
    changes: [{ role: ID(1), updated_at: NOW, grant: ['admin.settings.view'], revoke: ['admin.users.list'] }],
  });
});

test('a matrix that somebody else changed meanwhile shows the newest state, with one’s own ticks kept', async () => {
  const column = { ...ROW, names: [], permissions: ['admin.users.list'] };
  const owner = { ...OWNER, names: [], permissions: ['admin.root'] };
  let others = column;
  const { calls } = showScreen(permissions, {
    url: `/mc-admin/roles/${ID(1)}/permissions`,
    path: '/mc-admin/roles/:id/permissions',
    answers: {
      [`GET /api/admin/roles/${ID(1)}/permissions`]: () => ({ roles: [owner, others] }),
      'GET /api/admin/permissions': { permissions: PERMISSIONS },
      'PATCH /api/admin/permissions': () => refuse('CONFLICT'),
    },
    ...staff,
  });
  const box = (name: RegExp) => screen.getByRole<HTMLInputElement>('checkbox', { name });
  expect(await screen.findByText(/Here you see who gains or loses what/)).toBeTruthy();
  fireEvent.click(box(/Support: Settings, See the settings/));
  // Somebody else takes from the role what it had.
  others = { ...column, permissions: [], updated_at: '2026-11-21T18:31:00.000Z' };
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText(/with your own changes still ticked/)).toBeTruthy();
  expect(box(/Support: Settings, See the settings/).checked).toBe(true);
  expect(box(/Support: Users, See users/).checked).toBe(false);
  expect(screen.getByRole('heading', { name: /Before you save 1/ })).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(calls('PATCH /api/admin/permissions')).toHaveLength(2));
  expect(calls('PATCH /api/admin/permissions')[1]?.body).toEqual({
    changes: [{ role: ID(1), updated_at: others.updated_at, grant: ['admin.settings.view'], revoke: [] }],
  });
});
