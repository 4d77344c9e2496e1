import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/mc-admin/setup');
const { cleanup, fireEvent, screen, waitFor } = await import('@testing-library/react');
const { refuse, showScreen } = await import('#tests/support/screens.tsx');
const guideScreen = await import('./screen.tsx');
const { SETUP_STEPS } = await import('#shared/setup-guide.ts');

afterEach(cleanup);

type State = 'open' | 'done' | 'skipped';
/** The guide with the first steps done; the next one is open. */
const guide = (done: number, checks: readonly object[] = []) => ({
  finished: done === SETUP_STEPS.length,
  steps: SETUP_STEPS.map((step, index) => ({
    step,
    state: (index < done ? 'done' : 'open') satisfies State,
    checks: index === done ? checks : [],
  })),
  address: 'https://panel.example',
  built_in: true,
  catalogue_empty: true,
});
const row = (key: string, value: string | number | boolean) => ({
  key,
  value,
  is_set: false,
  is_unreadable: false,
  revision: 0,
  changed_at: null,
  overridden_by: null,
});
const SETTINGS = {
  rows: [row('currency', 'EUR'), row('company_name', ''), row('app_name', 'Spawnpoint'), row('mail_password', '')],
  environment: [],
};
const show = (answer: object, more: object = {}) =>
  showScreen(guideScreen, {
    url: '/mc-admin/setup',
    answers: {
      'GET /api/admin/setup': answer,
      'GET /api/admin/settings': SETTINGS,
      'GET /api/admin/panels': { panels: [], driver: 'embedded' },
      ...more,
    } as never,
    session: { permissions: ['admin.root'] },
  });

test('the first open step stands open, with what it asks for and what is not right yet', async () => {
  const { calls } = show(guide(7, [{ code: 'company', state: 'failed', fact: null }]), {
    'PATCH /api/admin/settings': { changed: 1 },
    'POST /api/admin/setup/legal/complete': {
      state: 'open',
      checks: [{ code: 'company', state: 'failed', fact: 'Lantern' }],
    },
  });
  expect(await screen.findByText('7 of 9 steps')).toBeTruthy();
  expect(screen.getByText('Enter name, address, city and country.')).toBeTruthy();
  fireEvent.change(screen.getByRole('textbox', { name: 'Company' }), { target: { value: 'Lantern' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save and check' }));
  expect(await screen.findByText('Lantern')).toBeTruthy();
  expect(calls('PATCH /api/admin/settings').map(({ body }) => body)).toEqual([
    { changes: [{ key: 'company_name', value: 'Lantern', revision: 0 }], confirmed: true },
  ]);
  expect(calls('POST /api/admin/setup/legal/complete')).toHaveLength(1);
});

test('a panel is connected by address and key, and a refused key is said beside its field and not shown again', async () => {
  const { calls, container } = show(guide(2), {
    'POST /api/admin/panels': refuse('VALIDATION_FAILED', { key: ['NOT_ALLOWED'] }),
  });
  fireEvent.change(await screen.findByRole('textbox', { name: 'Address of the panel' }), {
    target: { value: 'https://games.example' },
  });
  fireEvent.change(screen.getByLabelText('Application key'), { target: { value: 'ptla_secret' } });
  fireEvent.click(screen.getByRole('button', { name: 'Connect panel' }));
  expect((await screen.findAllByText(/key/i)).length).toBeGreaterThan(0);
  expect(calls('POST /api/admin/panels').map(({ body }) => body)).toEqual([
    {
      name: 'games.example',
      url: 'https://games.example',
      dialect: 'auto',
      enabled: true,
      key: 'ptla_secret',
      client_key: '',
    },
  ]);
  expect(container.innerHTML).not.toContain('ptla_secret');
});

test('the import takes what panels offer that is not here yet, of every panel that offers something', async () => {
  const panel = (id: string, fresh: number) => ({ id, name: id, syncing: false, news: { fresh } });
  const offer = (kind: string, ref: string, state: string) => ({ kind, ref, state, name: ref });
  const catalogue = (offers: object[], nests: object[]) => ({ offers, nests });
  const { calls } = show(guide(3), {
    'GET /api/admin/panels': { panels: [panel('p1', 3), panel('p2', 0)], driver: 'pterodactyl' },
    'GET /api/admin/panels/p1/catalogue': catalogue(
      [offer('location', '1', 'fresh'), offer('location', '2', 'taken'), offer('egg', '7', 'fresh')],
      [
        { ref: '5', waiting: 4 },
        { ref: '6', waiting: 0 },
      ],
    ),
    'GET /api/admin/panels/p2/catalogue': catalogue([offer('location', '1', 'taken')], []),
    'POST /api/admin/panels/p1/take': {},
    'POST /api/admin/setup/catalogue/complete': { state: 'open', checks: [] },
  });
  fireEvent.click(await screen.findByRole('button', { name: /^Import/ }));
  await waitFor(() => expect(calls('POST /api/admin/setup/catalogue/complete').length).toBe(1));
  expect(calls('POST /api/admin/panels/p1/take').map(({ body }) => body)).toEqual([
    { offers: [{ kind: 'location', ref: '1' }], nests: ['5'] },
  ]);
});

test('when every step is done, the guide leads on to the overview', async () => {
  show(guide(SETUP_STEPS.length));
  const link = await screen.findByRole('link', { name: 'Go to the overview' });
  expect(link.getAttribute('href')).toBe('/mc-admin');
});
