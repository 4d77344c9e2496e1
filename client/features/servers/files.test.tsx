import { afterEach, expect, test } from 'bun:test';
import errors from '#locales/en/errors.json';
import live from '#locales/en/live.json';
import { ID, server } from './testing.ts';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/server/1');
const { cleanup, fireEvent, screen, waitFor, within } = await import('@testing-library/react');
const { refuse, showScreen } = await import('#tests/support/screens.tsx');
const { ServerFiles } = await import('./files.tsx');
// This DOM has no popovers: what is chosen from one is chosen all the same.
HTMLElement.prototype.hidePopover = () => undefined;
afterEach(cleanup);

const AT = `/api/servers/${ID(1)}`;
const file = (name: string, kind = 'file') => ({
  name,
  kind,
  target: null,
  size: 2048,
  modified_at: '2026-11-21T18:29:50.000Z',
  foreign: false,
});
const FOLDER = {
  entries: [file('plugins', 'folder'), file('config.yml')],
  total: 2,
  used: 1_048_576,
  limit: 5_242_880,
  work: null,
};

/** Shows the files; what the API answers is asked of `answer`, with the method, the path and the query. */
async function show(answer: (method: string, path: string, query: URLSearchParams) => object | null) {
  const asked: string[] = [];
  const answers = new Proxy(
    {},
    {
      get: (_, name) => {
        const [method = '', path = ''] = String(name).split(' ');
        return ({ path: url }: { path: string }) => {
          const query = new URLSearchParams(url.split('?')[1] ?? '');
          asked.push(`${method} ${path.replace(AT, '').replace(/[0-9a-f-]{36}$/, 'UPLOAD')} ${query}`.trim());
          return answer(method, path.replace(AT, ''), query) ?? FOLDER;
        };
      },
    },
  );
  showScreen({ default: () => <ServerFiles server={server()} /> }, { url: '/server/1', inBrowser: true, answers });
  await screen.findByText('config.yml');
  return asked;
}
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));
const choose = (...files: File[]) =>
  fireEvent.change(screen.getByLabelText(live.files.upload, { selector: 'input' }), { target: { files } });

test('a text that changed meanwhile is saved over only where that is asked for, with its line ends', async () => {
  const versions = ['1.1.1', '3.3.3'];
  const saved: object[] = [refuse('FILE_CHANGED'), { version: '4.4.4' }];
  const asked = await show((method, path) => {
    if (path !== '/files/text') return null;
    return method === 'GET' ? { text: 'a\r\nb', version: versions.shift() } : (saved.shift() ?? {});
  });
  press('config.yml');
  const field = await screen.findByLabelText<HTMLTextAreaElement>('Text of config.yml');
  expect(field.value).toBe('a\nb');
  fireEvent.change(field, { target: { value: 'a\nc' } });
  fireEvent.keyDown(field, { key: 's', ctrlKey: true });
  expect(await screen.findByText(live.files.changed)).toBeTruthy();
  expect(field.value).toBe('a\nc');
  press(live.files.overwrite);
  expect(await screen.findByText(live.files.saved)).toBeTruthy();
  expect(asked.filter((each) => each.includes('/files/text'))).toEqual([
    'GET /files/text path=config.yml',
    'PUT /files/text path=config.yml&version=1.1.1',
    'GET /files/text path=config.yml',
    'PUT /files/text path=config.yml&version=3.3.3',
  ]);
});

test('leaving a text that is not saved asks first, and reloading it gives up what was changed', async () => {
  const saved: object[] = [refuse('FILE_CHANGED')];
  await show((method, path) => {
    if (path !== '/files/text') return null;
    return method === 'GET' ? { text: 'theirs', version: '1.1.1' } : (saved.shift() ?? {});
  });
  press('config.yml');
  const field = await screen.findByLabelText<HTMLTextAreaElement>('Text of config.yml');
  fireEvent.change(field, { target: { value: 'mine' } });
  press(live.files.back);
  fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: live.files.keep }));
  press(live.files.save);
  await screen.findByText(live.files.changed);
  press(live.files.reload);
  await waitFor(() => expect(field.value).toBe('theirs'));
  press(live.files.back);
  expect(await screen.findByText('config.yml')).toBeTruthy();
});

test('a file that is no text says so, and the way back stands beside it', async () => {
  await show((_, path) => (path === '/files/text' ? refuse('FILE_NOT_TEXT') : null));
  press('config.yml');
  expect(await screen.findByText(errors.FILE_NOT_TEXT)).toBeTruthy();
  expect(screen.queryByRole('button', { name: live.files.save })).toBeNull();
  press(live.files.back);
  expect(await screen.findByText('config.yml')).toBeTruthy();
});

test('an upload replaces a file only where that is confirmed', async () => {
  const asked = await show((method, path, query) => {
    if (method !== 'PUT') return null;
    return query.get('replace') === 'true' ? { received: 3, done: true } : refuse('FILE_EXISTS');
  });
  choose(new File(['abc'], 'config.yml'));
  const ask = await screen.findByRole('alertdialog', { name: 'Replace config.yml?' });
  fireEvent.click(within(ask).getByRole('button', { name: live.files.replace }));
  await waitFor(() =>
    expect(asked.filter((each) => each.startsWith('PUT'))).toEqual([
      'PUT /file-uploads/UPLOAD path=config.yml&at=0&size=3&replace=false',
      'PUT /file-uploads/UPLOAD path=config.yml&at=0&size=3&replace=true',
    ]),
  );
});

test('an upload that broke off goes on behind what has arrived', async () => {
  let isFull = true;
  const asked = await show((method, path) => {
    if (!path.startsWith('/file-uploads/')) return null;
    if (method === 'GET') return { received: 2 };
    return isFull ? refuse('FILES_FULL') : { received: 3, done: true };
  });
  choose(new File(['abc'], 'world.zip'));
  expect(await screen.findByText(errors.FILES_FULL)).toBeTruthy();
  isFull = false;
  press(live.files.goOn);
  await waitFor(() => expect(screen.queryByText(errors.FILES_FULL)).toBeNull());
  await waitFor(() =>
    expect(asked.filter((each) => each.includes('file-uploads'))).toEqual([
      'PUT /file-uploads/UPLOAD path=world.zip&at=0&size=3&replace=false',
      'GET /file-uploads/UPLOAD',
      'PUT /file-uploads/UPLOAD path=world.zip&at=2&size=3&replace=false',
    ]),
  );
});

test('a name that passes for another one is refused before anything is sent', async () => {
  const asked = await show(() => null);
  choose(new File(['x'], 'a\u202Egpj.exe'));
  expect(await screen.findByText(live.files.badName)).toBeTruthy();
  expect(asked.some((each) => each.startsWith('PUT'))).toBe(false);
});

test('a folder that cannot be read says why', async () => {
  let isAway = false;
  await show(() => (isAway ? refuse('PANEL_UNREACHABLE') : null));
  isAway = true;
  press('plugins');
  expect(await screen.findByText(errors.PANEL_UNREACHABLE)).toBeTruthy();
});

test('a folder is packed and an archive unpacked under a name that is asked for, and followed to its end', async () => {
  const works = [
    null,
    { call: 'pack', to: 'plugins.zip', state: 'running', error: null },
    { call: 'pack', to: 'plugins.zip', state: 'done', error: null },
    { call: 'unpack', to: 'plugins', state: 'failed', error: 'ARCHIVE_UNREADABLE' },
  ];
  const entries = [...FOLDER.entries, file('plugins.zip')];
  const asked = await show((method, path) => {
    if (method !== 'GET' || path !== '/files') return {};
    return { ...FOLDER, entries, work: (works.length > 1 ? works.shift() : works[0]) ?? null };
  });
  const choose = async (name: string, at: number) => {
    const items = await screen.findAllByRole('menuitem', { name, hidden: true });
    fireEvent.click(items[at] as HTMLElement);
    const dialog = await screen.findByRole('dialog');
    fireEvent.click(within(dialog).getByRole('button', { name: 'OK' }));
    await waitFor(() => expect(dialog.isConnected).toBe(false));
  };
  await choose(live.files.pack, 0);
  expect(await screen.findByText('Packing plugins.zip…')).toBeTruthy();
  expect(await screen.findByText('plugins.zip is packed.')).toBeTruthy();
  await choose(live.files.unpack, 0);
  expect(await screen.findByText(`plugins: ${errors.ARCHIVE_UNREADABLE}`)).toBeTruthy();
  expect(asked.filter((call) => call.startsWith('POST'))).toEqual(['POST /files/pack', 'POST /files/unpack']);
});
