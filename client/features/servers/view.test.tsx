import { afterEach, expect, test } from 'bun:test';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import errors from '#locales/en/errors.json';
import servers from '#locales/en/servers.json';
import type { ServerView } from '#shared/contract/server-views.ts';
import { QUEUE_STEPS, QUEUE_WAITS, SERVER_EVENTS, SERVER_FAILURES } from '#shared/server-codes.ts';
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
  more: { answers?: object; data?: object; flags?: object } = {},
) {
  return showScreen(page, {
    url: '/server/1',
    answers: { [`GET ${PATH}`]: data(server(one), renewal(renew), more.data), ...more.answers },
    ...(more.flags ? { flags: more.flags } : {}),
  });
}

test('an active server shows state, address to copy, paid time, resources, and that no game process runs', async () => {
  show();
  expect(await screen.findByRole('heading', { name: 'Lanternwood', level: 1 })).toBeTruthy();
  expect(screen.getByText('Active')).toBeTruthy();
  expect(screen.getByText('fra1.example:25571')).toBeTruthy();
  expect(screen.getByRole('button', { name: /Copy the address of Lanternwood/ })).toBeTruthy();
  expect(screen.getByRole('heading', { name: 'Paid until 17 Dec 2026' })).toBeTruthy();
  expect(screen.getByText('25 d 15 h left')).toBeTruthy();
  expect(screen.getByText('This host uses the built-in panel.', { exact: false })).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Delete server' }).getAttribute('href')).toBe(`/server/${ID(1)}/delete`);
});

test('a real panel is not called built-in', async () => {
  show({}, {}, { data: { panel: 'pelican' } });
  await screen.findByText('Active');
  expect(screen.queryByText('This host uses the built-in panel.', { exact: false })).toBeNull();
});

test('a queued server shows its place in line, estimate, stages, and leaving the queue', async () => {
  const one = {
    state: 'queued',
    address: null,
    created_at: '2026-11-21T18:29:20.000Z',
    queue: queue(),
    can: { ...NOTHING_ALLOWED, delete: true },
  } as const;
  const { calls } = show(one, {}, { answers: { [`POST ${PATH}/cancel`]: {} } });
  expect(await screen.findByText('Number 3 in the queue')).toBeTruthy();
  expect(screen.getByText('2 servers ahead of yours')).toBeTruthy();
  expect(screen.getByText(/^Paper · Frankfurt · requested \d+ sec ago$/)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  expect((await screen.findByTestId('elsewhere')).textContent).toBe('/dashboard');
  expect(calls(`POST ${PATH}/cancel`)).toHaveLength(1);
});

test('a user who leaves the queue too late reads so in the head', async () => {
  show(
    { state: 'queued', queue: queue({ position: 1 }), can: NOTHING_ALLOWED },
    {},
    { answers: { [`POST ${PATH}/cancel`]: refuse('NOT_CANCELLABLE') } },
  );
  expect(await screen.findByText('next in the queue')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(await screen.findByText(errors.NOT_CANCELLABLE)).toBeTruthy();
});

test.each(QUEUE_WAITS.map((code) => [code]))(
  'P2 an owner reads what the server waits for (%s) and since when, and no time that nobody knows',
  async (cause) => {
    const waiting = { cause, since: '2026-11-21T17:05:00.000Z' } as const;
    show({
      state: 'queued',
      address: null,
      queue: queue({ position: null, estimate_s: null, waiting }),
      can: NOTHING_ALLOWED,
    });
    const text = servers.waiting[cause].replaceAll(/<\/?b>/g, '').split('{{since}}');
    const banner = await screen.findByText(
      (_, element) =>
        element?.classList.contains('sp-banner') === true && text.every((part) => element.textContent.includes(part)),
    );
    expect(banner.textContent).toContain('21 Nov 2026, 17:05');
    expect(screen.queryByText(/about/)).toBeNull();
    expect(screen.queryByText('In the queue.')).toBeNull();
  },
);

test('P2 an installation whose panel is silent shows no progress and no time that is left', async () => {
  const waiting = { cause: 'panel', since: '2026-11-21T17:05:00.000Z' } as const;
  show({
    state: 'installing',
    progress: null,
    can: NOTHING_ALLOWED,
    queue: queue({ state: 'building', position: null, estimate_s: null, can_cancel: false, waiting }),
  });
  expect(await screen.findByText(/The panel hasn’t responded since/)).toBeTruthy();
  expect((await screen.findByRole('progressbar')).getAttribute('aria-valuenow')).toBeNull();
  expect(screen.queryByText(/left\. You can/)).toBeNull();
});

test('Screen 7 a server that was lost after it was ready shows no steps of its making', async () => {
  show({
    state: 'failed',
    failure: 'panelLost',
    can: NOTHING_ALLOWED,
    queue: queue({ state: 'completed', position: null }),
  });
  expect(await screen.findByText(servers.failure.panelLost)).toBeTruthy();
  expect(screen.queryByRole('list', { name: servers.stages })).toBeNull();
});

test('an installing server shows progress, what is left, which try, and the log', async () => {
  const steps = QUEUE_STEPS.map((code, index) => ({
    at: `2026-11-21T18:00:${String(index).padStart(2, '0')}.000Z`,
    code,
    detail: code === 'failed' ? 'panelLost' : null,
  }));
  show({
    state: 'installing',
    progress: 58,
    can: NOTHING_ALLOWED,
    queue: queue({ state: 'building', position: null, estimate_s: 21, attempts: 2, can_cancel: false, steps }),
  });
  const bar = await screen.findByRole('progressbar', { name: /about 20 s left/ });
  expect(bar.getAttribute('aria-valuenow')).toBe('58');
  expect(screen.getByText(/^Attempt 2\./)).toBeTruthy();
  const log = within(screen.getByRole('list', { name: 'Queue log' }));
  for (const code of QUEUE_STEPS) expect(log.getByText(servers.step[code])).toBeTruthy();
  expect(log.getByText(servers.failure.panelLost)).toBeTruthy();
  expect(screen.queryByRole('heading', { name: /Paid until/ })).toBeNull();
});

test('a server suspended for expiry says when it is deleted, and can be renewed', async () => {
  const one = {
    state: 'suspended',
    suspend_reason: 'expired',
    expires_at: '2026-11-18T10:00:00.000Z',
    deletes_at: '2026-11-25T15:00:00.000Z',
  } as const;
  show({ ...one, can: { ...NOTHING_ALLOWED, renew: true, delete: true } }, { new_expiry: '2026-12-21T18:30:00.000Z' });
  expect(await screen.findByText('Deleted on 25 Nov 2026, 15:00')).toBeTruthy();
  expect(screen.getByText(/unpaid since 18 Nov 2026/)).toBeTruthy();
  expect(screen.getByRole('link', { name: /Renew for/ }).getAttribute('href')).toBe(`/server/${ID(1)}/renew`);
  expect(screen.getByText('Expired on 18 Nov 2026')).toBeTruthy();
  expect(screen.getByText('3 d 20 h left')).toBeTruthy();
});

test('a server suspended for another reason says who can help, and has nothing to pay', async () => {
  show(
    { state: 'suspended', suspend_reason: 'admin', can: NOTHING_ALLOWED },
    { allowed: false, reason: 'SERVER_SUSPENDED', new_expiry: null },
  );
  expect(await screen.findByText('Suspended by the host.')).toBeTruthy();
  expect(screen.queryByRole('button', { name: /Renew now/ })).toBeNull();
});

test.each([
  ['the host suspended it', { state: 'suspended', suspend_reason: 'admin' }, true],
  ['the panel rejects the address', { state: 'failed', failure: 'addressRefused' }, true],
  ['another failure ended it', { state: 'failed', failure: 'somethingNew' }, false],
] as const)('a server leads to where the host gives help where only the host can: %s', async (_, over, leads) => {
  const settings = { support_url: 'https://help.lantern.example/' };
  const shown = data(server({ ...over, can: NOTHING_ALLOWED }), renewal());
  showScreen(page, { url: '/server/1', settings, answers: { [`GET ${PATH}`]: shown } });
  await screen.findByRole('heading', { level: 1 });
  expect(screen.queryByRole('link', { name: 'Get help' })?.getAttribute('href') ?? null).toBe(
    leads ? settings.support_url : null,
  );
});

test.each([
  ['admin', true, servers.haltedAdmin],
  ['admin', false, servers.haltedAdmin],
  ['ban', true, servers.haltedBan],
  ['ban', false, servers.haltedBan],
] as const)(
  'Screen 1 a server suspended for a reason of its own (%s, renews itself: %p) promises nothing that renewing would do',
  async (reason, auto, words) => {
    for (const expires_at of ['2026-12-17T10:00:00.000Z', '2026-11-18T10:00:00.000Z']) {
      show(
        { state: 'suspended', suspend_reason: reason, auto_renew: auto, expires_at, can: NOTHING_ALLOWED },
        { allowed: false, reason: 'SERVER_SUSPENDED', new_expiry: null },
      );
      expect(await screen.findByText(words, { exact: false })).toBeTruthy();
      expect(screen.queryByText(servers.autoRenewStays)).toBeNull();
      expect(screen.queryByText(/Comes back automatically once your balance has/)).toBeNull();
      expect(screen.queryByText(/\bleft$/)).toBeNull();
      expect(screen.queryByRole('switch')).toBeNull();
      expect(screen.queryByText(servers.haltedOver, { exact: false }) !== null).toBe(expires_at < '2026-11-21');
      cleanup();
    }
  },
);

test.each([
  [false, 'It’s suspended on 22 Nov 2026 unless you renew it.'],
  [true, 'Pays 100 credits as soon as your balance covers it.'],
])(
  'Screen 4 a server whose time is over but that still runs (renews itself: %p) names the day that is to come',
  async (auto, hint) => {
    show({ auto_renew: auto, expires_at: '2026-11-20T10:00:00.000Z', suspends_at: '2026-11-22T12:30:00.000Z' });
    expect(await screen.findByText('Payment due')).toBeTruthy();
    expect(screen.queryByText('Expires soon')).toBeNull();
    expect(screen.getByText('Expired on 20 Nov 2026')).toBeTruthy();
    expect(screen.getByText(hint)).toBeTruthy();
    expect(screen.getByText(servers.untilSuspended)).toBeTruthy();
    expect(screen.queryByText(/20 Nov 2026 unless/)).toBeNull();
  },
);

test('P3 the owner of a server that failed for a panel account proves it with a mailed code', async () => {
  const one = server({
    state: 'failed',
    failure: 'accountTaken',
    expires_at: null,
    can: { ...NOTHING_ALLOWED, delete: true, retry: true },
    queue: queue({ state: 'failed', position: null }),
  });
  let wrong = true;
  const { calls } = show(
    one,
    {},
    {
      answers: {
        [`POST ${PATH}/account-code`]: {},
        [`POST ${PATH}/account`]: () => (wrong ? refuse('VALIDATION_FAILED', { code: ['CODE_WRONG'] }) : {}),
      },
    },
  );
  fireEvent.click(await screen.findByRole('button', { name: 'E-mail me a code' }));
  expect(await screen.findByText(/\. It’s valid for 15 minutes/)).toBeTruthy();
  const enter = (code: string) => {
    fireEvent.change(screen.getByLabelText(/^Code/), { target: { value: code } });
    fireEvent.click(screen.getByRole('button', { name: 'This is my account' }));
  };
  enter('AAAA-AAAA');
  expect(await screen.findByText(errors.field.CODE_WRONG)).toBeTruthy();
  wrong = false;
  enter('K7Q2-M9XW');
  expect(await screen.findByText(/The account is linked/)).toBeTruthy();
  expect(calls(`POST ${PATH}/account`).map(({ body }) => body)).toEqual([{ code: 'AAAA-AAAA' }, { code: 'K7Q2-M9XW' }]);
});

test.each(SERVER_FAILURES.map((code) => [code]))(
  'a failed server (%s) says why, that nothing is lost, and can be tried again',
  async (failure) => {
    let one = server({
      state: 'failed',
      failure,
      expires_at: null,
      can: { ...NOTHING_ALLOWED, delete: true, retry: true },
      queue: queue({ state: 'failed', position: null }),
    });
    const { calls } = showScreen(page, {
      url: '/server/1',
      answers: {
        [`GET ${PATH}`]: () => data(one, renewal()),
        [`POST ${PATH}/retry`]: () => {
          one = server({ state: 'queued', queue: queue(), can: NOTHING_ALLOWED });
          return {};
        },
      },
    });
    expect(
      await screen.findByText(
        failure === 'addressRefused' ? /rejects your e-mail address \S+@\S+\. / : servers.failure[failure],
      ),
    ).toBeTruthy();
    expect(screen.getByText(/Your resources were returned: 4 GB memory, 20 GB disk and the slot/)).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Remove' })).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText('Back in the queue.')).toBeTruthy();
    expect(calls(`POST ${PATH}/retry`)[0]?.key).toMatch(/^0190a000/);
  },
);

test('a failed server shows a failure nobody has words for, and remains that are being cleared away', async () => {
  show({ state: 'failed', failure: 'somethingNew', can: { ...NOTHING_ALLOWED, delete: true } });
  expect(await screen.findByText(servers.failure.other)).toBeTruthy();
  expect(screen.getByText(/We’re cleaning up what may be left of it/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
});

test('a server that is being deleted says so, and nothing can be done', async () => {
  show({ state: 'deleting', can: NOTHING_ALLOWED });
  expect(await screen.findByText('Being deleted.')).toBeTruthy();
  expect(screen.queryByRole('link', { name: 'Delete server' })).toBeNull();
});

test('renewing pays what was shown, from the expiry that was shown, and shows the outcome', async () => {
  const { calls } = show(
    {},
    {},
    { answers: { [`POST ${PATH}/renew`]: { expires_at: '2027-01-16T10:00:00.000Z', balance: 1184 } } },
  );
  expect(await screen.findByText('30 more days, until 16 Jan 2027')).toBeTruthy();
  expect(screen.getByText('1,184 credits')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: /Renew now for/ }));
  expect(await screen.findByText('Renewed until 16 Jan 2027.')).toBeTruthy();
  const [call] = calls(`POST ${PATH}/renew`);
  expect(call?.body).toEqual({ price: 100, expires_at: '2026-12-17T10:00:00.000Z' });
  expect(call?.key).toMatch(/^0190a000/);
});

test('a refused renewal stands beside its button', async () => {
  show({}, {}, { answers: { [`POST ${PATH}/renew`]: refuse('PRICE_CHANGED') } });
  fireEvent.click(await screen.findByRole('button', { name: /Renew now for/ }));
  const words = await screen.findByText(errors.PRICE_CHANGED);
  expect(words.closest('form')?.querySelector('[name="price"]')).toBeTruthy();
});

test('a renewal without enough credits says how many are missing, and the ways to earn that the host has', async () => {
  show(
    {},
    { balance: 38, allowed: false, reason: 'INSUFFICIENT_CREDITS' },
    { flags: { code_redemption_enabled: false } },
  );
  expect(await screen.findByText('62 credits')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'AFK' }).getAttribute('href')).toBe('/earn/afk');
  expect(screen.queryByRole('link', { name: 'Redeem a code' })).toBeNull();
  expect(screen.getByRole<HTMLButtonElement>('button', { name: /Renew now for/ }).disabled).toBe(true);
});

test('the switch of automatic renewal is sent at once, and a refusal is shown and it goes back', async () => {
  const { calls } = show({ auto_renew: false }, {}, { answers: { [`PUT ${PATH}/auto-renew`]: refuse('NOT_FOUND') } });
  const control = await screen.findByRole<HTMLInputElement>('switch', { name: 'Renew automatically' });
  expect(control.checked).toBe(false);
  fireEvent.click(control);
  expect(await screen.findByText(errors.NOT_FOUND)).toBeTruthy();
  expect(calls(`PUT ${PATH}/auto-renew`)[0]?.body).toEqual({ on: true });
  await waitFor(() => expect(control.checked).toBe(false));
});

test('which server is renewed first is chosen beside the switch, and only where that is on', async () => {
  const { calls } = show(
    { auto_renew: true, renew_priority: 'last' },
    {},
    { answers: { [`PUT ${PATH}/auto-renew`]: {} } },
  );
  const control = await screen.findByRole<HTMLSelectElement>('combobox', { name: 'When credits are short' });
  expect(control.value).toBe('last');
  fireEvent.change(control, { target: { value: 'first' } });
  await waitFor(() => expect(calls(`PUT ${PATH}/auto-renew`)[0]?.body).toEqual({ on: true, priority: 'first' }));
  cleanup();
  show({ auto_renew: false });
  await screen.findByRole('switch', { name: 'Renew automatically' });
  expect(screen.queryByRole('combobox', { name: 'When credits are short' })).toBeNull();
});

test('every event of the catalogue has words; older ones are folded up', async () => {
  const activity = SERVER_EVENTS.map((code, index) => ({
    id: ID(100 + index),
    at: '2026-11-21T10:00:00.000Z',
    code,
    detail: code.endsWith('enewed') ? '2026-12-17T10:00:00.000Z' : code === 'updated' ? 'memory, name' : null,
    actor: null,
  }));
  const { container } = show({}, {}, { data: { activity } });
  await screen.findByText('Ready to play');
  for (const code of SERVER_EVENTS)
    expect(container.textContent).toContain(servers.event[code].replace('{{date}}', '17 Dec 2026'));
  expect(screen.getByText('memory, name')).toBeTruthy();
  expect(screen.getByText(`Show ${SERVER_EVENTS.length - 8} more`)).toBeTruthy();
});

test('a server suspended by staff shows their reason, as text and never as markup (T29)', async () => {
  const by = { state: 'suspended', suspend_reason: 'admin', can: NOTHING_ALLOWED } as const;
  const { container } = show(by, {}, { data: { suspend_note: '<b>Mining</b> {{name}} <img src=x onerror=alert(1)>' } });
  expect(await screen.findByText('Suspended by the host:')).toBeTruthy();
  expect(screen.getByText(/<b>Mining<\/b> \{\{name\}\} <img src=x onerror=alert\(1\)>/)).toBeTruthy();
  expect(container.querySelector('img')).toBeNull();
  cleanup();
  show(by);
  expect(await screen.findByText('Ask the host why.', { exact: false })).toBeTruthy();
});

test('a reinstall is asked about first, and goes out with a key', async () => {
  let state = 'possible';
  const { calls } = showScreen(page, {
    url: '/server/1',
    answers: {
      [`GET ${PATH}`]: () => data(server(), renewal(), { reinstall: state }),
      [`POST ${PATH}/reinstall`]: () => {
        state = 'underWay';
        return {};
      },
    },
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Reinstall' }));
  const dialog = within(await screen.findByRole('alertdialog'));
  expect(dialog.getByText('Reinstall Lanternwood?')).toBeTruthy();
  expect(dialog.getByText(servers.reinstallAskText)).toBeTruthy();
  fireEvent.click(dialog.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  expect(calls(`POST ${PATH}/reinstall`)).toHaveLength(0);
  fireEvent.click(screen.getByRole('button', { name: 'Reinstall' }));
  fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Reinstall' }));
  expect(await screen.findByText('Reinstalling.')).toBeTruthy();
  expect(calls(`POST ${PATH}/reinstall`)[0]?.key).toMatch(/^0190a000/);
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Reinstalling' }).disabled).toBe(true);
});

test('a refused reinstall is shown in the head', async () => {
  show({}, {}, { data: { reinstall: 'possible' }, answers: { [`POST ${PATH}/reinstall`]: refuse('SERVER_BUSY') } });
  fireEvent.click(await screen.findByRole('button', { name: 'Reinstall' }));
  fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Reinstall' }));
  expect(await screen.findByText(errors.SERVER_BUSY)).toBeTruthy();
});

test('a reinstall without scripts has a box that says what goes, and it has to be ticked', () => {
  const html = serverHtml(page, { url: '/server/1' }, data(server(), renewal(), { reinstall: 'possible' }));
  expect(html).toMatch(/name="_intent" value="reinstall"/);
  expect(html).toMatch(/<noscript><label[^>]*><input[^>]*name="sure"/);
  expect(html).toContain(servers.reinstallSure);
  expect(serverHtml(page, { url: '/server/1' }, data(server(), renewal()))).not.toContain('value="reinstall"');
});

test('plain forms name what they want without scripts, and the switch is a button', () => {
  const html = serverHtml(page, { url: '/server/1' }, data(server(), renewal()));
  expect(html).toMatch(/name="_intent" value="renew"/);
  expect(html).toMatch(/name="price" value="100"/);
  expect(html).toMatch(/<noscript><button[^>]*type="submit"/);
  expect(html).not.toContain('style=');
});
