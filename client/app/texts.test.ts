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

test('S7.6 a page loads no language but its own until another is asked for, and each file once', async () => {
  files['ro/errors'] = () => Response.json(ro);
  const store = createTextStore('en', { errors: en }, 'b1');
  await store.load(['errors']);
  await store.loadFallback();
  expect(asked).toEqual([]);
  await store.change('ro');
  expect([asked, store.translator().locale, say(store, 'dialog.denied.title')]).toEqual([
    ['/assets/locales/ro/errors.json?v=b1'],
    'ro',
    ro.dialog.denied.title,
  ]);
  await store.change('en');
  await store.change('ro');
  expect(asked).toHaveLength(1);
});

test('S7.6 a caller who asks for a file that is on its way waits for that one', async () => {
  files['en/errors'] = () => Response.json(en);
  const store = createTextStore('en', {}, 'b1');
  await Promise.all([store.load(['errors']), store.load(['errors']), store.load(['errors'])]);
  expect([asked.length, say(store, 'NOT_FOUND')]).toEqual([1, en.NOT_FOUND]);
});

test('the last one of two languages that are chosen one after the other stays, whichever comes first', async () => {
  const late = Promise.withResolvers<Response>();
  files['ro/errors'] = () => late.promise;
  files['fr/errors'] = () => Response.json(en);
  const store = createTextStore('en', { errors: en }, 'b1');
  const first = store.change('ro');
  await store.change('fr');
  late.resolve(Response.json(ro));
  await first;
  expect(store.translator().locale).toBe('fr');
});

test('S7.6 S9.2 a page in another language gets English behind it', async () => {
  files['en/errors'] = () => Response.json(en);
  const { dialog: _, ...without } = ro;
  const store = createTextStore('ro', { errors: without }, 'b1');
  await store.loadFallback();
  expect([asked, say(store, 'NOT_FOUND'), say(store, 'dialog.denied.title')]).toEqual([
    ['/assets/locales/en/errors.json?v=b1'],
    ro.NOT_FOUND,
    en.dialog.denied.title,
  ]);
});

test.each([
  ['is not there', () => new Response('not found', { status: 404 })],
  ['is no JSON', () => new Response('<html>')],
  ['cannot be reached', () => Promise.reject(new TypeError('no line'))],
])('S8.8 a language that %s is logged, and the application goes on in the language it has', async (_, answer) => {
  files['fr/errors'] = answer;
  const store = createTextStore('en', { errors: en }, 'b1');
  await store.change('fr');
  expect(logged).toHaveBeenCalledWith('locale not loaded', 'fr', 'errors', expect.anything());
  expect(say(store, 'dialog.denied.title')).toBe(en.dialog.denied.title);
  await store.change('fr');
  expect(asked).toHaveLength(2);
});
