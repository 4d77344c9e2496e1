import { afterEach, beforeEach, expect, spyOn, test, type Mock } from 'bun:test';
import en from '#locales/en/errors.json';
import ro from '#locales/ro/errors.json';
import { DEFAULT_LOCALE, LOCALES, toLocale } from '#shared/i18n/locales.ts';
import { createTextStore } from './texts.ts';

let asked: string[] = [];
let logged: Mock<typeof console.info>;
const files: Record<string, () => Promise<Response> | Response> = {};
let network: Mock<typeof fetch>;

beforeEach(() => {
  asked = [];
  logged = spyOn(console, 'info').mockImplementation(() => undefined);
  const answer = async (input: string | URL | Request) => {
    const path = String(input);
    asked.push(path);
    const [, name = ''] = /locales\/(.+)\.json/.exec(path) ?? [];
    return files[name]?.() ?? new Response('not found', { status: 404 });
  };
  network = spyOn(globalThis, 'fetch').mockImplementation(Object.assign(answer, { preconnect: () => undefined }));
});
afterEach(() => {
  network.mockRestore();
  logged.mockRestore();
  for (const name of Object.keys(files)) delete files[name];
});

const say = (store: ReturnType<typeof createTextStore>, key: string) => store.translator().loose('errors')(key);

test('S9.2 the six languages are there, and English is the default and the fallback', () => {
  expect([...LOCALES].map((locale) => locale.toUpperCase()).sort()).toEqual(['DE', 'EN', 'ES', 'FR', 'MD', 'RO']);
  expect([DEFAULT_LOCALE, toLocale(null), toLocale('tlh'), toLocale('MD')]).toEqual(['en', 'en', 'en', 'md']);
});

/** A store whose page came with English, or another language. */
async function openStore(locale: 'en' | 'ro' = 'en', errors: object = locale === 'en' ? en : ro) {
  files[`${locale}/common`] = () => Response.json({ errors });
  const store = createTextStore(locale, 'b1');
  await store.open(['common']);
  asked = [];
  return store;
}

test('S7.6 a page loads no language but its own until another is asked for, and each file once', async () => {
  files['ro/common'] = () => Response.json({ errors: ro });
  const store = await openStore();
  await store.load(['errors']);
  await store.loadFallback();
  expect(asked).toEqual([]);
  await store.change('ro');
  expect([asked, store.translator().locale, say(store, 'dialog.denied.title')]).toEqual([
    ['/assets/locales/ro/common.json?v=b1'],
    'ro',
    ro.dialog.denied.title,
  ]);
  await store.change('en');
  await store.change('ro');
  expect(asked).toHaveLength(1);
});

test('S7.6 a caller who asks for a file that is on its way waits for that one', async () => {
  files['en/common'] = () => Response.json({ errors: en });
  const store = createTextStore('en', 'b1');
  await Promise.all([store.open(['common']), store.load(['errors']), store.load(['errors'])]);
  expect([asked.length, say(store, 'NOT_FOUND')]).toEqual([1, en.NOT_FOUND]);
});

test('texts that are not there are looked for file by file, and no file is loaded twice', async () => {
  files['en/player'] = () => Response.json({ dashboard: {} });
  files['en/staff'] = () => Response.json({ machine: {} });
  const store = await openStore();
  await store.load(['errors', 'dashboard']);
  expect(asked).toEqual(['/assets/locales/en/player.json?v=b1']);
  await store.load(['dashboard', 'machine']);
  await store.load(['machine']);
  expect(asked.slice(1)).toEqual(['/assets/locales/en/staff.json?v=b1']);
});

test('the pages of a layout bring its files, each once, and without one that is away they show all the same', async () => {
  files['en/player'] = () => Response.json({ dashboard: {} });
  const store = await openStore();
  await store.loadOf('auth');
  await store.loadOf('app');
  await store.loadOf('plain');
  expect(asked).toEqual(['/assets/locales/en/player.json?v=b1']);
  await store.loadOf('admin');
  expect(logged).toHaveBeenCalledWith('locale not loaded', 'en', 'staff', expect.anything());
  files['en/staff'] = () => Response.json({ machine: {} });
  await store.loadOf('admin');
  expect(asked.slice(1)).toEqual(['/assets/locales/en/staff.json?v=b1', '/assets/locales/en/staff.json?v=b1']);
});

test('a page does not start without the texts that it names', async () => {
  files['en/common'] = () => Response.json({ errors: en });
  const store = createTextStore('en', 'b1');
  const refusal = await store.open(['common', 'player']).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(Error);
  expect(logged).toHaveBeenCalledWith('locale not loaded', 'en', 'player', expect.anything());
});

test('the last one of two languages that are chosen one after the other stays, whichever comes first', async () => {
  const late = Promise.withResolvers<Response>();
  files['ro/common'] = () => late.promise;
  files['fr/common'] = () => Response.json({ errors: en });
  const store = await openStore();
  const first = store.change('ro');
  await store.change('fr');
  late.resolve(Response.json({ errors: ro }));
  await first;
  expect(store.translator().locale).toBe('fr');
});

test('S7.6 S9.2 a page in another language gets English behind it', async () => {
  files['en/common'] = () => Response.json({ errors: en });
  const { dialog: _, ...without } = ro;
  const store = await openStore('ro', without);
  await store.loadFallback();
  expect([asked, say(store, 'NOT_FOUND'), say(store, 'dialog.denied.title')]).toEqual([
    ['/assets/locales/en/common.json?v=b1'],
    ro.NOT_FOUND,
    en.dialog.denied.title,
  ]);
});

test.each([
  ['is not there', () => new Response('not found', { status: 404 })],
  ['is no JSON', () => new Response('<html>')],
  ['cannot be reached', () => Promise.reject(new TypeError('no line'))],
])('S8.8 a language that %s is logged, and the application goes on in the language it has', async (_, answer) => {
  files['fr/common'] = answer;
  const store = await openStore();
  await store.change('fr');
  expect(logged).toHaveBeenCalledWith('locale not loaded', 'fr', 'common', expect.anything());
  expect(say(store, 'dialog.denied.title')).toBe(en.dialog.denied.title);
  await store.change('fr');
  expect(asked).toHaveLength(2);
});
