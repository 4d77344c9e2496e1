import { afterAll, afterEach, beforeAll } from 'bun:test';
import { GlobalRegistrator } from '@happy-dom/global-registrator';
import type { DetachedWindowAPI } from 'happy-dom';
// Looks once whether there is a window. It must find none: files that render on the server share this process.
import 'react-router';
import { renderToPipeableStream } from 'react-dom/server';
import { unstable_IdlePriority as IdlePriority, unstable_scheduleCallback as scheduleCallback } from 'scheduler';

/** What the document puts into the global object, and what stood there before it. */
interface Globals {
  readonly own: PropertyDescriptorMap;
  readonly former: PropertyDescriptorMap;
}
/**
 * The one document of this process. Test files of a run without isolation share modules, and those keep the document
 * that they found first; so it is put away between files, not replaced.
 */
let shared: Globals | undefined;

/**
 * Gives the test file an empty document at `url` (about:blank unless told). Await it before the dynamic imports that
 * need one. After the last test the document goes away again, but only once React has nothing scheduled: its tasks
 * would not find the window they were made for.
 */
export async function installDom(url = 'about:blank'): Promise<void> {
  // Before the document is there: the renderer's timer shall not be one of the document's.
  await emptyContexts();
  if (shared) await attach(shared.own, url);
  else shared = createDocument(url);
  const { own, former } = shared;
  // What the testing library does by itself in the first file of a process only; and the messages and questions of the
  // page, which would stand on the pages of the next test.
  const { cleanup, configure } = await import('@testing-library/react');
  // The machines of tests may be busy: what is awaited comes, but not always within a second.
  configure({ asyncUtilTimeout: 30_000 });
  const { dialogs } = await import('#client/ui/dialogs.ts');
  const { toasts } = await import('#client/ui/toasts.ts');
  // This DOM binds the methods of local storage at their first use: what watches them has to come before.
  (await import('#client/lib/ui-settings-store.ts')).uiSettings.start();
  // Clocks of pages tick by themselves, also where a test is slow and waits for nothing just then: React is not to warn
  // of changes outside of act. What the testing library does itself stands in act all the same.
  beforeAll(() => void Reflect.set(globalThis, 'IS_REACT_ACT_ENVIRONMENT', false));
  afterEach(() => {
    cleanup();
    for (const { id } of toasts.current()) toasts.dismiss(id);
    for (let open = dialogs.current(); open; open = dialogs.current()) open.end({ by: 'cancel' });
  });
  afterAll(async () => {
    await reactIdle();
    await happyDom().abort();
    Reflect.deleteProperty(globalThis, 'IS_REACT_ACT_ENVIRONMENT');
    for (const key of Reflect.ownKeys(own)) Reflect.deleteProperty(globalThis, key);
    Object.defineProperties(globalThis, former);
  });
}

/** Waits until React has nothing scheduled: its work comes before idle work, whatever its own urgency. */
export function reactIdle(): Promise<void> {
  return new Promise((resolve) => void scheduleCallback(IdlePriority, () => resolve()));
}

/**
 * Takes the values of the page that the server rendered last out of React's contexts. Its renderer puts them back only
 * when it next begins something, where no browser's renderer would ever meet them but in a process of tests
 * (tests/ssr/contexts.test.ts shows that no page does).
 */
export function emptyContexts(): Promise<void> {
  return new Promise((resolve) => void renderToPipeableStream(null, { onAllReady: resolve }));
}

function createDocument(url: string): Globals {
  const before = Object.getOwnPropertyDescriptors(globalThis);
  GlobalRegistrator.register({ url });
  // This DOM does not know it yet; React sets it on the option that is chosen at first.
  if (!('defaultSelected' in HTMLOptionElement.prototype))
    Object.defineProperty(HTMLOptionElement.prototype, 'defaultSelected', {
      value: false,
      writable: true,
      configurable: true,
    });
  const after: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(globalThis);
  const keys = Reflect.ownKeys(after).filter((key) => !isSame(descriptor(before, key), descriptor(after, key)));
  return { own: pick(after, keys), former: pick(before, keys) };
}

/** Puts the document back, emptied, at another address. */
async function attach(own: PropertyDescriptorMap, url: string): Promise<void> {
  const { uiSettings } = await import('#client/lib/ui-settings-store.ts');
  Object.defineProperties(globalThis, own);
  // The page follows local storage a moment after it was emptied: no test shall begin before that.
  const followed = new Promise<void>((resolve) => {
    const stop = uiSettings.subscribe(() => {
      stop();
      resolve();
    });
  });
  happyDom().setURL(url);
  for (const element of [document.head, document.body, document.documentElement]) {
    if (element !== document.documentElement) element.replaceChildren();
    for (const { name } of Array.from(element.attributes)) element.removeAttribute(name);
  }
  for (const cookie of document.cookie.split('; ')) document.cookie = `${cookie.split('=')[0]}=; Path=/; Max-Age=0`;
  localStorage.clear();
  sessionStorage.clear();
  await followed;
}

/** The control of the document that the library puts into the global object. */
const happyDom = (): DetachedWindowAPI => Reflect.get(globalThis, 'happyDOM') as DetachedWindowAPI;

const descriptor = (map: PropertyDescriptorMap, key: string | symbol): PropertyDescriptor | undefined =>
  Reflect.getOwnPropertyDescriptor(map, key)?.value as PropertyDescriptor | undefined;

const isSame = (a: PropertyDescriptor | undefined, b: PropertyDescriptor | undefined): boolean =>
  a?.value === b?.value && a?.get === b?.get && a?.set === b?.set && a !== undefined;

function pick(map: PropertyDescriptorMap, keys: readonly (string | symbol)[]): PropertyDescriptorMap {
  const entries = keys.flatMap((key) => {
    const found = descriptor(map, key);
    return found ? [[key, found] as const] : [];
  });
  return Object.fromEntries(entries);
}
