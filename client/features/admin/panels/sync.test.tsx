import { afterEach, expect, spyOn, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';
import { KEEPER_RIGHTS, PANELS_API, LAST_DONE, PANEL_ID, panel } from '#tests/support/panel-rows.ts';

await installDom('https://panel.example/mc-admin/panels');
const { act, cleanup, fireEvent, screen, waitFor, within } = await import('@testing-library/react');
const { serverHtml, showScreen } = await import('#tests/support/screens.tsx');
const sync = await import('./sync.tsx');
const { filterOffers, CATALOGUE_LIST, countStates } = await import('./query.ts');
const { readList } = await import('#client/lib/url-state.ts');

afterEach(cleanup);

const offer = (more: object) => ({
  kind: 'egg',
  ref: '1',
  name: 'Paper',
  description: 'Fast',
  nest: { ref: '1', name: 'Minecraft' },
  state: 'fresh',
  ours: null,
  changes: [],
  left: [],
  first_at: LAST_DONE,
  vanished_at: null,
  ...more,
});
const OFFERS = [
  offer({}),
  offer({
    ref: '2',
    name: 'Forge',
    state: 'changed',
    ours: { id: 'e2', name: 'Forge', on: true },
    changes: [
      {
        part: 'startup',
        kind: 'changed',
        subject: null,
        before: 'java -jar a.jar',
        after: 'java -jar b.jar',
        own: true,
      },
      { part: 'variable', kind: 'added', subject: 'VERSION', before: null, after: 'Version', own: false },
    ],
  }),
  offer({
    ref: '3',
    name: 'Sponge',
    state: 'vanished',
    ours: { id: 'e3', name: 'Sponge', on: true },
    vanished_at: LAST_DONE,
  }),
  offer({
    kind: 'location',
    ref: '7',
    name: 'de-fra',
    nest: null,
    state: 'current',
    ours: { id: 'l7', name: 'Frankfurt', on: false },
  }),
];
const node = {
  id: '1',
  name: 'node-1',
  fqdn: 'n1.example.com',
  places: ['de-fra'],
  public: true,
  maintenance: false,
  memory: 65_536,
  disk: null,
  memory_used: 12_288,
  disk_used: 64_000,
  ports: 50,
  ports_free: 38,
  vanished_at: null,
};
const catalogue = (more: object = {}) => ({
  panel,
  offers: OFFERS,
  nests: [{ ref: '1', name: 'Minecraft', eggs: 2, waiting: 2, category: null }],
  nodes: [node],
  ...more,
});

const showSync = (data: object = catalogue(), answers: object = {}, search = '') =>
  showScreen(sync, {
    url: `/mc-admin/panels/${PANEL_ID}/sync${search}`,
    path: '/mc-admin/panels/:id/sync',
    answers: {
      [`GET ${PANELS_API}/${PANEL_ID}/catalogue`]: data,
      [`POST ${PANELS_API}/${PANEL_ID}/take`]: { created: 2, updated: 0, skipped: 1 },
      [`POST ${PANELS_API}/${PANEL_ID}/turn-off`]: { done: 1 },
      ...answers,
    },
    session: { permissions: KEEPER_RIGHTS },
  });

test('the catalogue shows what is new, changed and vanished, and what a change would overwrite', async () => {
  showSync();
  const table = within(await screen.findByRole('table', { name: 'Catalogue entries' }));
  expect(table.getAllByRole('rowheader').map((cell) => cell.getAttribute('aria-label'))).toEqual([
    'Sponge',
    'Forge',
    'Paper',
  ]);
  const forge = within(table.getByRole('rowheader', { name: 'Forge' }));
  expect(forge.getByText('java -jar b.jar')).toBeTruthy();
  expect(forge.getByText('VERSION')).toBeTruthy();
  expect(forge.getByText(/You changed this here/)).toBeTruthy();
  const nodes = within(screen.getByRole('table', { name: 'Nodes' }));
  expect(nodes.getByText('38 of 50')).toBeTruthy();
  expect(nodes.getByText(/no limit/)).toBeTruthy();
});

test('bulk import asks first, warns before it overwrites changes by staff, and turns off vanished offers', async () => {
  const { calls } = showSync();
  fireEvent.click(await screen.findByRole('checkbox', { name: /all/i }));
  const bar = within(screen.getByRole('region', { name: '3 selected' }));
  fireEvent.click(bar.getByRole('button', { name: 'Import 2' }));
  const dialog = await screen.findByRole('alertdialog');
  expect(dialog.textContent).toContain('its version replaces yours');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Import' }));
  expect(await screen.findByText('2 entries added. Nothing changed. 1 was up to date.')).toBeTruthy();
  expect(calls(`POST ${PANELS_API}/${PANEL_ID}/take`).map(({ body }) => body)).toEqual([
    {
      offers: [
        { kind: 'egg', ref: '1' },
        { kind: 'egg', ref: '2' },
      ],
      nests: [],
    },
  ]);
  fireEvent.click(screen.getByRole('button', { name: 'Turn off: Sponge', hidden: true }));
  await waitFor(() =>
    expect(calls(`POST ${PANELS_API}/${PANEL_ID}/turn-off`).map(({ body }) => body)).toEqual([
      { offers: [{ kind: 'egg', ref: '3' }] },
    ]),
  );
  expect(await screen.findByText('1 entry turned off.')).toBeTruthy();
});

test('a nest is imported as a whole; reading is asked for by its own button', async () => {
  const { calls } = showSync(catalogue(), { [`POST ${PANELS_API}/${PANEL_ID}/sync`]: {} });
  fireEvent.click(await screen.findByRole('button', { name: 'Import 2 eggs: Minecraft' }));
  await waitFor(() =>
    expect(calls(`POST ${PANELS_API}/${PANEL_ID}/take`).map(({ body }) => body)).toEqual([
      { offers: [], nests: ['1'] },
    ]),
  );
  fireEvent.click(screen.getByRole('button', { name: 'Sync now' }));
  await waitFor(() => expect(calls(`POST ${PANELS_API}/${PANEL_ID}/sync`)).toHaveLength(1));
});

test('asking for a reading leaves what is ticked as it is, and a command is done with it', async () => {
  const { calls } = showSync(catalogue(), { [`POST ${PANELS_API}/${PANEL_ID}/sync`]: {} });
  const box = () => screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select Paper' });
  fireEvent.click(await screen.findByRole('checkbox', { name: 'Select Paper' }));
  const before = calls(`GET ${PANELS_API}/${PANEL_ID}/catalogue`).length;
  fireEvent.click(screen.getByRole('button', { name: 'Sync now' }));
  await waitFor(() => expect(calls(`GET ${PANELS_API}/${PANEL_ID}/catalogue`).length).toBeGreaterThan(before));
  await act(async () => undefined);
  expect(box().checked).toBe(true);
  fireEvent.click(within(screen.getByRole('region', { name: '1 selected' })).getByRole('button', { name: 'Import 1' }));
  fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Import' }));
  await waitFor(() => expect(box().checked).toBe(false));
});

test('a failed reading says what failed and that nothing was changed; a running one is followed', async () => {
  const synced = {
    at: LAST_DONE,
    state: 'failed',
    part: 'eggs',
    fault: { fault: 'unknown', cause: 'timeout' },
    nodes_failed: [],
  };
  showSync(catalogue({ panel: { ...panel, synced } }));
  expect(
    await screen.findByText(/last sync failed \(eggs; .*\): The panel didn’t respond in time\. No changes were made\./),
  ).toBeTruthy();
  cleanup();
  let reading = true;
  const timers = spyOn(globalThis, 'setInterval');
  showSync(catalogue(), {
    [`GET ${PANELS_API}/${PANEL_ID}/catalogue`]: () => catalogue({ panel: { ...panel, syncing: reading } }),
  });
  expect(await screen.findByText(/Syncing the catalogue/)).toBeTruthy();
  // The page is painted before its effects run.
  const poll = await waitFor(() => {
    const [found] = timers.mock.calls.find(([, ms]) => ms === 1500) ?? [];
    expect(found).toBeDefined();
    return found;
  });
  timers.mockRestore();
  reading = false;
  await act(async () => void (poll as () => void)());
  expect(await screen.findByText(/^Last sync/, { selector: 'p' })).toBeTruthy();
  expect(screen.queryByText(/Syncing the catalogue/)).toBeNull();
});

test('without scripts everything is there: a form for each offer, each nest and the reading', () => {
  const html = serverHtml(
    sync,
    {
      url: `/mc-admin/panels/${PANEL_ID}/sync`,
      path: '/mc-admin/panels/:id/sync',
      session: { permissions: KEEPER_RIGHTS },
    },
    catalogue(),
  );
  for (const value of ['egg:1', 'egg:2', 'egg:3']) expect(html).toContain(`value="${value}"`);
  for (const intent of ['sync', 'take', 'turnOff'])
    expect(html).toMatch(new RegExp(`name="_intent"[^>]*value="${intent}"|value="${intent}"[^>]*name="_intent"`));
  expect(html).toMatch(/name="nest"[^>]*value="1"|value="1"[^>]*name="nest"/);
});

test('the address says what is asked for; without a state it is the news', () => {
  const ask = (search: string) =>
    filterOffers(OFFERS as never, readList(search, CATALOGUE_LIST)).map(({ name }) => name);
  expect(ask('')).toEqual(['Sponge', 'Forge', 'Paper']);
  expect(ask('?state=all')).toEqual(['de-fra', 'Forge', 'Paper', 'Sponge']);
  expect(ask('?state=all&sort=-name')).toEqual(['Sponge', 'Paper', 'Forge', 'de-fra']);
  expect(ask('?state=current')).toEqual(['de-fra']);
  expect(ask('?state=all&kind=location')).toEqual(['de-fra']);
  expect(ask('?nest=1&q=fo')).toEqual(['Forge']);
  expect(ask('?nest=9')).toEqual([]);
  expect(countStates(OFFERS as never)).toEqual({ fresh: 1, changed: 1, current: 1, vanished: 1 });
});
