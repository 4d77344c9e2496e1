import { afterEach, expect, test } from 'bun:test';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import errors from '#locales/en/errors.json';
import type { SharedServerView, SubuserView } from '#shared/contract/server-views.ts';
import { SUBUSER_RIGHTS } from '#shared/subusers.ts';
import { ID, renewal, server } from './testing.ts';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/server/1');
const { cleanup, fireEvent, screen, waitFor, within } = await import('@testing-library/react');
const { refuse, showScreen } = await import('#tests/support/screens.tsx');
const view = await import('./view.tsx');
const shared = await import('./shared.tsx');

afterEach(cleanup);

const PATH = `/api/servers/${ID(1)}`;
const SHARED = `/api/shared-servers/${ID(1)}`;
const params = { id: ID(1) };
const vlad: SubuserView = {
  user_id: ID(7),
  username: 'vlad',
  rights: ['readConsole', 'power'],
  added_at: '2026-11-20T10:00:00.000Z',
};
const own = (subusers: readonly SubuserView[] | null, activity: readonly object[] = []) => ({
  server: server(),
  meters: {},
  renew: renewal(),
  panel: 'embedded',
  activity,
  links: null,
  ports: [],
  variables: [],
  wait: null,
  reinstall: 'impossible',
  debt_if_deleted: null,
  carried_debt: null,
  suspend_note: null,
  subusers,
});
const showOwn = (data: object, answers: object = {}) =>
  showScreen(
    {
      default: view.default,
      loader: (args: LoaderFunctionArgs) => view.loader({ ...args, params }),
      action: (args: ActionFunctionArgs) => view.action({ ...args, params }),
    },
    { url: '/server/1', answers: { [`GET ${PATH}`]: data, ...answers } },
  );
const showShared = (
  one: Partial<SharedServerView> = {},
  more: object = {},
  answers: object = {},
  inBrowser = false,
) => {
  const { id, name, description, state, address, egg, location, resources } = server();
  const view = {
    id,
    name,
    description,
    state,
    address,
    egg,
    location,
    resources,
    owner: 'mara',
    rights: ['power'],
    ...one,
  };
  const data = { server: view, activity: [], ports: ['fra1.example:25571'], variables: [], ...more };
  return showScreen(
    {
      default: shared.default,
      loader: (args: LoaderFunctionArgs) => shared.loader({ ...args, params }),
      action: (args: ActionFunctionArgs) => shared.action({ ...args, params }),
    },
    { url: '/server/1/shared', inBrowser, answers: { [`GET ${SHARED}`]: data, ...answers } },
  );
};

test('an owner adds somebody by name with the rights that were ticked, once a key', async () => {
  const { calls } = showOwn(own([]), { [`POST ${PATH}/subusers`]: {} });
  fireEvent.click(await screen.findByText('Add a sub-user'));
  fireEvent.input(screen.getByRole('textbox', { name: /Username/ }), { target: { value: 'vlad' } });
  fireEvent.click(screen.getByRole('checkbox', { name: /Start and stop/ }));
  fireEvent.click(screen.getByRole('button', { name: 'Add' }));
  await waitFor(() => expect(calls(`POST ${PATH}/subusers`)).toHaveLength(1));
  const [call] = calls(`POST ${PATH}/subusers`);
  expect(call?.body).toEqual({ username: 'vlad', rights: ['readConsole', 'power'] });
  expect(call?.key).toBeTruthy();
});

test('a name that nobody has is said at the field, a full server in words, and nothing of it in the head', async () => {
  showOwn(own([vlad]), {
    [`POST ${PATH}/subusers`]: refuse('VALIDATION_FAILED', { username: ['USERNAME_UNKNOWN'] }),
  });
  fireEvent.click(await screen.findByText('Add a sub-user'));
  const field = screen.getByRole('textbox', { name: /Username/ });
  fireEvent.input(field, { target: { value: 'nobody' } });
  fireEvent.click(screen.getByRole('button', { name: 'Add' }));
  await waitFor(() => expect(field.getAttribute('aria-invalid')).toBe('true'));
  expect(screen.getAllByText(/Nobody has this username/).length).toBeGreaterThan(0);
  cleanup();
  showOwn(own([vlad]), { [`POST ${PATH}/subusers`]: refuse('SUBUSER_EXISTS') });
  fireEvent.click(await screen.findByText('Add a sub-user'));
  fireEvent.input(screen.getByRole('textbox', { name: /Username/ }), { target: { value: 'vlad' } });
  fireEvent.click(screen.getByRole('button', { name: 'Add' }));
  expect(await screen.findAllByText(errors.SUBUSER_EXISTS)).toHaveLength(1);
});

test('rights are changed where the sub-user stands, and a removal asks first', async () => {
  const { calls } = showOwn(own([vlad]), {
    [`PUT ${PATH}/subusers/${ID(7)}`]: {},
    [`DELETE ${PATH}/subusers/${ID(7)}`]: {},
  });
  const list = await screen.findByRole('list', { name: 'Sub-users' });
  expect(within(list).getByText('See the console · Start and stop')).toBeTruthy();
  fireEvent.click(within(list).getByText('Change'));
  fireEvent.click(within(list).getByRole('checkbox', { name: /Start and stop/ }));
  fireEvent.click(within(list).getByRole('checkbox', { name: /Change files/ }));
  fireEvent.click(within(list).getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(calls(`PUT ${PATH}/subusers/${ID(7)}`)).toHaveLength(1));
  expect(calls(`PUT ${PATH}/subusers/${ID(7)}`)[0]?.body).toEqual({ rights: ['readConsole', 'writeFiles'] });
  fireEvent.click(await screen.findByRole('button', { name: 'Remove' }));
  const dialog = await screen.findByRole('alertdialog');
  expect(calls(`DELETE ${PATH}/subusers/${ID(7)}`)).toEqual([]);
  fireEvent.click(within(dialog).getByRole('button', { name: 'Remove' }));
  await waitFor(() => expect(calls(`DELETE ${PATH}/subusers/${ID(7)}`)).toHaveLength(1));
});

test('a server that is operated in its panel has no sub-users here', async () => {
  showOwn(own(null));
  await screen.findByText('Activity');
  expect(screen.queryByText('Sub-users')).toBeNull();
});

test('activity says who did what: others by name, the reader as you, the host as nobody', async () => {
  const event = (code: string, actor: string | null, detail: string | null = null) => ({
    id: `${code}-1`,
    at: '2026-11-21T10:00:00.000Z',
    code,
    detail,
    actor,
  });
  showOwn(own([], [event('powerRestart', 'vlad'), event('subuserAdded', 'mirela.v', 'vlad'), event('repaired', null)]));
  const row = async (title: string) => (await screen.findByText(title)).closest('li')?.textContent;
  expect(await row('Restarted')).toContain('by vlad');
  expect(await row('Sub-user added')).toContain('vlad · by you');
  expect(await row('Corrected automatically')).not.toContain('by ');
});

test('a shared server is marked as somebody else’s, and shows only what its rights open', async () => {
  showShared({ rights: ['power'] });
  expect(await screen.findByRole('heading', { level: 1, name: 'Lanternwood' })).toBeTruthy();
  expect(screen.getByText('Shared by mara · Paper · Frankfurt')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Restart' })).toBeTruthy();
  for (const title of ['Console', 'Files', 'Backups', 'Sub-users', 'Danger zone'])
    expect(screen.queryByRole('heading', { name: title })).toBeNull();
  expect(screen.queryByText(/Renew|credits/)).toBeNull();
  cleanup();
  showShared({ rights: ['startup'] });
  await screen.findByRole('heading', { level: 1, name: 'Lanternwood' });
  expect(screen.queryByRole('button', { name: 'Restart' })).toBeNull();
});

test('a shared server that is suspended says whose matter that is, and offers nothing', async () => {
  showShared({ state: 'suspended', rights: [...SUBUSER_RIGHTS] });
  expect(await screen.findByText(/until mara sorts it out/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Restart' })).toBeNull();
});

test('a game whose licence its owner has to accept says so to a sub-user, and asks nothing', async () => {
  const usage = { power: 'offline', memory: 0, cpu: 0, disk: 0, uptime_s: 0, halt: { reason: 'licence', port: null } };
  const answer = { problem: null, at: '2026-11-21T18:29:20.000Z', usage, delay_s: 0 };
  showShared({ rights: ['power'] }, {}, { [`GET ${PATH}/usage`]: answer }, true);
  expect(await screen.findByText('It starts once mara has accepted the game’s licence.')).toBeTruthy();
  expect(screen.queryByRole('button', { name: /accept/i })).toBeNull();
});

test('startup settings are saved with the right for them, and a refusal stands at its field', async () => {
  const variables = [
    {
      env: 'MOTD',
      name: 'Message',
      description: '',
      default_value: '',
      rules: 'nullable|string',
      kind: 'text',
      options: [],
      unchecked: [],
      value: 'hello',
    },
  ];
  const { calls } = showShared({ rights: ['startup'] }, { variables }, { [`PATCH ${PATH}/variables`]: {} });
  const field = await screen.findByRole<HTMLInputElement>('textbox', { name: /Message/ });
  expect(field.value).toBe('hello');
  fireEvent.input(field, { target: { value: 'bye' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save settings' }));
  expect(await screen.findByText(/They apply the next time/)).toBeTruthy();
  expect(calls(`PATCH ${PATH}/variables`)[0]?.body).toEqual({ variables: { MOTD: 'bye' } });
});

test('leaving asks first, and leads to the dashboard', async () => {
  const { calls } = showShared({}, {}, { [`DELETE ${SHARED}`]: {} });
  fireEvent.click(await screen.findByRole('button', { name: 'Leave' }));
  const dialog = await screen.findByRole('alertdialog');
  expect(calls(`DELETE ${SHARED}`)).toEqual([]);
  fireEvent.click(within(dialog).getByRole('button', { name: 'Leave' }));
  await waitFor(() => expect(calls(`DELETE ${SHARED}`)).toHaveLength(1));
});
