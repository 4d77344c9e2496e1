import { afterEach, expect, test } from 'bun:test';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import errors from '#locales/en/errors.json';
import live from '#locales/en/live.json';
import servers from '#locales/en/servers.json';
import type { ServerView } from '#shared/contract/server-views.ts';
import { LIVE_PROBLEMS } from '#shared/server-codes.ts';
import type { Renewal } from './renew-box.tsx';
import { ID, NOTHING_ALLOWED, queue, renewal, server } from './testing.ts';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/server/1');
const { cleanup, fireEvent, screen, waitFor, within } = await import('@testing-library/react');
const { refuse, serverHtml, showScreen } = await import('#tests/support/screens.tsx');
const view = await import('./view.tsx');

afterEach(cleanup);

const PATH = `/api/servers/${ID(1)}`;
const params = { id: ID(1) };
const page = {
  default: view.default,
  loader: (args: LoaderFunctionArgs) => view.loader({ ...args, params }),
  action: (args: ActionFunctionArgs) => view.action({ ...args, params }),
};
const data = (one: ServerView, renew: Renewal, more: object = {}) => ({
  server: one,
  meters: {},
  renew,
  panel: 'embedded',
  activity: [],
  links: null,
  ports: [],
  variables: [],
  wait: null,
  reinstall: 'impossible',
  debt_if_deleted: null,
  carried_debt: null,
  suspend_note: null,
  subusers: null,
  ...more,
});
function show(
  one: Partial<ServerView> = {},
  renew: Partial<Renewal> = {},
  more: { answers?: object; data?: object; flags?: object; inBrowser?: boolean } = {},
) {
  return showScreen(page, {
    url: '/server/1',
    inBrowser: more.inBrowser ?? false,
    answers: { [`GET ${PATH}`]: data(server(one), renewal(renew), more.data), ...more.answers },
    ...(more.flags ? { flags: more.flags } : {}),
  });
}

const AT = '2026-11-21T18:29:50.000Z';
const GB = 1024 ** 3;
const RUNNING = {
  power: 'running',
  memory: 2.6 * GB,
  cpu: 74.3,
  disk: 11.4 * GB,
  network: null,
  uptime_s: 3900,
  halt: null,
  players: null,
} as const;
const LINKS = { server: 'https://panel.example.org/server/1a2b', password: 'https://panel.example.org/auth/password' };
const real = (answers: object, data: object = {}) =>
  show({}, {}, { inBrowser: true, answers, data: { panel: 'pterodactyl', links: LINKS, ...data } });
const USAGE = `GET ${PATH}/usage`;

test('who plays is said with names, and how many more there are', async () => {
  const players = { online: 23, max: 40, names: ['Mirela', 'Vlad'] };
  real({ [USAGE]: { problem: null, at: AT, usage: { ...RUNNING, players }, delay_s: 20 } });
  const row = (await screen.findByText('Players online')).closest('.sp-meter');
  expect(row?.textContent).toBe('Players online23 of 40Mirela, Vlad and 21 more');
});

test('a game that names nobody shows its count alone, and one that says nothing shows none', async () => {
  const players = { online: 0, max: 16, names: [] };
  real({ [USAGE]: { problem: null, at: AT, usage: { ...RUNNING, players }, delay_s: 20 } });
  expect((await screen.findByText('Players online')).closest('.sp-meter')?.textContent).toBe('Players online0 of 16');
  cleanup();
  real({ [USAGE]: { problem: null, at: AT, usage: RUNNING, delay_s: 20 } });
  expect(await screen.findByText('Running')).toBeTruthy();
  expect(screen.queryByText('Players online')).toBeNull();
});

test('a count of a panel that fell silent is not shown', async () => {
  const players = { online: 3, max: 16, names: [] };
  real({ [USAGE]: { problem: 'unreachable', at: AT, usage: { ...RUNNING, players }, delay_s: 20 } });
  expect(await screen.findByText(/isn’t responding right now/)).toBeTruthy();
  expect(screen.queryByText('Players online')).toBeNull();
});

test('what it uses of what it has comes after the page, with its state', async () => {
  real({ [USAGE]: { problem: null, at: AT, usage: RUNNING, delay_s: 20 } });
  expect(await screen.findByText('Running')).toBeTruthy();
  const card = within(screen.getByRole('heading', { name: 'Live status' }).closest('section') ?? document.body);
  expect(card.getByText('2.6 GB')).toBeTruthy();
  expect(card.getByText('of 4 GB')).toBeTruthy();
  expect(card.getByText('74 %')).toBeTruthy();
  expect(card.getByText('of 200 %')).toBeTruthy();
  expect(card.getByText('11.4 GB')).toBeTruthy();
  expect(card.getByText('up for 1 h 5 min')).toBeTruthy();
  expect(card.getByRole<HTMLButtonElement>('button', { name: 'Start' }).disabled).toBe(true);
  expect(card.getByRole<HTMLButtonElement>('button', { name: 'Stop' }).disabled).toBe(false);
});

test('P9 usage says how old it is at most, with what the panel itself had kept it', async () => {
  real({ [USAGE]: { problem: null, at: AT, usage: RUNNING, delay_s: 20 } });
  expect(await screen.findByText(/^Measured up to \d+ s ago\. The panel measures every 20 s\.$/)).toBeTruthy();
});

test('N21 a server that did not start says why, and what is measured when asked for is as old as it is', async () => {
  const halt = { reason: 'port_taken', port: 25565 };
  real({ [USAGE]: { problem: null, at: AT, usage: { ...RUNNING, power: 'offline', halt }, delay_s: 0 } });
  expect(await screen.findByText(/another program on its node is using port 25565/)).toBeTruthy();
  expect(screen.getByText(/^Measured .* ago\.$/)).toBeTruthy();
});

test('a game with a licence waits for its owner’s word, which goes to the server', async () => {
  const halt = { reason: 'licence', port: null };
  const { calls } = real({
    [USAGE]: { problem: null, at: AT, usage: { ...RUNNING, power: 'offline', halt }, delay_s: 0 },
    [`POST ${PATH}/licence`]: {},
  });
  expect(await screen.findByText(live.licence.text)).toBeTruthy();
  expect(screen.queryByText(live.halt.licence)).toBeNull();
  const read = screen.getByRole<HTMLAnchorElement>('link', { name: /^Read the EULA/ });
  expect([read.href, read.rel]).toEqual(['https://aka.ms/MinecraftEULA', 'noopener noreferrer']);
  fireEvent.click(screen.getByRole('button', { name: live.licence.accept }));
  await waitFor(() => expect(calls(`POST ${PATH}/licence`)).toHaveLength(1));
});

test('a server that hangs is killed after a question, also while another signal is on its way', async () => {
  const { calls } = real({
    [USAGE]: { problem: null, at: AT, usage: RUNNING, delay_s: 20 },
    [`POST ${PATH}/power`]: {},
  });
  await screen.findByText('Running');
  fireEvent.click(screen.getByRole('button', { name: 'Stop' }));
  fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Stop' }));
  expect(await screen.findByText(live.sent.stop)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Kill' }));
  fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Kill' }));
  await waitFor(() =>
    expect(calls(`POST ${PATH}/power`).map((call) => call.body)).toEqual([{ signal: 'stop' }, { signal: 'kill' }]),
  );
});

test('the built-in panel has no live numbers and no power buttons', async () => {
  const { calls } = show({}, {}, { inBrowser: true });
  await screen.findByText('Active');
  expect(screen.queryByRole('heading', { name: 'Live status' })).toBeNull();
  expect(calls(USAGE)).toHaveLength(0);
});

test.each(LIVE_PROBLEMS.map((code) => [code]))('an unknown usage (%s) says why, in plain words', async (problem) => {
  real({ [USAGE]: { problem, at: null, usage: null, delay_s: 20 } });
  expect(await screen.findByText(live.problem[problem])).toBeTruthy();
  const mayPress = problem === 'unreachable' || problem === 'busy';
  expect(screen.queryByRole('button', { name: 'Restart' }) !== null).toBe(mayPress);
});

test('a panel that fell silent leaves the last numbers, and says how old they are', async () => {
  real({ [USAGE]: { problem: 'unreachable', at: AT, usage: RUNNING, delay_s: 20 } });
  expect(await screen.findByText(/^These figures are from 18:29/)).toBeTruthy();
  expect(screen.getByText('2.6 GB')).toBeTruthy();
});

test('our own server not answering is distinguished from the panel', async () => {
  real({ [USAGE]: refuse('SERVER_ERROR') });
  expect(await screen.findByText(live.offline)).toBeTruthy();
});

test('starting is sent at once, and the button spins until it is seen', async () => {
  const { calls } = real({
    [USAGE]: { problem: null, at: AT, usage: { ...RUNNING, power: 'offline', uptime_s: 0 }, delay_s: 20 },
    [`POST ${PATH}/power`]: {},
  });
  await screen.findByText('Stopped');
  fireEvent.click(screen.getByRole('button', { name: 'Start' }));
  expect(await screen.findByText(live.sent.start)).toBeTruthy();
  expect(screen.getByRole('button', { name: live.pending.start }).getAttribute('aria-busy')).toBe('true');
  expect(calls(`POST ${PATH}/power`)[0]?.body).toEqual({ signal: 'start' });
});

test('a signal that disconnects players asks first', async () => {
  const { calls } = real({
    [USAGE]: { problem: null, at: AT, usage: RUNNING, delay_s: 20 },
    [`POST ${PATH}/power`]: {},
  });
  await screen.findByText('Running');
  fireEvent.click(screen.getByRole('button', { name: 'Stop' }));
  const dialog = within(await screen.findByRole('alertdialog'));
  expect(dialog.getByText('Stop Lanternwood?')).toBeTruthy();
  fireEvent.click(dialog.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  expect(calls(`POST ${PATH}/power`)).toHaveLength(0);
  fireEvent.click(screen.getByRole('button', { name: 'Restart' }));
  fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Restart' }));
  expect(await screen.findByText(live.sent.restart)).toBeTruthy();
  expect(calls(`POST ${PATH}/power`)[0]?.body).toEqual({ signal: 'restart' });
});

test('a refused signal is shown beside the buttons, which can be pressed again', async () => {
  real({
    [USAGE]: { problem: null, at: AT, usage: RUNNING, delay_s: 20 },
    [`POST ${PATH}/power`]: refuse('PANEL_UNREACHABLE'),
  });
  await screen.findByText('Running');
  fireEvent.click(screen.getByRole('button', { name: 'Restart' }));
  fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Restart' }));
  expect(await screen.findByText(errors.PANEL_UNREACHABLE)).toBeTruthy();
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Restart' }).disabled).toBe(false);
});

test('the page has the way into the panel with the address of the account there, and its ports', async () => {
  real(
    { [USAGE]: { problem: 'notReady', at: null, usage: null, delay_s: 20 } },
    { ports: ['10.0.0.1:25565', '[2001:db8::1]:25570'] },
  );
  const [first] = await screen.findAllByRole('link', { name: 'Open panel (opens in a new tab)' });
  expect([first?.getAttribute('href'), first?.getAttribute('target'), first?.getAttribute('rel')]).toEqual([
    LINKS.server,
    '_blank',
    'noopener noreferrer',
  ]);
  expect(screen.getByRole('link', { name: /^Set your panel password/ }).getAttribute('href')).toBe(LINKS.password);
  expect(screen.getByText('mirela@example.org')).toBeTruthy();
  const ports = within(screen.getByRole('list', { name: 'Ports' })).getAllByRole('listitem');
  expect(ports.map((row) => row.textContent)).toEqual([
    expect.stringMatching(/10\.0\.0\.1:25565.*Primary$/),
    expect.stringMatching(/\[2001:db8::1\]:25570/),
  ]);
  expect(ports[1]?.textContent).not.toContain('Primary');
  expect(screen.queryByText(/are assigned/)).toBeNull();
});

test('the owner of a server of the built-in panel makes another port the primary one, and hears from when on it counts', async () => {
  const ports = ['10.0.0.1:25565', '10.0.0.1:25566'];
  const { calls } = show({}, {}, { data: { ports }, answers: { [`PUT ${PATH}/ports/primary`]: {} } });
  expect(await screen.findByText(servers.ports.hint)).toBeTruthy();
  const buttons = screen.getAllByRole('button', { name: /^Make primary/ });
  expect(buttons.map((button) => button.getAttribute('aria-label'))).toEqual(['Make primary: 10.0.0.1:25566']);
  fireEvent.click(buttons[0] ?? document.body);
  expect(await screen.findByText(/^Saved\. Players connect at 10\.0\.0\.1:25565 from the next start\.$/)).toBeTruthy();
  expect(calls(`PUT ${PATH}/ports/primary`).map(({ body }) => body)).toEqual([{ port: 25_566 }]);
});

test('a port that the server has lost meanwhile is refused among its ports, and nowhere else', async () => {
  const ports = ['10.0.0.1:25565', '10.0.0.1:25566'];
  const refusal = refuse('VALIDATION_FAILED', { port: ['PORT_UNKNOWN'] });
  show({}, {}, { data: { ports }, answers: { [`PUT ${PATH}/ports/primary`]: refusal } });
  fireEvent.click(await screen.findByRole('button', { name: /^Make/ }));
  const said = await screen.findAllByText(errors.field.PORT_UNKNOWN);
  expect(said.map((each) => each.closest('section')?.textContent?.startsWith('Ports'))).toEqual([true]);
});

test('a server whose panel has not given it all of its ports says how many it has', async () => {
  real({}, { ports: ['10.0.0.1:25565'] });
  expect(await screen.findByText('1 of 2 are assigned.')).toBeTruthy();
  expect(screen.queryByText('Primary')).toBeNull();
  cleanup();
  real({}, { ports: [] });
  await screen.findByRole('heading', { name: 'Resources' });
  expect(screen.queryByRole('heading', { name: 'Ports' })).toBeNull();
});

test('a change on its way, and a panel that keeps the queue waiting, are shown', async () => {
  show({ pending: true });
  expect(await screen.findByText(live.pendingChange)).toBeTruthy();
  cleanup();
  show({
    state: 'installing',
    can: NOTHING_ALLOWED,
    queue: queue({ state: 'building', position: null, last_error: 'unavailable' }),
  });
  expect(await screen.findByText('The panel isn’t responding right now.')).toBeTruthy();
});

test('another try without capacity waits for it in line', async () => {
  const wait = { location_id: ID(11), position: 1, estimate_s: null, notified_at: null, since: AT };
  let place: typeof wait | null = null;
  const failed = {
    state: 'failed',
    failure: 'noRoom',
    expires_at: null,
    can: { ...NOTHING_ALLOWED, delete: true, retry: true },
    queue: queue({ state: 'failed', position: null }),
  } as const;
  const { calls } = showScreen(page, {
    url: '/server/1',
    answers: {
      [`GET ${PATH}`]: () => data(server(failed), renewal(), { wait: place }),
      [`POST ${PATH}/retry`]: refuse('LOCATION_FULL'),
      'POST /api/server-waits': () => (place = wait),
    },
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Try again' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Join the waiting list: Frankfurt' }));
  expect(await screen.findByText('You’re number 1 on the waiting list, waiting time unknown')).toBeTruthy();
  expect(calls('POST /api/server-waits')[0]?.body).toEqual({
    location_id: ID(11),
    egg_id: ID(21),
    memory: 4096,
    disk: 20_480,
    ports: 2,
  });
});

test('the power buttons work without scripts', () => {
  const html = serverHtml(page, { url: '/server/1' }, data(server(), renewal(), { panel: 'pelican', links: LINKS }));
  expect(html).toMatch(/name="_intent" value="power"/);
  const buttons = [...html.matchAll(/<button[^>]*name="signal"[^>]*>/g)].map(([tag]) => tag);
  expect(
    buttons.map((tag) => [/type="submit"/.test(tag), /value="(\w+)"/.exec(tag)?.[1], tag.includes(' disabled')]),
  ).toEqual([
    [true, 'start', false],
    [true, 'restart', false],
    [true, 'stop', false],
    [true, 'kill', false],
  ]);
  expect(html).toContain(live.noScripts);
  expect(html).not.toContain('style=');
});
