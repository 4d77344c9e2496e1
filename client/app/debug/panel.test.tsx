import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import debug from '#locales/en/debug.json';
import ui from '#locales/en/ui.json';
import type { DebugHost } from './toggle.ts';
import { FLAGS, type Flags } from '#shared/flags.ts';
import { installDom, reactIdle } from '#tests/support/dom.ts';
import { memoryStorage } from '#tests/support/session.ts';

// Before the document goes away.
afterAll(() => stopDebug());
await installDom('https://panel.example/auth/login');
const { act, cleanup, fireEvent, screen, waitFor, within } = await import('@testing-library/react');
const { createI18n } = await import('#client/lib/i18n-instance.ts');
const { createTranslator } = await import('#client/lib/i18n.tsx');
const { journal } = await import('#client/lib/journal.ts');
const { startDebug, toggleDebugPanel } = await import('./toggle.ts');

// What this DOM lacks of popovers.
HTMLElement.prototype.showPopover = () => undefined;

const translator = createTranslator(createI18n('en', { en: { debug, ui } }), 'en');
const boot: DebugHost['boot'] = {
  build: 'b1',
  timeZone: 'UTC',
  requestId: 'r-0',
  settings: { app_name: 'Spawnpoint', app_version: '1.2.3' },
  debug: {
    debug_debug: false,
    debug_version: '1.2.3',
    debug_os: '',
    debug_os_kernel: '',
    debug_name: 'Spawnpoint',
    debug_telemetry: false,
    debug: { useRedis: null, rateLimit: { enabled: true, limit: 300 } },
  },
  flags: Object.fromEntries(FLAGS.map((flag) => [flag, true])) as Flags,
};
let loaded: unknown[] = [];
const host: DebugHost = {
  boot,
  stores: { subscribe: () => () => undefined, session: () => null, translator: () => translator, theme: () => 'dark' },
  texts: { load: async (namespaces) => void loaded.push(...namespaces) },
};
const stopDebug = startDebug(host);

const ctrlI = (target: Element | Window = window) => fireEvent.keyDown(target, { key: 'i', ctrlKey: true });
const panel = () => screen.queryByRole('region', { name: 'Debug panel' });
const opened = () => waitFor(() => expect(panel() !== null).toBe(true));
const closed = () => waitFor(() => expect(panel() === null).toBe(true));
// An element that is not the expected one would be printed with all that hangs on it.
const hasFocus = (element: Element) => document.activeElement === element;
const tab = (name: string) => screen.getByRole('tab', { name: new RegExp(`^${name}`) });

/** Opens the panel at one of its views. */
async function openAt(name: string): Promise<void> {
  ctrlI();
  await opened();
  fireEvent.click(tab(name));
  // The panel hears of changes from its first effects on, which may come after it is seen.
  await waitFor(() => expect(tab(name).getAttribute('aria-selected')).toBe('true'));
}

beforeAll(async () => {
  // This DOM loads no stylesheets, and says so when the panel is opened first. That is no reason for it to stay away.
  expectConsole(/debug\.css/);
  ctrlI();
  await opened();
  ctrlI();
  await closed();
});
beforeEach(() => {
  for (const part of ['requests', 'errors', 'lines'] as const) journal.clear(part);
});
afterEach(async () => {
  if (panel()) ctrlI();
  await closed();
  // It is away before React has let go of what listens to the journal.
  await reactIdle();
  cleanup();
});

test('S2.15 S4.10 Ctrl+I opens and closes the debug panel; a click or an arrow key chooses the tab, which stays', async () => {
  document.body.insertAdjacentHTML('afterbegin', '<input id="name">');
  const field = document.getElementById('name') as HTMLInputElement;
  // It opens at the view that was last seen.
  await openAt('Network');
  ctrlI();
  await closed();
  field.focus();
  await openAt('Network');
  expect(screen.getAllByRole('tab').map((each) => each.textContent)).toEqual([
    'Network',
    'Errors',
    'Console',
    'App',
    'Storage',
    'Settings',
  ]);
  expect(loaded).toEqual(['debug']);
  await waitFor(() => expect(hasFocus(tab('Network'))).toBe(true));
  for (const name of ['Errors', 'Console', 'App', 'Storage', 'Settings', 'Network']) {
    fireEvent.click(tab(name));
    expect(screen.getAllByRole('tab', { selected: true }).map((each) => each.textContent)).toEqual([
      tab(name).textContent,
    ]);
    expect(screen.getByRole('tabpanel', { name: new RegExp(`^${name}`) })).toBeTruthy();
  }
  fireEvent.keyDown(tab('Network'), { key: 'ArrowLeft' });
  expect(hasFocus(tab('Settings'))).toBe(true);
  ctrlI(tab('Settings'));
  await closed();
  expect(hasFocus(field)).toBe(true);
  ctrlI();
  await opened();
  expect(tab('Settings').getAttribute('aria-selected')).toBe('true');
  fireEvent.keyDown(tab('Settings'), { key: 'Escape' });
  await closed();
  field.remove();
});

test('only plain Ctrl+I opens the debug panel, and a menu entry does as well', async () => {
  for (const more of [{ shiftKey: true }, { altKey: true }, { metaKey: true }, { ctrlKey: false }, { key: 'b' }])
    fireEvent.keyDown(window, { key: 'i', ctrlKey: true, ...more });
  await act(async () => {});
  expect(panel() === null).toBe(true);
  toggleDebugPanel();
  await opened();
});

test('requests are listed newest first, filtered by words and failure, and one of them is shown in full', async () => {
  const entry = { statusText: '', requestBody: '', responseBody: '', requestId: '', tookMs: 12 };
  journal.request({ ...entry, url: '/api/session', method: 'GET', status: 200, statusText: 'OK' });
  journal.request({
    ...entry,
    url: '/api/renew',
    method: 'POST',
    status: 409,
    statusText: 'Conflict',
    requestBody: '{"days":30}',
    responseBody: '{"error_code":"RENEW_TOO_FAR"}',
    requestId: 'r-7',
  });
  journal.request({
    ...entry,
    url: '/api/earn',
    method: 'POST',
    status: null,
    statusText: 'TypeError: Failed to fetch',
  });
  await openAt('Network');
  const rows = () =>
    within(screen.getByRole('list', { name: 'Requests' }))
      .getAllByRole('button')
      .map((each) => each.querySelector('code')?.textContent);
  await waitFor(() => expect(rows()).toEqual(['/api/earn', '/api/renew', '/api/session']));
  fireEvent.click(screen.getByRole('radio', { name: 'Failed' }));
  expect(rows()).toEqual(['/api/earn', '/api/renew']);
  fireEvent.change(screen.getByRole('searchbox'), { target: { value: '409' } });
  expect(rows()).toEqual(['/api/renew']);
  fireEvent.click(screen.getByRole('button', { name: /renew/ }));
  const detail = screen.getByRole('group', { name: 'POST /api/renew' });
  expect(detail.textContent).toContain('r-7');
  expect([...detail.querySelectorAll('pre')].map((each) => each.textContent)).toEqual([
    '{\n  "days": 30\n}',
    '{\n  "error_code": "RENEW_TOO_FAR"\n}',
  ]);
});

test('errors are shown with their stack, and lines of the console by level', async () => {
  journal.error({ text: 'Global Error: TypeError: x', stack: 'at y' });
  journal.error({ text: 'Global Error: TypeError: x', stack: 'at y' });
  journal.line('start', 'mount');
  journal.line('warn', 'ads skipped');
  await openAt('Errors');
  expect((await screen.findByText('Global Error: TypeError: x')).parentElement?.textContent).toContain('2 times');
  expect(screen.getByText('at y')).toBeTruthy();
  fireEvent.click(tab('Console'));
  const log = screen.getByRole('log');
  expect([...log.children].map((each) => each.lastChild?.textContent)).toEqual(['mount', 'ads skipped']);
  fireEvent.click(screen.getByRole('radio', { name: 'Start-up' }));
  expect([...log.children].map((each) => each.lastChild?.textContent)).toEqual(['mount']);
});

test('storage is shown with secrets masked, changed, added to and deleted from, after a question', async () => {
  localStorage.clear();
  localStorage.setItem('locale', 'EN');
  localStorage.setItem('session_token', 'abc');
  await openAt('Storage');
  const area = () => screen.getByRole('group', { name: 'Local storage' });
  expect(area().textContent).toContain('session_token•••');
  fireEvent.click(screen.getByRole('button', { name: 'Edit locale' }));
  fireEvent.change(screen.getByLabelText('Value'), { target: { value: 'DE' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(localStorage.getItem('locale')).toBe('DE');
  fireEvent.click(screen.getByRole('button', { name: 'Add' }));
  fireEvent.change(screen.getByLabelText('Name'), { target: { value: 'mine' } });
  fireEvent.change(screen.getByLabelText('Value'), { target: { value: '1' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(area().textContent).toContain('mine1');
  fireEvent.click(screen.getByRole('button', { name: 'Delete mine' }));
  fireEvent.keyDown(screen.getByRole('button', { name: 'Cancel' }), { key: 'Escape' });
  expect([localStorage.getItem('mine'), panel() !== null]).toEqual(['1', true]);
  fireEvent.click(screen.getByRole('button', { name: 'Delete mine' }));
  fireEvent.click(screen.getByRole('button', { name: 'Delete' }));
  expect(localStorage.getItem('mine')).toBeNull();
});

test('the terminal says what it can do when asked for help, and empties itself when asked to', async () => {
  journal.line('info', 'printed before');
  await openAt('Console');
  const type = (code: string) => {
    const line = screen.getByPlaceholderText(debug.placeholder);
    fireEvent.change(line, { target: { value: code } });
    fireEvent.keyDown(line, { key: 'Enter' });
  };
  type('help');
  const log = screen.getByRole('log');
  await within(log).findByText(debug.commands.title);
  const words = [...log.querySelectorAll('dl > div')].map((row) => [
    row.querySelector('dt')?.textContent,
    row.querySelector('dd')?.textContent,
  ]);
  expect(words).toContainEqual(['help', debug.commands.help]);
  expect(words).toContainEqual(['clear', debug.commands.clear]);
  expect(log.textContent).toContain(debug.warning);
  type('clear');
  await within(log).findByText(debug.noLines);
  expect(log.textContent).not.toContain('printed before');
});

test('a browser that stores nothing still has the panel: its views, its place and its terminal', async () => {
  const names = ['localStorage', 'sessionStorage'] as const;
  const before = names.map((name) => Object.getOwnPropertyDescriptor(globalThis, name) ?? {});
  const replace = (open: () => Storage) => {
    for (const name of names) Object.defineProperty(globalThis, name, { configurable: true, get: open });
  };
  const full = memoryStorage(0);
  replace(() => full);
  await openAt('Settings');
  fireEvent.click(screen.getByRole('radio', { name: 'Right' }));
  await waitFor(() => expect(document.documentElement.dataset.debug).toBe('right'));
  fireEvent.click(screen.getByRole('radio', { name: 'Bottom' }));
  fireEvent.click(tab('Console'));
  fireEvent.change(screen.getByRole('textbox'), { target: { value: '1 + 1' } });
  fireEvent.click(screen.getByRole('button', { name: 'Run' }));
  await waitFor(() => expect(screen.getByRole('log').textContent).toMatch(/1 \+ 1.*</s));
  // What was typed stays until it is cleared.
  fireEvent.click(screen.getByRole('button', { name: 'Clear' }));
  replace(() => {
    throw new DOMException('no', 'SecurityError');
  });
  fireEvent.click(tab('Storage'));
  expect(screen.getByText('Nothing is stored here.')).toBeTruthy();
  names.forEach((name, at) => Object.defineProperty(globalThis, name, before[at] ?? {}));
});

test('the panel shows what the page is, moves by keyboard and switch, records, and writes a report', async () => {
  let copied = '';
  Object.defineProperty(navigator, 'clipboard', {
    configurable: true,
    value: { writeText: async (text: string) => void (copied = text) },
  });
  journal.line('warn', 'ads skipped');
  await openAt('App');
  expect(screen.getByRole('group', { name: 'App' }).textContent).toContain('Version1.2.3');
  expect(screen.getByRole('group', { name: 'App' }).textContent).toContain('Routeauth.login');
  expect(screen.getByRole('group', { name: 'App' }).textContent).toContain('debug.rateLimit300');
  const edge = screen.getByRole('separator', { name: 'Resize the debug panel' });
  const before = Number(edge.getAttribute('aria-valuenow'));
  fireEvent.keyDown(edge, { key: 'ArrowUp' });
  expect(edge.getAttribute('aria-valuenow')).toBe(String(before + 5));
  expect(document.documentElement.style.getPropertyValue('--debug-size')).toBe(String(before + 5));
  fireEvent.click(tab('Settings'));
  fireEvent.click(screen.getByRole('radio', { name: 'Right' }));
  expect([document.documentElement.dataset.debug, edge.getAttribute('aria-orientation')]).toEqual([
    'right',
    'vertical',
  ]);
  await act(async () => {});
  expect(JSON.parse(localStorage.getItem('debug-panel') ?? '')).toEqual({ dock: 'right', size: before + 5 });
  fireEvent.click(screen.getByRole('button', { name: 'Copy report' }));
  await waitFor(() => expect(copied).toContain('# Debug panel'));
  for (const part of ['| Version | 1.2.3 |', '## Console', 'warn: ads skipped', 'No requests yet'])
    expect(copied).toContain(part);
  fireEvent.click(screen.getByRole('switch', { name: 'Console' }));
  await waitFor(() => expect(screen.getByRole<HTMLInputElement>('switch', { name: 'Console' }).checked).toBe(false));
  journal.line('log', 'unheard');
  expect(journal.lines().map(({ text }) => text)).toEqual(['ads skipped']);
  await act(async () => journal.record('lines', true));
});
