import { afterEach, expect, test } from 'bun:test';
import type { Answers } from '#tests/support/screens.tsx';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/mc-admin/tickets/1');
const { cleanup, fireEvent, screen, waitFor } = await import('@testing-library/react');
const { refuse, showScreen, type, NOW } = await import('#tests/support/screens.tsx');
const view = await import('./view.tsx');

afterEach(() => {
  cleanup();
  localStorage.clear();
});

const ID = (n: number): string => `0190a000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const DEPARTMENTS = [
  { id: ID(70), name: 'Technical' },
  { id: ID(71), name: 'Billing' },
];
const brief = (n: number) => ({ id: ID(n), number: n, subject: `Ticket ${n}`, status: 'open' });
/** Ticket `n` of mirela; the even ones are of Billing. Its user has the next one as well. */
const answerOf = (n: number) => ({
  ticket: {
    ...brief(n),
    priority: 'normal',
    department: DEPARTMENTS[(n + 1) % 2]?.name,
    server: null,
    created_at: NOW,
    updated_at: NOW,
    closed_at: null,
    username: 'mirela',
    user_id: ID(90),
    assignee: null,
    since: NOW,
    messages: 3,
    tags: ['lag', 'nether'],
  },
  lines: [],
  older: false,
  closes_at: null,
  department_id: DEPARTMENTS[(n + 1) % 2]?.id,
  card: {
    username: 'mirela',
    balance: 5,
    created_at: NOW,
    tickets: 2,
    other_tickets: [brief(n + 1)],
    servers: [],
    movements: [],
  },
  staff: [{ id: ID(80), username: 'oana' }],
  rating: null,
  read_seq: 0,
  staff_seq: 0,
  merged_into: null,
  block: null,
  departments: DEPARTMENTS,
  tags: [],
});
const PATH = (n: number): string => `/api/admin/tickets/${ID(n)}`;

function show(answers: Answers = {}, inBrowser = false) {
  const beside = { rows: [], paging: { total: 0 } };
  return showScreen(view, {
    url: `/mc-admin/tickets/${ID(1)}`,
    path: '/mc-admin/tickets/:id',
    inBrowser,
    session: { permissions: ['admin.tickets.list', 'admin.tickets.view'] },
    answers: {
      [`GET ${PATH(1)}`]: answerOf(1),
      [`GET ${PATH(2)}`]: answerOf(2),
      'GET /api/admin/payments': beside,
      [`GET /api/admin/users/${ID(90)}`]: refuse('FORBIDDEN'),
      [`GET /api/admin/users/${ID(90)}/ways-in`]: refuse('FORBIDDEN'),
      [`GET /api/admin/users/${ID(90)}/signals`]: { score: 0, threshold: 100, held: { count: 0, credits: 0 } },
      'GET /api/admin/canned-replies/offered': { rows: [] },
      ...Object.fromEntries([1, 2].map((n) => [`POST ${PATH(n)}/typing`, { writers: [] }])),
      ...answers,
    },
  });
}

const department = () => screen.findByRole<HTMLSelectElement>('combobox', { name: 'Department' });
const chosen = async () => (await department()).selectedOptions[0]?.textContent;
const writing = (name: string) => screen.findByRole<HTMLTextAreaElement>('textbox', { name: new RegExp(`^${name}`) });
const chooseNote = () => fireEvent.click(screen.getByRole('radio', { name: 'Internal note' }));

test('the card of a user has their role, second factor and PIN, and leads to what may be done for them', async () => {
  show({
    [`GET /api/admin/users/${ID(90)}`]: {
      username: 'mirela',
      status: 'active',
      viewable: true,
      role: { name: 'VIP', color: '#c09030' },
      support_pin: { pin: '481202', expires_at: NOW },
    },
    [`GET /api/admin/users/${ID(90)}/ways-in`]: { factor_at: NOW },
  });
  expect((await screen.findByText('Second factor')).parentElement?.textContent).toBe('Second factoron');
  expect(screen.getByText('Role').parentElement?.textContent).toBe('RoleVIP');
  expect(screen.getByText('Support PIN').parentElement?.textContent).toStartWith('Support PIN481 202 until ');
  expect(screen.getByRole('link', { name: 'Give credits' }).getAttribute('href')).toBe(
    `/mc-admin/users/${ID(90)}/edit#adjust`,
  );
  const form = screen.getByRole('button', { name: 'View as user' }).closest('form');
  expect(form?.getAttribute('action')).toBe(`/mc-admin/users/${ID(90)}/edit`);
  fireEvent.click(screen.getByRole('button', { name: 'View as user' }));
  expect(await screen.findByRole('heading', { name: 'View as mirela?' })).toBeDefined();
});

test('who may not edit users has no PIN and no way to credits on the card', async () => {
  show();
  await screen.findByText('Balance');
  expect(screen.queryByText('Support PIN')).toBeNull();
  expect(screen.queryByRole('link', { name: 'Give credits' })).toBeNull();
});

test('saving the details of a ticket says nothing of its tags', async () => {
  const { calls } = show({ [`PATCH ${PATH(1)}`]: {} });
  fireEvent.change(await screen.findByRole('combobox', { name: 'Priority' }), { target: { value: 'urgent' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(calls(`PATCH ${PATH(1)}`)).toHaveLength(1));
  expect(calls(`PATCH ${PATH(1)}`)[0]?.body).toEqual({
    assignee: null,
    status: 'open',
    priority: 'urgent',
    department: ID(70),
  });
});

test('the details and tags of the next ticket are its own, whatever was begun at the one before', async () => {
  show();
  expect(await chosen()).toBe('Technical');
  type(screen.getByRole('textbox', { name: 'Tags' }), 'lag, nether, crash');
  fireEvent.click(screen.getByRole('link', { name: /Ticket 2/ }));
  await screen.findByRole('heading', { level: 1, name: 'Ticket 2' });
  expect(await chosen()).toBe('Billing');
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Tags' }).value).toBe('lag, nether');
});

test('a note that was begun is a note when its writer comes back, and reaches staff alone', async () => {
  show({}, true);
  await writing('Reply');
  chooseNote();
  type(await writing('Internal note'), 'She has three accounts');
  cleanup();
  const { calls } = show({ [`POST ${PATH(1)}/messages`]: { seq: 4 } }, true);
  expect((await writing('Internal note')).value).toBe('She has three accounts');
  fireEvent.click(screen.getByRole('button', { name: 'Add note' }));
  await waitFor(() => expect(calls(`POST ${PATH(1)}/messages`)).toHaveLength(1));
  expect(calls(`POST ${PATH(1)}/messages`)[0]?.body).toMatchObject({ internal: true, text: 'She has three accounts' });
  // Staff who write several notes go on writing notes.
  expect((await writing('Internal note')).value).toBe('');
});

test('an answer that got lost is sent again by itself as the same request, whatever has arrived since', async () => {
  let messages = 3;
  let sent = 0;
  const { calls } = show(
    {
      [`GET ${PATH(1)}`]: () => ({ ...answerOf(1), ticket: { ...answerOf(1).ticket, messages } }),
      [`POST ${PATH(1)}/messages`]: () => {
        sent += 1;
        if (sent > 1) return { seq: 4 };
        messages = 4;
        throw new TypeError('Failed to fetch');
      },
      [`PATCH ${PATH(1)}`]: {},
    },
    true,
  );
  type(await writing('Reply'), 'It is mended.');
  fireEvent.click(screen.getByRole('button', { name: 'Send' }));
  await screen.findByText(/Not sent/);
  // Another command reads the ticket anew: its own line is there.
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(calls(`POST ${PATH(1)}/messages`)).toHaveLength(2));
  const [first, second] = calls(`POST ${PATH(1)}/messages`);
  expect(second).toEqual(first);
  await waitFor(() => expect(screen.queryByText(/Not sent/)).toBeNull());
});

test('an answer that was changed while it could not be sent waits for its writer', async () => {
  const { calls } = show(
    {
      [`POST ${PATH(1)}/messages`]: () => {
        throw new TypeError('Failed to fetch');
      },
    },
    true,
  );
  type(await writing('Reply'), 'It is');
  fireEvent.click(screen.getByRole('button', { name: 'Send' }));
  await screen.findByText(/Not sent/);
  type(await writing('Reply'), 'It is not');
  dispatchEvent(new Event('online'));
  await Promise.resolve();
  expect(calls(`POST ${PATH(1)}/messages`)).toHaveLength(1);
});

test('the order of a list stands in its address and goes with it to another list of what waits', async () => {
  const list = await import('./list.tsx');
  const answer = {
    rows: [answerOf(1).ticket],
    more: null,
    counts: { inbox: 1, overdue: 0, mine: 0, unassigned: 1, waiting: 0, on_hold: 0 },
    departments: [],
    staff: [],
    tags: [],
    overdue_before: NOW,
  };
  const { calls } = showScreen(list, {
    url: '/mc-admin/tickets',
    session: { permissions: ['admin.tickets.list'] },
    answers: { 'GET /api/admin/tickets': answer },
  });
  fireEvent.click(await screen.findByRole('link', { name: 'Priority' }));
  await waitFor(() => expect(calls('GET /api/admin/tickets').length).toBe(2));
  await waitFor(() => expect(screen.getByRole('link', { name: 'Priority' }).getAttribute('aria-current')).toBe('true'));
  fireEvent.click(screen.getByRole('link', { name: /^Unassigned/ }));
  await waitFor(() => expect(calls('GET /api/admin/tickets').length).toBe(3));
  fireEvent.click(screen.getByRole('link', { name: /^Closed/ }));
  await waitFor(() => expect(calls('GET /api/admin/tickets').length).toBe(4));
  // What is done with has one order.
  await waitFor(() => expect(screen.queryAllByRole('link', { name: 'Priority' }).length).toBe(0));
  expect(calls('GET /api/admin/tickets').map(({ path }) => path.split('?')[1])).toEqual([
    'view=inbox',
    'view=inbox&sort=priority',
    'view=unassigned&sort=priority',
    'view=closed',
  ]);
});

test('a search for what is a name leads to the texts that have the word as well', async () => {
  const list = await import('./list.tsx');
  const rows = [answerOf(1).ticket];
  const answers = {
    'GET /api/admin/tickets': {
      rows,
      more: null,
      counts: { inbox: 1, overdue: 0, mine: 0, unassigned: 1, waiting: 0, on_hold: 0 },
      departments: [],
      staff: [],
      tags: ['lag'],
      overdue_before: NOW,
    },
  };
  const { calls } = showScreen(list, {
    url: '/mc-admin/tickets?q=Mirela&department=&tag=lag',
    session: { permissions: ['admin.tickets.list'] },
    answers,
  });
  fireEvent.click(await screen.findByRole('link', { name: 'Search texts for “Mirela” instead' }));
  await waitFor(() => expect(calls('GET /api/admin/tickets')).toHaveLength(2));
  const asked = calls('GET /api/admin/tickets').map(({ path }) =>
    Object.fromEntries(new URLSearchParams(path.split('?')[1])),
  );
  expect(asked).toEqual([
    { view: 'inbox', q: 'Mirela', tag: 'lag' },
    { view: 'inbox', q: '"Mirela"', tag: 'lag' },
  ]);
  await waitFor(() => expect(screen.queryByText('Search texts for “Mirela” instead')).toBeNull());
});
