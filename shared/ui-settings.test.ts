import { describe, expect, test } from 'bun:test';
import {
  snapToField,
  PAGE_TRANSITIONS,
  parseUiSettings,
  PART_ANIMATIONS,
  readUiCookie,
  toTransition,
  UI_DEFAULTS,
  UI_FIELDS,
  uiAttributes,
  uiProperties,
  uiStyle,
  writeUiCookie,
  type NumberField,
  type UiField,
} from './ui-settings.ts';

const PARTS = ['dropdown', 'sidebar', 'topNav', 'notifications'] as const;
const fields = Object.entries<Readonly<Record<string, UiField>>>(UI_FIELDS).flatMap(([group, each]) =>
  Object.entries(each).map(([name, field]) => ({ group, name, field })),
);
const numbers = fields.flatMap(({ group, name, field }) =>
  typeof field === 'object' && 'min' in field ? [[`${group}.${name}`, field] as const] : [],
);

describe('the table', () => {
  test('S3.6 the table has the six groups', () => {
    expect(Object.keys(UI_FIELDS)).toEqual(['skin', 'dropdown', 'sidebar', 'topNav', 'notifications', 'performance']);
  });
  test('S4.11 page transitions are eight, with fade by default', () => {
    expect([...PAGE_TRANSITIONS]).toEqual([
      'fade',
      'slide-right',
      'slide-left',
      'slide-up',
      'slide-down',
      'scale',
      'flip',
      'rotate',
    ]);
    for (const each of PAGE_TRANSITIONS) expect(toTransition(each)).toBe(each);
    for (const wrong of [null, undefined, '', 'FADE', 'spin', 3, {}, ['flip']])
      expect(toTransition(wrong)).toBe('fade');
  });
  test('S4.12 component animations are fade, slide, scale and bounce', () => {
    expect([...PART_ANIMATIONS]).toEqual(['fade', 'slide', 'scale', 'bounce']);
    for (const part of PARTS) expect(UI_FIELDS[part].animation.of).toEqual(PART_ANIMATIONS);
  });
  test('S5.7 background opacity goes from 0.1 to 1.0 in steps of 0.05', () => {
    for (const part of PARTS) expect(UI_FIELDS[part].opacity).toMatchObject({ min: 0.1, max: 1, step: 0.05 });
    expect(parseUiSettings({ dropdown: { opacity: 0 } }).dropdown.opacity).toBe(0.1);
    expect(parseUiSettings({ dropdown: { opacity: 0.62 } }).dropdown.opacity).toBe(0.6);
    expect(parseUiSettings({ dropdown: { opacity: 7 } }).dropdown.opacity).toBe(1);
  });
  test('S5.8 zoom goes from 0.5 to 1.5 in steps of 0.1', () => {
    expect(UI_FIELDS.performance.zoom).toMatchObject({ min: 0.5, max: 1.5, step: 0.1 });
    expect(UI_FIELDS.skin.zoom).toMatchObject({ min: 0.5, max: 1.5, step: 0.1 });
    expect([0.1, 0.74, 1.26, 9].map((zoom) => parseUiSettings({ performance: { zoom } }).performance.zoom)).toEqual([
      0.5, 0.7, 1.3, 1.5,
    ]);
  });
  test('S5.9 transition speed goes from 0.5 to 5.0 in steps of 0.1', () => {
    expect(
      [0, 0.5, 3.33, 5, 50].map(
        (transitionSpeed) => parseUiSettings({ performance: { transitionSpeed } }).performance.transitionSpeed,
      ),
    ).toEqual([0.5, 0.5, 3.3, 5, 5]);
    expect(UI_FIELDS.performance.transitionSpeed.step).toBe(0.1);
  });
  test('S5.10 the frame rate limit goes from 30 to 144 in steps of 15, and 144 itself', () => {
    const of = (frameRateLimit: unknown) =>
      parseUiSettings({ performance: { frameRateLimit } }).performance.frameRateLimit;
    expect([1, 30, 37, 38, 61, 135, 139, 140, 144, 1000].map(of)).toEqual([
      30, 30, 30, 45, 60, 135, 135, 144, 144, 144,
    ]);
  });
  test('S9.6 performance has the defaults of the specification', () => {
    expect(UI_DEFAULTS.performance).toEqual({
      zoom: 1,
      transitionSpeed: 4.5,
      frameRateLimit: 75,
      caching: true,
      assetCompression: true,
      lazyLoading: true,
      imageOptimization: true,
      preloading: true,
      reduceMotion: false,
    });
  });
  test('S9.7 background opacity is 0.95 and border radius xl by default', () => {
    for (const part of PARTS) expect(UI_DEFAULTS[part]).toMatchObject({ opacity: 0.95, radius: 'xl' });
  });
  test('the skin viewer has the defaults of section 9', () => {
    expect(UI_DEFAULTS.skin).toEqual({
      walking: true,
      autoRotate: false,
      zoom: 0.8,
      animationSpeed: 1,
      cameraLight: 3,
      globalLight: 2.9,
    });
  });
  test.each(numbers)(
    'every value of %s is its own nearest, least and greatest are reachable',
    (_, field: NumberField) => {
      for (let value = field.min; value <= field.max + 1e-9; value += field.step / 10) {
        const fitted = snapToField(value, field);
        expect(fitted).toBeGreaterThanOrEqual(field.min);
        expect(fitted).toBeLessThanOrEqual(field.max);
        expect(snapToField(fitted, field)).toBe(fitted);
        expect(Math.abs(fitted - value)).toBeLessThanOrEqual(field.step / 2 + 1e-6);
      }
      expect([
        snapToField(-1e9, field),
        snapToField(1e9, field),
        snapToField(Number.NaN, field),
        snapToField(field.value, field),
      ]).toEqual([field.min, field.max, field.value, field.value]);
    },
  );
});

describe('parsing', () => {
  test.each([
    [null],
    [undefined],
    [0],
    ['x'],
    [[]],
    [{}],
    [{ skin: null, dropdown: 'no', performance: [1, 2] }],
    [{ nonsense: { zoom: 2 } }],
  ])('the input %j gives the defaults', (input: unknown) => {
    expect(parseUiSettings(input)).toEqual(UI_DEFAULTS);
  });
  test('the parser keeps what is right, mends what is not, and drops what it does not know', () => {
    const parsed = parseUiSettings({
      topNav: { sticky: false, radius: 'round', blur: 'yes', colour: 'red' },
      notifications: { position: 'top-left', opacity: '0.5' },
      old: 1,
    });
    expect(parsed).toEqual({
      ...UI_DEFAULTS,
      topNav: { ...UI_DEFAULTS.topNav, sticky: false },
      notifications: { ...UI_DEFAULTS.notifications, position: 'top-left' },
    });
  });
  test('names of Object.prototype are no groups and no fields', () => {
    expect(
      parseUiSettings(
        JSON.parse(
          '{"__proto__":{"skin":{"walking":false}},"constructor":{"x":1},"skin":{"__proto__":{"walking":false}}}',
        ),
      ),
    ).toEqual(UI_DEFAULTS);
    expect(readUiCookie('__proto__.walking:false&constructor.name:x&toString:1').settings).toEqual(UI_DEFAULTS);
  });
});

const changed = parseUiSettings({
  dropdown: { opacity: 0.4, radius: 'none', animation: 'bounce', blur: false },
  sidebar: { opacity: 0.5 },
  topNav: { sticky: false },
  notifications: { position: 'top-right', radius: 'full' },
  performance: { zoom: 1.3, transitionSpeed: 2, frameRateLimit: 144, caching: false, reduceMotion: true },
});

describe('the cookie', () => {
  test('the cookie is empty for the defaults, and brings back what differs', () => {
    expect(writeUiCookie(UI_DEFAULTS, 'fade')).toBe('');
    const cookie = writeUiCookie(changed, 'flip');
    expect(cookie).toMatch(/^[\w.:&-]+$/);
    expect(readUiCookie(cookie)).toEqual({ settings: changed, transition: 'flip' });
  });
  test('the cookie leaves out what the server has no use for', () => {
    expect(writeUiCookie(parseUiSettings({ skin: { zoom: 1.2 } }), 'fade')).toBe('');
  });
  test.each([
    [''],
    ['performance.zoom:9e9'],
    ['performance.zoom:NaN'],
    ['performance.zoom:1;}body{display:none'],
    ['dropdown.animation:x}*{color:red'],
    ['transition:</style><script>'],
    ['transition.fade:flip&&&:::&performance'],
    ['performance.zoom:url(//evil)'],
    [`${'a'.repeat(5000)}:1`],
  ])('the cookie %s puts nothing of its own into the page', (cookie) => {
    const { settings, transition } = readUiCookie(cookie);
    const out = uiStyle(settings) + JSON.stringify(uiAttributes(settings, transition));
    expect(out).not.toMatch(/evil|script|display|color|\*|<|NaN|9e9/);
    expect(uiStyle(settings)).toMatch(/^(:root\{--zoom:1\.5\})?$/);
  });
});

describe('the style', () => {
  test('the style has nothing for the defaults, so that a host’s own tokens hold', () => {
    expect(uiStyle(UI_DEFAULTS)).toBe('');
    expect(Object.values(uiAttributes(UI_DEFAULTS, 'fade')).every((value) => value === null)).toBe(true);
  });
  test('the style has a property for every change', () => {
    expect(uiProperties(changed)).toEqual({
      '--dropdown-opacity': '0.4',
      '--dropdown-radius': '0',
      '--dropdown-animation': 'sp-part-bounce',
      '--dropdown-filter': 'var(--glass-tone)',
      '--sidebar-opacity': '0.5',
      '--sidebar-filter': 'var(--glass-tone)',
      '--notifications-radius': '2.5',
      '--bg-opacity': '0.5',
      '--zoom': '1.3',
      '--speed': '2',
    });
    expect(uiAttributes(changed, 'flip')).toEqual({
      'data-transition': 'flip',
      'data-motion': 'reduce',
      'data-topnav': 'static',
      'data-fab': null,
      'data-toasts': 'top-right',
      'data-glass': '',
    });
  });
});
