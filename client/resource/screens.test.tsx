import { afterEach, describe, expect, test } from 'bun:test';
import { RESOURCES } from '#shared/resources/index.ts';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/mc-admin/locations');
const { cleanup, fireEvent, screen, waitFor, within } = await import('@testing-library/react');
const { refuse, serverHtml, showScreen, type } = await import('#tests/support/screens.tsx');
const { createScreen, editScreen } = await import('./form.tsx');
const { deleteScreen } = await import('./delete.tsx');
const { listScreen } = await import('./list.tsx');

afterEach(cleanup);

const { locations, redeemCodes, ssoProviders } = RESOURCES;
const api = '/api/admin/locations';
const staff = { session: { permissions: ['admin.root'] } };
const row = (n: number, change: object = {}) => ({
  id: `0193aaaa-0000-7000-8000-00000000000${n}`,
  name: `Place ${n}`,
  description: '',
  code: 'DE',
  address: 'x.example',
  slots: 10,
  used_slots: 3,
  panel_id: null,
  panel_location: null,
  panel: null,
  placement: 'spread',
  online: true,
  vip_only: n === 2,
  position: n,
  created_at: '2026-11-01T10:00:00.000Z',
  updated_at: '2026-11-02T10:00:00.000Z',
  ...change,
});
const listed = (rows: readonly object[], total = rows.length) => ({
  rows,
  paging: { page: 1, per_page: 25, total },
  options: {},
});

const asModule = ({ Screen, ...rest }: { Screen: () => React.ReactNode; loader: unknown; action: unknown }) =>
  ({ default: Screen, ...rest }) as Parameters<typeof showScreen>[0];
const list = asModule(listScreen(locations));
const create = asModule(createScreen(locations));
const edit = asModule(editScreen(locations));
const remove = asModule(deleteScreen(locations));

describe('the list', () => {
  const show = (url: string, answers: object, more: object = staff) =>
    showScreen(list, { url, answers: answers as never, ...more });

  test('a value from a closed set is shown in words, and a list is not filtered by what does not matter in it', async () => {
    const provider = { ...row(1, { name: 'Our Git', kind: 'github', issuer: '', enabled: true, linked: 0 }) };
    const { container } = showScreen(asModule(listScreen(ssoProviders)), {
      url: '/mc-admin/sso-providers',
      answers: { 'GET /api/admin/sso-providers': listed([provider]) } as never,
      ...staff,
    });
    await screen.findByText('Our Git');
    expect(screen.getByRole('cell', { name: 'GitHub' })).toBeTruthy();
    expect([...container.querySelectorAll('select')].map(({ name }) => name)).not.toContain('icon');
    expect([...container.querySelectorAll('select')].map(({ name }) => name)).toContain('kind');
  });

  test('the list asks what the address says, and sorts, pages and filters by links and a form', async () => {
    const { calls, container } = show('/mc-admin/locations?sort=-name&q=Place&online=true&page=2', {
      [`GET ${api}`]: listed([row(1), row(2)], 60),
    });
    await screen.findByText('Place 1');
    expect(Object.fromEntries(new URL(`http://x${calls(`GET ${api}`)[0]?.path}`).searchParams)).toEqual({
      online: 'true',
      q: 'Place',
      page: '2',
      per_page: '25',
      sort: '-name',
    });
    expect(screen.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort')).toBe('descending');
    expect(
      within(screen.getByRole('columnheader', { name: 'Name' }))
        .getByRole('link')
        .getAttribute('href'),
    ).toBe('/mc-admin/locations?q=Place&online=true&sort=name');
    expect(screen.getByRole('link', { name: 'Export CSV' }).getAttribute('href')).toContain(
      `${api}/export.csv?online=true&q=Place`,
    );
    expect(container.querySelector('form.sp-filterbar')?.getAttribute('method')).toBe('get');
    expect(screen.getAllByText(/^3/)[0]?.closest('td')?.textContent).toBe('3 / 10');
  });

  test('a page behind the last one leads to the last one', async () => {
    show('/mc-admin/locations?page=9', {
      [`GET ${api}`]: ({ path }: { path: string }) => (path.includes('page=9') ? listed([], 26) : listed([row(1)], 26)),
    });
    expect(await screen.findByText('Place 1')).toBeTruthy();
  });

  test('an empty list says what it is for and how to begin, and one without a match says neither', async () => {
    show('/mc-admin/locations', { [`GET ${api}`]: listed([]) });
    expect(await screen.findByRole('heading', { name: 'No location yet' })).toBeTruthy();
    expect(screen.getAllByRole('link', { name: 'Add location' })).toHaveLength(1);
    cleanup();
    show('/mc-admin/locations?q=zzz', { [`GET ${api}`]: listed([]) });
    expect(await screen.findByRole('heading', { name: 'No results' })).toBeTruthy();
  });

  test('the list offers what the visitor may do, and nothing else', async () => {
    show(
      '/mc-admin/locations',
      { [`GET ${api}`]: listed([row(1)]) },
      { session: { permissions: ['admin.locations.list'] } },
    );
    await screen.findByText('Place 1');
    expect(screen.queryByRole('link', { name: 'Add location' })).toBeNull();
    expect(screen.queryByRole('link', { name: 'Place 1' })).toBeNull();
    expect(screen.queryByRole('checkbox')).toBeNull();
    expect(screen.queryByRole('button', { name: 'Actions for Place 1' })).toBeNull();
    cleanup();
    show(
      '/mc-admin/locations',
      { [`GET ${api}`]: listed([row(1)]) },
      { session: { permissions: ['admin.locations.list', 'admin.locations.delete'] } },
    );
    await screen.findByText('Place 1');
    expect(screen.getByRole('menuitem', { name: 'Delete', hidden: true }).getAttribute('href')).toBe(
      `/mc-admin/locations/${row(1).id}/delete`,
    );
    expect(screen.queryByRole('menuitem', { name: 'Edit', hidden: true })).toBeNull();
  });

  test('several rows are turned off at once, and a toast says how many', async () => {
    const { calls } = show('/mc-admin/locations', {
      [`GET ${api}`]: listed([row(1), row(2)]),
      [`POST ${api}/set-enabled`]: { done: 2 },
    });
    fireEvent.click(await screen.findByRole('checkbox', { name: 'Select all' }));
    fireEvent.click(screen.getByRole('button', { name: 'Turn off' }));
    expect(await screen.findByText('2 entries turned off')).toBeTruthy();
    expect(calls(`POST ${api}/set-enabled`)[0]?.body).toEqual({ ids: [row(1).id, row(2).id], enabled: false });
  });

  test('several rows are deleted after a question, and those in use are named', async () => {
    const { calls } = show('/mc-admin/locations', {
      [`GET ${api}`]: listed([row(1), row(2)]),
      [`POST ${api}/delete`]: { done: 1, refused: 1 },
    });
    fireEvent.click(await screen.findByRole('checkbox', { name: 'Select all' }));
    fireEvent.click(within(screen.getByRole('region', { name: '2 selected' })).getByRole('button', { name: 'Delete' }));
    expect(await screen.findByText('Delete 2 entries?')).toBeTruthy();
    expect(calls(`POST ${api}/delete`)).toEqual([]);
    fireEvent.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Delete' }));
    expect(await screen.findByText('1 entry deleted')).toBeTruthy();
    expect(await screen.findByText('1 entry is in use and was kept')).toBeTruthy();
  });

  test('the list says what was done on the page before, by name where the row is in sight', async () => {
    show(`/mc-admin/locations?done=edit-${row(1).id}`, { [`GET ${api}`]: listed([row(1)]) });
    expect(await screen.findByText('Place 1 was saved.')).toBeTruthy();
    cleanup();
    show('/mc-admin/locations?done=<b>', { [`GET ${api}`]: listed([row(1)]) });
    await screen.findByText('Place 1');
    expect(screen.queryByText(/^(Created|Saved|Deleted)\.$/)).toBeNull();
    expect(document.querySelector('.sp-banner')).toBeNull();
  });

  test('T41 a name with markup is text, also as the server sends it', () => {
    const html = serverHtml(
      list,
      { url: '/mc-admin/locations', ...staff },
      listed([row(1, { name: '<img src=x onerror=alert(1)>', description: '"><script>' })]),
    );
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(html).not.toMatch(/<img|<script/);
  });
});

describe('the form', () => {
  const fill = (values: Readonly<Record<string, string>>) => {
    for (const [label, value] of Object.entries(values)) type(screen.getByLabelText(new RegExp(`^${label}`)), value);
  };

  test('the form sends numbers and booleans with a key, and goes back to the list', async () => {
    const { calls } = showScreen(create, {
      url: '/mc-admin/locations/create',
      answers: { [`GET ${api}/new`]: { options: {} }, [`POST ${api}`]: { id: row(1).id } },
      ...staff,
    });
    await screen.findByLabelText(/^Name/);
    fill({ Name: ' Frankfurt ', Country: 'de', Address: 'FRA.example.com', Slots: '40' });
    fireEvent.click(screen.getByRole('switch', { name: 'Online' }));
    fireEvent.click(screen.getByRole('button', { name: 'Add location' }));
    expect((await screen.findByTestId('elsewhere')).textContent).toBe(`/mc-admin/locations?done=create-${row(1).id}`);
    const [call] = calls(`POST ${api}`);
    expect(call?.body).toEqual({
      name: 'Frankfurt',
      description: '',
      code: 'DE',
      address: 'fra.example.com',
      slots: 40,
      online: false,
      vip_only: false,
      position: 0,
      placement: 'spread',
    });
    expect(call?.key).toMatch(/^0190a000/);
  });

  test('the form refuses before it sends: each fault at its field and on top, nothing typed is lost', async () => {
    const { calls } = showScreen(create, {
      url: '/mc-admin/locations/create',
      answers: { [`GET ${api}/new`]: { options: {} }, [`POST ${api}`]: { id: 'x' } },
      ...staff,
    });
    await screen.findByLabelText(/^Name/);
    fill({ Country: 'DEU', Address: 'http://x', Slots: '0' });
    fireEvent.click(screen.getByRole('button', { name: 'Add location' }));
    expect(
      (await screen.findByText('Please fix 4 fields')).closest('.sp-error-sum')?.querySelectorAll('li'),
    ).toHaveLength(4);
    const country = screen.getByLabelText<HTMLInputElement>(/^Country/);
    expect(country.getAttribute('aria-invalid')).toBe('true');
    expect(country.value).toBe('DEU');
    expect(screen.getByRole('link', { name: 'Country: Enter two letters.' }).getAttribute('href')).toBe(
      `#${country.id}`,
    );
    expect(calls(`POST ${api}`)).toEqual([]);
  });

  test('what the server refuses stands at its field', async () => {
    showScreen(create, {
      url: '/mc-admin/locations/create',
      answers: {
        [`GET ${api}/new`]: { options: {} },
        [`POST ${api}`]: refuse('VALIDATION_FAILED', { name: ['NAME_TAKEN'] }),
      },
      ...staff,
    });
    await screen.findByLabelText(/^Name/);
    fill({ Name: 'Frankfurt', Country: 'DE', Address: 'a.example' });
    fireEvent.click(screen.getByRole('button', { name: 'Add location' }));
    const message = await screen.findByText('This name is taken.', { selector: 'p' });
    expect(screen.getByLabelText(/^Name/).getAttribute('aria-describedby')).toContain(message.id);
  });

  test('the form says what is unsaved', async () => {
    showScreen(edit, {
      url: '/mc-admin/locations/edit',
      answers: { [`GET ${api}/`]: { row: row(1), options: {}, dependants: [{ kind: 'servers', count: 3 }] } },
      ...staff,
    });
    await screen.findByRole('heading', { name: 'Place 1' });
    expect(screen.getByText('3 servers')).toBeTruthy();
    fill({ Slots: '11' });
    fireEvent.click(screen.getByRole('switch', { name: 'VIP only' }));
    expect(await screen.findByText('Slots, VIP only')).toBeTruthy();
  });

  test('a row that somebody else changed is not overwritten by a second click', async () => {
    let stored = row(1);
    const answers = {
      [`GET ${api}/`]: () => ({ row: stored, options: {}, dependants: [] }),
      [`PATCH ${api}/`]: () => {
        stored = { ...row(1), slots: 99, updated_at: '2026-11-03T10:00:00.000Z' };
        return refuse('CONFLICT');
      },
    };
    const { calls } = showScreen(edit, { url: '/mc-admin/locations/edit', answers, ...staff });
    await screen.findByRole('heading', { name: 'Place 1' });
    fill({ Slots: '11' });
    fireEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect(await screen.findByRole('link', { name: 'Load the newest version' })).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>(/^Slots/).value).toBe('11');
    fireEvent.click(screen.getByRole('button', { name: 'Save' }));
    const patched = (): readonly { body: unknown }[] => calls(`PATCH ${api}/`);
    await waitFor(() => expect(patched()).toHaveLength(2));
    expect(patched().map(({ body }) => (body as { updated_at: string }).updated_at)).toEqual([
      row(1).updated_at,
      row(1).updated_at,
    ]);
  });

  test('the form is a plain one with everything in it without scripts', () => {
    const html = serverHtml(
      edit,
      { url: '/mc-admin/locations/edit', ...staff },
      { row: row(2), options: {}, dependants: [] },
    );
    expect(html).toMatch(/<form[^>]*method="post"/);
    expect(html).toContain(`name="updated_at" value="${row(2).updated_at}"`);
    expect(html).toContain('name="_key"');
    expect(html).toMatch(/name="online"[^>]*checked|checked=""[^>]*name="online"/);
  });

  test('times are those of the installation’s zone', () => {
    const codes = asModule(editScreen(redeemCodes));
    const code = {
      id: row(1).id,
      code: 'SPRING',
      note: '',
      status: 'active',
      credits: 5,
      uses_total: 5,
      uses_count: 1,
      min_age_days: 0,
      starts_at: '2026-11-21T18:30:00.000Z',
      ends_at: null,
      enabled: true,
      created_by: 'radu',
      created_at: row(1).created_at,
      updated_at: row(1).updated_at,
    };
    const html = serverHtml(
      codes,
      { url: '/mc-admin/redeem-codes/edit', ...staff },
      { row: code, options: {}, dependants: [] },
    );
    expect(html).toContain('value="2026-11-21T18:30"');
    expect(html).toContain('name="_zone" value="UTC"');
  });
});

describe('the delete page', () => {
  const show = (answers: object) =>
    showScreen(remove, { url: '/mc-admin/locations/delete', answers: answers as never, ...staff });

  test('the page asks for the name, and says when it is another', async () => {
    const { calls } = show({
      [`GET ${api}//dependants`]: { row: row(1), dependants: [{ kind: 'servers', count: 0 }], refused: false },
      [`DELETE ${api}/`]: refuse('NAME_MISMATCH', { name: ['NAME_MISMATCH'] }),
    });
    type(await screen.findByLabelText('Type “Place 1” to confirm'), 'Place');
    fireEvent.click(screen.getByRole('button', { name: 'Delete' }));
    expect(await screen.findByText('That isn’t the name.')).toBeTruthy();
    expect(calls(`DELETE ${api}/`)[0]?.body).toEqual({ name: 'Place' });
  });

  test('the page goes back to the list when it is done', async () => {
    show({ [`GET ${api}//dependants`]: { row: row(1), dependants: [], refused: false }, [`DELETE ${api}/`]: {} });
    type(await screen.findByLabelText('Type “Place 1” to confirm'), 'Place 1');
    fireEvent.click(screen.getByRole('button', { name: 'Delete' }));
    expect((await screen.findByTestId('elsewhere')).textContent).toBe('/mc-admin/locations?done=delete');
  });

  test('the page does not offer what would be refused, and says why', async () => {
    show({ [`GET ${api}//dependants`]: { row: row(1), dependants: [{ kind: 'servers', count: 2 }], refused: true } });
    expect(await screen.findByText('2 servers')).toBeTruthy();
    expect(screen.getByText(/This location has servers, so it can’t be deleted/)).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Delete' })).toBeNull();
    expect(screen.getByRole('link', { name: 'Edit' })).toBeTruthy();
  });
});
