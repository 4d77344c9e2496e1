import { afterEach, describe, expect, test } from 'bun:test';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import errors from '#locales/en/errors.json';
import type { ServerView } from '#shared/contract/server-views.ts';
import type { Renewal } from './renew-box.tsx';
import { ID, NOTHING_ALLOWED, options, renewal, server } from './testing.ts';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/server/1');
const { cleanup, fireEvent, screen } = await import('@testing-library/react');
const { refuse, serverHtml, showScreen, type } = await import('#tests/support/screens.tsx');
const renew = await import('./renew.tsx');
const update = await import('./update.tsx');
const remove = await import('./delete.tsx');

afterEach(cleanup);

const PATH = `/api/servers/${ID(1)}`;
const params = { id: ID(1) };
type Screen = typeof renew | typeof update | typeof remove;
const at = (screen: Screen) => ({
  default: screen.default,
  loader: (args: LoaderFunctionArgs) => screen.loader({ ...args, params }),
  action: (args: ActionFunctionArgs) => screen.action({ ...args, params }),
});
const data = (one: Partial<ServerView> = {}, terms: Partial<Renewal> = {}) => ({
  server: server(one),
  meters: options().meters,
  renew: renewal(terms),
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
});
const show = (
  screen: Screen,
  one: Partial<ServerView>,
  terms: Partial<Renewal>,
  answers: Record<string, object> = {},
) => showScreen(at(screen), { url: '/server/1', answers: { [`GET ${PATH}`]: data(one, terms), ...answers } });
const went = async () => (await screen.findByTestId('elsewhere')).textContent;

describe('renew', () => {
  test('the page shows price, days, new expiry, balance now and after, and one button', async () => {
    const { calls } = show(
      renew,
      {},
      {},
      { [`POST ${PATH}/renew`]: { expires_at: '2027-01-16T10:00:00.000Z', balance: 1184 } },
    );
    expect(await screen.findByText('17 Dec 2026, 10:00')).toBeTruthy();
    expect(screen.getByText('16 Jan 2027, 10:00')).toBeTruthy();
    expect(screen.getByText('30 more days, until 16 Jan 2027')).toBeTruthy();
    expect(screen.getByText('1,284 credits')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: /Renew now for/ }));
    expect(await screen.findByText('Renewed until 16 Jan 2027.')).toBeTruthy();
    expect(screen.queryByRole('button', { name: /Renew now for/ })).toBeNull();
    expect(screen.getByRole('link', { name: 'Back to Lanternwood' }).getAttribute('href')).toBe(`/server/${ID(1)}`);
    expect(calls(`POST ${PATH}/renew`)[0]?.body).toEqual({ price: 100, expires_at: '2026-12-17T10:00:00.000Z' });
  });
  test('a server without an expiry sends none', async () => {
    const { calls } = show(
      renew,
      { expires_at: null },
      {},
      { [`POST ${PATH}/renew`]: { expires_at: '2027-01-16T10:00:00.000Z', balance: 1184 } },
    );
    fireEvent.click(await screen.findByRole('button', { name: /Renew now for/ }));
    expect(await screen.findByText('Renewed until 16 Jan 2027.')).toBeTruthy();
    expect(calls(`POST ${PATH}/renew`)[0]?.body).toEqual({ price: 100, expires_at: null });
  });
  test('a suspended server comes back at once', async () => {
    show(renew, { state: 'suspended', suspend_reason: 'expired' }, {});
    expect(await screen.findByText('The server comes back right away.')).toBeTruthy();
  });
  test('too few credits show how many are missing and where credits come from', async () => {
    show(renew, {}, { balance: 38, allowed: false, reason: 'INSUFFICIENT_CREDITS' });
    expect(await screen.findByText('62 credits')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Redeem a code' }).getAttribute('href')).toBe('/earn/redeem');
  });
  test('a server paid far enough ahead says so, without a button', async () => {
    show(renew, {}, { allowed: false, reason: 'RENEW_TOO_FAR' });
    expect(await screen.findByText(errors.RENEW_TOO_FAR)).toBeTruthy();
    expect(screen.queryByRole('button')).toBeNull();
  });
  test('a repeated click that finds another expiry is shown', async () => {
    show(renew, {}, {}, { [`POST ${PATH}/renew`]: refuse('CONFLICT') });
    fireEvent.click(await screen.findByRole('button', { name: /Renew now for/ }));
    expect(await screen.findByText(errors.CONFLICT)).toBeTruthy();
  });
  test('the renewal is a plain form with price and expiry without scripts', () => {
    const html = serverHtml(at(renew), { url: '/server/1' }, data());
    expect(html).toMatch(/name="price" value="100"/);
    expect(html).toMatch(/name="expires_at" value="2026-12-17T10:00:00.000Z"/);
    expect(html).toMatch(/name="_key" value="0190a000/);
  });
});

describe('update', () => {
  test('the form shows what changed, keeps what the server has, and saves', async () => {
    const { calls } = show(update, {}, {}, { [`PATCH ${PATH}`]: {} });
    expect(await screen.findByText('No changes yet')).toBeTruthy();
    expect(screen.getByText('2 GB left')).toBeTruthy();
    type(screen.getByRole('spinbutton', { name: 'Memory' }), '6144');
    type(screen.getByRole('textbox', { name: 'Name' }), 'Lantern');
    expect(screen.getByText('Name changed, Memory 4 GB → 6 GB')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Save changes' }));
    expect(await went()).toBe(`/server/${ID(1)}`);
    expect(calls(`PATCH ${PATH}`)[0]?.body).toEqual({
      name: 'Lantern',
      description: 'Survival',
      memory: 6144,
      disk: 20_480,
      cpu: 200,
      ports: 2,
      databases: 1,
      backups: 1,
      variables: {},
    });
  });
  test('variables show their value, when they apply and what only the panel checks, and are sent', async () => {
    const jar = {
      env: 'JAR',
      name: 'Server file',
      description: 'What is started.',
      default_value: 'server.jar',
      rules: 'required|ends_with:.jar',
      kind: 'text',
      options: [],
      unchecked: [],
      value: 'paper.jar',
    };
    const zone = {
      env: 'ZONE',
      name: 'Zone',
      description: '',
      default_value: '',
      rules: 'nullable|timezone',
      kind: 'text',
      options: [],
      unchecked: ['timezone'],
      value: '',
    };
    const { calls } = showScreen(at(update), {
      url: '/server/1',
      answers: { [`GET ${PATH}`]: { ...data(), variables: [jar, zone] }, [`PATCH ${PATH}`]: {} },
    });
    const field = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Server file' });
    expect(field.value).toBe('paper.jar');
    expect(screen.getByText('They apply the next time the server starts.')).toBeTruthy();
    expect(screen.getByText('Only the panel can check this: timezone')).toBeTruthy();
    type(field, 'evil.sh');
    fireEvent.blur(field);
    expect(screen.getByText(errors.field.RULE_FAILED)).toBeTruthy();
    type(field, 'purpur.jar');
    expect(screen.queryByText(errors.field.RULE_FAILED)).toBeNull();
    expect(screen.getByText('Server file new')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Save changes' }));
    expect(await went()).toBe(`/server/${ID(1)}`);
    expect(calls(`PATCH ${PATH}`)[0]?.body).toMatchObject({ variables: { JAR: 'purpur.jar', ZONE: '' } });
  });
  test('refusals stand at their fields', async () => {
    show(update, {}, {}, { [`PATCH ${PATH}`]: refuse('BELOW_USAGE', { disk: ['TOO_SMALL'] }) });
    type(await screen.findByRole('spinbutton', { name: 'Disk' }), '1024');
    fireEvent.click(screen.getByRole('button', { name: 'Save changes' }));
    expect(await screen.findByText(errors.BELOW_USAGE)).toBeTruthy();
    expect(screen.getByRole('spinbutton', { name: 'Disk' }).getAttribute('aria-invalid')).toBe('true');
    expect(screen.getByRole<HTMLInputElement>('spinbutton', { name: 'Disk' }).value).toBe('1024');
  });
  test('a suspended server is not changed, and the page says why', async () => {
    show(update, { state: 'suspended', can: NOTHING_ALLOWED }, {});
    expect(await screen.findByText(`It can’t be changed now: ${errors.SERVER_SUSPENDED}`)).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Save changes' })).toBeNull();
  });
});

describe('delete', () => {
  test('the page says what goes with the server and what comes back, and the name has to be typed', async () => {
    const { calls } = show(remove, {}, {}, { [`DELETE ${PATH}`]: {} });
    expect(await screen.findByText('1 backup')).toBeTruthy();
    expect(screen.getByText('The address fra1.example:25571')).toBeTruthy();
    expect(screen.getByText(/4 GB memory, 20 GB disk, 200 % CPU and a server slot/)).toBeTruthy();
    type(screen.getByRole('textbox', { name: 'Type Lanternwood to confirm' }), 'Lanternwood');
    fireEvent.click(screen.getByRole('button', { name: 'Delete server' }));
    expect(await went()).toBe('/dashboard');
    expect(calls(`DELETE ${PATH}`)[0]?.body).toEqual({ name: 'Lanternwood' });
  });
  test('E3 what deleting leaves for the next server is said before: what is owed, or when it ends', async () => {
    const debt = {
      server: 'Lanternwood',
      owed: 100,
      ended_at: '2026-11-18T10:00:00.000Z',
      until: '2026-12-18T10:00:00.000Z',
    };
    for (const [owed, words] of [
      [100, /created before 18 Dec 2026 starts by paying the 100 credits this one owes/],
      [0, /created before 18 Nov 2026 also expires on that day/],
    ] as const) {
      showScreen(at(remove), {
        url: '/server/1',
        answers: { [`GET ${PATH}`]: { ...data(), debt_if_deleted: { ...debt, owed } } },
      });
      expect(await screen.findByText(words)).toBeTruthy();
      cleanup();
    }
  });
  test('Screen 4 time that is over is not among what deleting takes', async () => {
    show(remove, { expires_at: '2026-11-20T10:00:00.000Z', suspends_at: '2026-11-22T10:00:00.000Z' }, {});
    expect(await screen.findByText('1 backup')).toBeTruthy();
    expect(screen.queryByText(/time paid until/)).toBeNull();
  });
  test('another name is refused at the field', async () => {
    show(remove, {}, {}, { [`DELETE ${PATH}`]: refuse('NAME_MISMATCH', { name: ['NAME_MISMATCH'] }) });
    const field = await screen.findByRole('textbox', { name: 'Type Lanternwood to confirm' });
    type(field, 'Lantern');
    fireEvent.click(screen.getByRole('button', { name: 'Delete server' }));
    expect(await screen.findByText(errors.field.NAME_MISMATCH)).toBeTruthy();
    expect(screen.queryByText(errors.NAME_MISMATCH)).toBeNull();
    expect(field.getAttribute('aria-invalid')).toBe('true');
  });
  test('a busy server is shown as a whole', async () => {
    show(remove, {}, {}, { [`DELETE ${PATH}`]: refuse('SERVER_BUSY') });
    type(await screen.findByRole('textbox', { name: 'Type Lanternwood to confirm' }), 'Lanternwood');
    fireEvent.click(screen.getByRole('button', { name: 'Delete server' }));
    expect(await screen.findByText(errors.SERVER_BUSY)).toBeTruthy();
  });
  test('a failed server only leaves the list', async () => {
    show(remove, { state: 'failed', can: { ...NOTHING_ALLOWED, delete: true } }, {});
    expect(await screen.findByText(/It was never created, so nothing is lost/)).toBeTruthy();
    expect(screen.queryByText(/comes back/)).toBeNull();
    expect(screen.getByRole('button', { name: 'Remove' })).toBeTruthy();
  });
  test('a server that is being built has nothing to delete yet', async () => {
    show(remove, { state: 'installing', can: NOTHING_ALLOWED }, {});
    expect(await screen.findByText(/It can’t be deleted while it’s being built/)).toBeTruthy();
    expect(screen.queryByRole('textbox')).toBeNull();
  });
});
