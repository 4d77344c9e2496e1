import { afterEach, beforeEach, describe, expect, jest, spyOn, test } from 'bun:test';
import { UI_DEFAULTS } from '#shared/ui-settings.ts';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/dashboard');
const { createUiSettingsStore, REFRESH_DELAY_MS } = await import('./ui-settings-store.ts');

// The first one begins to watch local storage, before anybody uses it.
createUiSettingsStore().get();
const root = () => document.documentElement;
beforeEach(() => {
  jest.useFakeTimers();
  localStorage.clear();
  document.cookie = 'ui=; Path=/; Max-Age=0';
});
afterEach(() => jest.useRealTimers());

function open() {
  const store = createUiSettingsStore();
  let notified = 0;
  store.subscribe(() => (notified += 1));
  return { store, notified: () => notified };
}
const otherTab = (key: string | null) => window.dispatchEvent(new StorageEvent('storage', { key }));

describe('where they lie', () => {
  test('S3.6 the settings are stored under ui-settings, in six groups', () => {
    const { store } = open();
    store.update({ performance: { zoom: 1.2 } });
    const stored = JSON.parse(localStorage.getItem('ui-settings') ?? '') as Record<string, unknown>;
    expect(Object.keys(stored)).toEqual(['skin', 'dropdown', 'sidebar', 'topNav', 'notifications', 'performance']);
    expect(stored['performance']).toMatchObject({ zoom: 1.2 });
  });
  test('S3.7 the page transition is stored under preferredTransition', () => {
    const { store } = open();
    store.setTransition('flip');
    expect(localStorage.getItem('preferredTransition')).toBe('flip');
    jest.advanceTimersByTime(REFRESH_DELAY_MS);
    expect(store.transition()).toBe('flip');
    expect(root().getAttribute('data-transition')).toBe('flip');
  });
  test('S4.11 the transition is fade without a stored one, and with one that is unknown', () => {
    expect(open().store.transition()).toBe('fade');
    localStorage.setItem('preferredTransition', 'explode');
    expect(open().store.transition()).toBe('fade');
  });
  test('S4.6 an emptied local storage is restored from the settings cookie with the next page', () => {
    document.cookie = 'ui=transition:flip&performance.zoom:1.2; Path=/';
    const { store } = open();
    expect([store.transition(), store.get().performance.zoom, localStorage.getItem('preferredTransition')]).toEqual([
      'flip',
      1.2,
      'flip',
    ]);
  });
  test('what local storage has counts more than the copy', () => {
    localStorage.setItem('preferredTransition', 'scale');
    document.cookie = 'ui=transition:flip&performance.zoom:1.2; Path=/';
    const { store } = open();
    expect([store.transition(), store.get().performance.zoom]).toEqual(['scale', 1]);
  });
  test('invalid settings are repaired, and unreadable ones count as absent', () => {
    localStorage.setItem('ui-settings', '{"performance":{"zoom":99}}');
    expect(open().store.get().performance).toMatchObject({ zoom: 1.5, caching: true });
    localStorage.setItem('ui-settings', '{broken');
    expect(open().store.get()).toEqual(UI_DEFAULTS);
  });
});

describe('changes', () => {
  test('S9.3 a local write is read back after 10 ms, not before', () => {
    const { store, notified } = open();
    store.update({ performance: { zoom: 1.3 } });
    jest.advanceTimersByTime(9);
    expect([
      store.get().performance.zoom,
      document.documentElement.style.getPropertyValue('--zoom'),
      store.written().settings.performance.zoom,
    ]).toEqual([1, '', 1.3]);
    const before = notified();
    jest.advanceTimersByTime(1);
    expect([
      store.get().performance.zoom,
      document.documentElement.style.getPropertyValue('--zoom'),
      notified() - before,
    ]).toEqual([1.3, '1.3', 1]);
  });
  test('S3.9 another tab’s change refreshes at once', () => {
    const { store, notified } = open();
    const heard = notified();
    localStorage.setItem('ui-settings', JSON.stringify({ dropdown: { animation: 'bounce' } }));
    otherTab('ui-settings');
    expect({ animation: store.get().dropdown.animation, notified: notified() }).toEqual({
      animation: 'bounce',
      notified: heard + 1,
    });
    otherTab('something else');
    expect(notified()).toBe(heard + 1);
  });
  test('S3.9 a write by anybody in this tab refreshes too: set, removed, all cleared', () => {
    const { store } = open();
    localStorage.setItem('ui-settings', JSON.stringify({ performance: { zoom: 0.7 } }));
    jest.advanceTimersByTime(REFRESH_DELAY_MS);
    expect(store.get().performance.zoom).toBe(0.7);
    localStorage.removeItem('ui-settings');
    jest.advanceTimersByTime(REFRESH_DELAY_MS);
    expect(store.get().performance.zoom).toBe(1);
    store.setTransition('rotate');
    jest.advanceTimersByTime(REFRESH_DELAY_MS);
    localStorage.clear();
    jest.advanceTimersByTime(REFRESH_DELAY_MS);
    expect(store.transition()).toBe('fade');
  });
  test('two changes within the delay both stay', () => {
    const { store } = open();
    store.update({ performance: { zoom: 1.1 } });
    store.update({ performance: { caching: false }, sidebar: { radius: 'none' } });
    jest.advanceTimersByTime(REFRESH_DELAY_MS);
    expect(store.get()).toMatchObject({
      performance: { zoom: 1.1, caching: false },
      sidebar: { radius: 'none', opacity: 0.95 },
    });
  });
  test('replacing makes valid, and reset brings the defaults back', () => {
    const { store } = open();
    store.replace({ performance: { zoom: 4 } }, 'scale');
    jest.advanceTimersByTime(REFRESH_DELAY_MS);
    expect([store.get().performance.zoom, store.transition()]).toEqual([1.5, 'scale']);
    store.reset();
    jest.advanceTimersByTime(REFRESH_DELAY_MS);
    expect([store.get(), store.transition()]).toEqual([UI_DEFAULTS, 'fade']);
  });
  test('a browser without storage keeps them for as long as the page lives', () => {
    const { store } = open();
    const full = spyOn(localStorage, 'setItem').mockImplementation(() => {
      throw new Error('full');
    });
    store.update({ performance: { zoom: 0.9 } });
    full.mockRestore();
    jest.advanceTimersByTime(REFRESH_DELAY_MS);
    expect(store.get().performance.zoom).toBe(0.9);
  });
});

describe('the page', () => {
  test('the page follows the settings: properties, attributes, and the cookie for the server', () => {
    const { store } = open();
    store.update({ performance: { zoom: 1.2, reduceMotion: true }, dropdown: { opacity: 0.5 } });
    jest.advanceTimersByTime(REFRESH_DELAY_MS);
    expect(root().style.getPropertyValue('--zoom')).toBe('1.2');
    expect(root().style.getPropertyValue('--dropdown-opacity')).toBe('0.5');
    expect(root().getAttribute('data-motion')).toBe('reduce');
    expect(document.cookie).toContain('ui=dropdown.opacity:0.5&performance.zoom:1.2&performance.reduceMotion:true');
    store.reset();
    jest.advanceTimersByTime(REFRESH_DELAY_MS);
    expect(root().style.getPropertyValue('--zoom')).toBe('');
    expect(root().hasAttribute('data-motion')).toBe(false);
    expect(document.cookie).not.toContain('ui=dropdown');
  });
  test('the page takes over from the server’s style', () => {
    document.head.innerHTML = '<style id="sp-ui">:root{--zoom:1.4}</style>';
    open();
    expect(document.getElementById('sp-ui')).toBeNull();
  });
});
