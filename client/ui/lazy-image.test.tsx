import { afterEach, beforeEach, expect, spyOn, test, type Mock } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/dashboard');
const { act, cleanup, render, screen, waitFor } = await import('@testing-library/react');
const { renderToString } = await import('react-dom/server');
const { LazyImage } = await import('./lazy-image.tsx');
const { imageUrl } = await import('#client/lib/lazy-url.ts');
const { uiSettings } = await import('#client/lib/ui-settings-store.ts');

/** The observers of the page, and a way to say that what they look at has come near. */
let observers: { options: IntersectionObserverInit | undefined; near(): void }[] = [];
class FakeObserver {
  constructor(
    tell: (entries: { isIntersecting: boolean }[], observer: FakeObserver) => void,
    options?: IntersectionObserverInit,
  ) {
    observers.push({ options, near: () => tell([{ isIntersecting: true }], this) });
  }
  observe(): void {}
  disconnect(): void {}
}
let warn: Mock<typeof console.warn>;
beforeEach(() => {
  observers = [];
  Object.assign(globalThis, { IntersectionObserver: FakeObserver });
  warn = spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(() => {
  cleanup();
  warn.mockRestore();
});

const picture = (src: string, widths?: number[]) => (
  <LazyImage src={src} alt="A tower" width={320} height={180} {...(widths ? { widths } : {})} />
);
const shown = () => screen.getByAltText<HTMLImageElement>('A tower');
async function set(performance: Parameters<typeof uiSettings.update>[0]['performance'] & object) {
  uiSettings.update({ performance });
  await waitFor(() => expect(uiSettings.get().performance).toMatchObject(performance));
}

test('S9.9 a picture is asked for 50px before it shows, or with a tenth of it in view', () => {
  render(picture('/images/tower.png'));
  expect(observers.map(({ options }) => options)).toEqual([{ rootMargin: '50px', threshold: 0.1 }]);
  expect(shown().getAttribute('src')).toBeNull();
  act(() => observers[0]?.near());
  expect(shown().getAttribute('src')).toBe('https://panel.example/images/tower.png');
});

test('S5.11 an address that does not parse is dropped with a warning', () => {
  render(picture('https://'));
  act(() => observers[0]?.near());
  expect(shown().getAttribute('src')).toBeNull();
  expect(warn).toHaveBeenCalledWith(expect.stringContaining('dropped'), 'https://');
});

test.each([
  ['http://[::1'],
  [''],
  ['   '],
  ['https://exa mple/x.png'],
  ['javascript:alert(1)'],
  ['data:text/html,<script>'],
  ['file:///etc/passwd'],
])('S5.11 %s is no picture', (source) => {
  expect(imageUrl(source, 'https://panel.example/')).toBeNull();
  expect(warn).toHaveBeenCalledTimes(1);
});
test.each([
  ['https://example.com/a.png'],
  ['/a.png'],
  ['a.png'],
  ['data:image/png;base64,AAAA'],
  ['blob:https://panel.example/1'],
])('%s is one', (source) => {
  expect(imageUrl(source, 'https://panel.example/')).not.toBeNull();
  expect(warn).not.toHaveBeenCalled();
});

test('with lazy loading off it is loaded at once', async () => {
  await set({ lazyLoading: false });
  render(picture('/a.png'));
  expect(shown().getAttribute('src')).toBe('https://panel.example/a.png');
  expect(observers).toHaveLength(0);
  await set({ lazyLoading: true });
  expect(shown().getAttribute('src'), 'what is there stays').toBe('https://panel.example/a.png');
});

test('with optimisation on the browser may take a smaller one, with it off it takes the whole', async () => {
  render(picture('/a.png', [160, 320]));
  act(() => observers[0]?.near());
  expect(shown().getAttribute('srcset')).toBe(
    'https://panel.example/a.png?w=160 160w, https://panel.example/a.png?w=320 320w',
  );
  expect(shown().getAttribute('decoding')).toBe('async');
  await set({ imageOptimization: false });
  await waitFor(() => expect(shown().getAttribute('srcset')).toBeNull());
  await set({ imageOptimization: true });
});

test('the server draws the place of the picture and no address', () => {
  expect(renderToString(picture('/a.png'))).not.toContain('a.png');
});
