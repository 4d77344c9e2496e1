import { afterEach, expect, test } from 'bun:test';
import errors from '#locales/en/errors.json';
import { ID, egg, options } from './testing.ts';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/server/create');
const { cleanup, fireEvent, screen, within } = await import('@testing-library/react');
const { MIRELA, refuse, serverHtml, showScreen, type } = await import('#tests/support/screens.tsx');
const create = await import('./create.tsx');
const { eggValue, variableField } = await import('./create-form.ts');

afterEach(cleanup);

const show = (given: object = options(), post: object = { id: ID(1), queue_id: ID(5) }, verified = true) =>
  showScreen(create, {
    url: '/server/create',
    session: { user: { ...MIRELA, verified } },
    answers: { 'GET /api/servers/options': given, 'POST /api/servers': post },
  });
const button = () => screen.findByRole<HTMLButtonElement>('button', { name: 'Create server' });
const summary = () => within(screen.getByRole('region', { name: /Your server|Mossy Haven/ }));

test('name, location, software, amounts and price are summed up beside the form', async () => {
  show();
  await button();
  type(screen.getByRole('textbox', { name: 'Name' }), 'Mossy Haven');
  expect(summary().getByText('Paper · Frankfurt')).toBeTruthy();
  fireEvent.click(screen.getByRole('radio', { name: /Bucharest/ }));
  fireEvent.click(screen.getByRole('radio', { name: /Velocity/ }));
  expect(summary().getByText('Velocity · Bucharest')).toBeTruthy();
  type(screen.getByRole('spinbutton', { name: 'Disk' }), '3072');
  expect(summary().getByText('39 GB')).toBeTruthy();
  expect(screen.getByText('1 GB left')).toBeTruthy();
  expect(summary().getByText('Every 30 days, first on 21 Dec 2026')).toBeTruthy();
  expect(summary().getByText('free')).toBeTruthy();
  expect(summary().getByText('3 in the queue · about 2 min')).toBeTruthy();
});

test('the form sends everything and goes to the server', async () => {
  const { calls } = show();
  type(await screen.findByRole('textbox', { name: 'Name' }), 'Mossy Haven');
  type(screen.getByLabelText('Server file'), 'paper.jar');
  fireEvent.click(await button());
  expect((await screen.findByTestId('elsewhere')).textContent).toBe(`/server/${ID(1)}`);
  const [call] = calls('POST /api/servers');
  expect(call?.body).toEqual({
    name: 'Mossy Haven',
    description: '',
    location_id: ID(11),
    category_id: ID(31),
    egg_id: ID(21),
    memory: 2048,
    disk: 4096,
    cpu: 150,
    ports: 1,
    databases: 0,
    backups: 0,
    variables: { SERVER_JARFILE: 'paper.jar', VERSION: '1.21' },
    auto_renew: true,
  });
  expect(call?.key).toMatch(/^0190a000/);
});

test('E3 the debt of a deleted server is shown beside the button, and sent as the price shown', async () => {
  const carriedDebt = {
    server: 'Old one',
    owed: 100,
    ended_at: '2026-11-18T10:00:00.000Z',
    until: '2026-12-18T10:00:00.000Z',
  };
  const { calls } = show({ ...options(), carried_debt: carriedDebt });
  type(await screen.findByRole('textbox', { name: 'Name' }), 'Mossy Haven');
  expect(summary().getByText('Old one')).toBeTruthy();
  expect(
    summary().getByText(
      /expired on 18 Nov 2026 unpaid. A server created before 18 Dec 2026 starts by paying what it owed/,
    ),
  ).toBeTruthy();
  expect(summary().queryByText('free')).toBeNull();
  fireEvent.click(await button());
  await screen.findByTestId('elsewhere');
  expect(calls('POST /api/servers')[0]?.body).toMatchObject({ price: 100 });
});

test('E3 the button is off without the credits for it, and how many are missing is said', async () => {
  const carriedDebt = {
    server: 'Old one',
    owed: 100,
    ended_at: '2026-11-18T10:00:00.000Z',
    until: '2026-12-18T10:00:00.000Z',
  };
  show({ ...options(), carried_debt: carriedDebt, balance: 40 });
  expect((await button()).disabled).toBe(true);
  expect(summary().getByText('60 credits')).toBeTruthy();
});

test('E3 a new server after one deleted before its end ends with that one, and nothing is paid now', async () => {
  const carriedDebt = {
    server: 'Old one',
    owed: 0,
    ended_at: '2026-12-01T10:00:00.000Z',
    until: '2026-12-01T10:00:00.000Z',
  };
  show({ ...options(), carried_debt: carriedDebt });
  await button();
  expect(summary().getByText('Every 30 days, first on 1 Dec 2026')).toBeTruthy();
  expect(summary().getByText('free')).toBeTruthy();
  expect(summary().getByText(/was deleted before it expired/)).toBeTruthy();
});

test('what cannot be had says why', async () => {
  show();
  await button();
  const why = (name: RegExp) => screen.getByRole<HTMLInputElement>('radio', { name });
  expect(why(/Helsinki.*VIP/).disabled).toBe(true);
  expect(why(/Warsaw.*Sold out/).disabled).toBe(true);
  expect(why(/Bucharest.*3 left/).disabled).toBe(false);
  expect(why(/Forge.*1 GB short/).disabled).toBe(true);
  expect(why(/NeoForge.*VIP/).disabled).toBe(true);
  expect(screen.getAllByText('Paper needs 1 GB')).toHaveLength(2);
});

test('a software that needs more raises the amounts', async () => {
  const roomy = options();
  show({ ...roomy, meters: { ...roomy.meters, slots: { used: 1, limit: 5 } } });
  await button();
  const memory = screen.getByRole<HTMLInputElement>('spinbutton', { name: 'Memory' });
  expect(memory.value).toBe('1024');
  fireEvent.click(screen.getByRole('radio', { name: /Velocity/ }));
  expect(memory.value).toBe('1536');
});

test('a variable is checked by its rules when its field is left', async () => {
  show();
  const field = await screen.findByLabelText('Server file');
  type(field, 'rm -rf');
  fireEvent.blur(field);
  expect(await screen.findByText(errors.field.RULE_FAILED)).toBeTruthy();
  type(field, 'paper.jar');
  expect(screen.queryByText(errors.field.RULE_FAILED)).toBeNull();
});

test('refusals stand at their fields and in the steps; nothing typed is lost', async () => {
  show(options(), refuse('NOT_ENOUGH_MEMORY', { memory: ['NOT_ENOUGH'], 'variables.SERVER_JARFILE': ['RULE_FAILED'] }));
  type(await screen.findByRole('textbox', { name: 'Name' }), 'Mossy Haven');
  fireEvent.click(await button());
  expect(await screen.findByText(errors.NOT_ENOUGH_MEMORY)).toBeTruthy();
  expect(screen.getByRole('link', { name: `Memory: ${errors.field.NOT_ENOUGH}` })).toBeTruthy();
  expect(screen.getByRole('link', { name: `Server file: ${errors.field.RULE_FAILED}` })).toBeTruthy();
  expect(screen.getByRole('spinbutton', { name: 'Memory' }).getAttribute('aria-invalid')).toBe('true');
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' }).value).toBe('Mossy Haven');
  const wrong = within(screen.getByRole('navigation', { name: 'Steps' })).getAllByText(/needs fixing/);
  expect(wrong).toHaveLength(2);
});

test('an empty name is refused without asking', async () => {
  const { calls } = show();
  fireEvent.click(await button());
  expect(await screen.findByRole('link', { name: `Name: ${errors.field.REQUIRED}` })).toBeTruthy();
  expect(calls('POST /api/servers')).toEqual([]);
});

test('what stands in the way is said, and the button waits', async () => {
  const given = options();
  const cases: readonly (readonly [object, boolean, RegExp])[] = [
    [{ ...given, meters: { ...given.meters, slots: { used: 5, limit: 5 } } }, true, /All your server slots are in use/],
    [
      { ...given, meters: { ...given.meters, ports: { used: 10, limit: 10 } } },
      true,
      /Your limits are too low for another server:/,
    ],
    [
      { ...given, locations: given.locations.filter((location) => !location.available) },
      true,
      /No location can take a server/,
    ],
    [given, false, /Confirm your e-mail first/],
  ];
  for (const [answer, verified, words] of cases) {
    show(answer, {}, verified);
    expect((await button()).disabled).toBe(true);
    expect(screen.getByText(words)).toBeTruthy();
    cleanup();
  }
});

test('an empty catalogue says so', async () => {
  show(options({ locations: [], categories: [] }));
  expect(await screen.findByText('No locations yet. Ask the host.')).toBeTruthy();
  expect(screen.getByText('No software yet. Ask the host.')).toBeTruthy();
});

test('Screen 15 the bar with the button says what a period costs and that nothing is due now', async () => {
  show(options());
  const button = await screen.findByRole('button', { name: 'Create server' });
  const bar = button.closest('.sp-sum__act');
  expect(bar?.querySelector('.sp-sum__mini')?.textContent).toMatch(/100 credits every 30 days · due now: free$/);
});

test('where servers do not expire there is no price and no switch', async () => {
  show({ ...options(), renew: { enabled: false, cost: 100, days: 30 } });
  // In the summary, and in the bar that small screens keep in reach.
  expect(await screen.findAllByText('It’s free and doesn’t expire.')).toHaveLength(2);
  expect(screen.queryByRole('switch')).toBeNull();
});

test('without scripts every software is in the page, by category, and the form is a plain one', () => {
  const html = serverHtml(create, { url: '/server/create' }, options());
  for (const [category, number] of [
    [31, 21],
    [31, 22],
    [32, 24],
  ] as const)
    expect(html).toContain(`value="${eggValue(ID(category), ID(number))}"`);
  expect(html).toMatch(/<form[^>]*method="post"/);
  expect(html).toMatch(/name="_key" value="0190a000/);
  expect(html).toContain(`name="${variableField(ID(21), 'VERSION')}"`);
  expect(html).not.toContain('style=');
});

test('a refusal without scripts keeps what was chosen', () => {
  const values = { name: 'Mossy', egg: eggValue(ID(32), ID(24)), location_id: ID(12), memory: '1600' };
  const failed = { ok: false, code: 'RATE_LIMITED', fields: {}, values, requestId: null, retryAfterS: 30 };
  const html = serverHtml(create, { url: '/server/create' }, options(), failed);
  expect(html).toContain('Velocity · Bucharest');
  expect(html).toMatch(/value="1600"/);
  expect(html).toContain('Too many attempts. Wait a moment, then try again. (30 s)');
});

test('an egg whose description has no full stop is set apart from its minimum', async () => {
  show(
    options({
      categories: [{ id: ID(31), name: 'Java', picture: '', eggs: [egg(21, 'Paper', { description: 'Plugins' })] }],
    }),
  );
  expect(await screen.findByText('Plugins · From 1 GB')).toBeTruthy();
  expect(screen.queryByRole('group', { name: 'Category' })).toBeNull();
});

/** Presses a button of another form than the one around it, which this DOM would send instead. */
async function press(name: string): Promise<void> {
  const found = await screen.findByRole<HTMLButtonElement>('button', { name });
  const form = document.getElementById(found.getAttribute('form') ?? '');
  Object.defineProperty(found, 'form', { value: form, configurable: true });
  if (form)
    fireEvent(form, Object.assign(new Event('submit', { bubbles: true, cancelable: true }), { submitter: found }));
}

test('what is left follows the draft and is asked for while the page is visible', async () => {
  const given = options();
  const { calls } = showScreen(create, {
    url: '/server/create',
    inBrowser: true,
    answers: {
      'GET /api/servers/options': given,
      'GET /api/servers/availability': {
        locations: [
          { id: ID(11), left: 3, available: true, reason: null },
          { id: ID(12), left: 0, available: false, reason: 'LOCATION_FULL' },
        ],
        eggs: [
          { id: ID(21), left: 2, available: true, reason: null },
          { id: ID(24), left: 0, available: false, reason: 'LOCATION_FULL' },
        ],
      },
    },
  });
  await button();
  expect(await screen.findByText('2 left')).toBeTruthy();
  expect(await screen.findByRole('radio', { name: /Frankfurt.*3 left/ })).toBeTruthy();
  expect(screen.getByRole<HTMLInputElement>('radio', { name: /Bucharest.*Sold out/ }).disabled).toBe(true);
  expect(screen.getByRole<HTMLInputElement>('radio', { name: /Velocity.*Sold out/ }).disabled).toBe(true);
  expect(calls('GET /api/servers/availability')[0]?.path).toBe(
    `/api/servers/availability?location_id=${ID(11)}&egg_id=${ID(21)}&memory=2048&disk=4096&ports=1`,
  );
});

test('a sold-out location says how many wait and how long, and its waiting list can be joined and left', async () => {
  const line = (more: object) =>
    options({ locations: options().locations.map((each) => (each.id === ID(14) ? { ...each, ...more } : each)) });
  const place = {
    location_id: ID(14),
    position: 3,
    estimate_s: 3 * 86_400,
    notified_at: null,
    since: '2026-11-21T18:00:00.000Z',
  };
  let given = line({ waiting: 2 });
  const { calls } = showScreen(create, {
    url: '/server/create',
    answers: {
      'GET /api/servers/options': () => given,
      'POST /api/server-waits': () => {
        given = line({ waiting: 3, wait: place });
        return place;
      },
      [`DELETE /api/server-waits/${ID(14)}`]: () => {
        given = line({ waiting: 2 });
        return {};
      },
    },
  });
  await button();
  type(screen.getByRole('textbox', { name: 'Name' }), 'Mossy Haven');
  expect(screen.getByText('2 waiting, waiting time unknown')).toBeTruthy();
  await press('Join the waiting list: Warsaw');
  expect(await screen.findByText('You’re number 3 on the waiting list, space in about 3 d')).toBeTruthy();
  expect(calls('POST /api/server-waits')[0]?.body).toEqual({
    location_id: ID(14),
    egg_id: ID(21),
    memory: 2048,
    disk: 4096,
    ports: 1,
  });
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' }).value).toBe('Mossy Haven');
  await press('Leave the waiting list: Warsaw');
  expect(await screen.findByText('2 waiting, waiting time unknown')).toBeTruthy();
});

test('a user who was notified can wait once more, and a refusal is shown', async () => {
  const wait = {
    location_id: ID(14),
    position: null,
    estimate_s: null,
    notified_at: '2026-11-21T12:00:00.000Z',
    since: '2026-11-20T18:00:00.000Z',
  };
  show(options({ locations: options().locations.map((each) => (each.id === ID(14) ? { ...each, wait } : each)) }));
  await button();
  expect(screen.getByText(/^Space was free at 21 Nov 2026, 12:00\./)).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Join again: Warsaw' })).toBeTruthy();
});

test('the waiting list works without scripts: its buttons belong to a form of their own', () => {
  const html = serverHtml(create, { url: '/server/create' }, options());
  const [button = ''] = /<button[^>]*form="wait-form"[^>]*>/.exec(html) ?? [];
  expect(button).toContain('name="location_id"');
  expect(button).toContain(`value="${ID(14)}"`);
  expect(html).toMatch(/<form[^>]*id="wait-form"[\s\S]*name="_intent" value="wait"/);
  expect(html).not.toContain('style=');
});
