import { describe, expect, test } from 'bun:test';
import { renderToStaticMarkup } from 'react-dom/server';
import { Icon } from './icon.tsx';
import { pathOf } from './icon-drawings.ts';
import { APP_ICONS } from './icons-app.ts';
import { CORE_ICONS, iconOf, isIconName } from './icons.ts';

describe('icons', () => {
  const names = [...Object.keys(CORE_ICONS), ...Object.keys(APP_ICONS)];

  test('every registered name has a drawing', () => {
    expect(names.length).toBeGreaterThan(80);
    for (const name of names) {
      if (!isIconName(name)) throw new Error(`${name} is not registered`);
      // One path of numbers and commands: nothing that was forgotten, nothing that rounding made endless.
      expect([name, iconOf(name)]).toEqual([name, expect.stringMatching(/^M[-\d.\sMmLlHhVvAaCcSsQqTtZz,]+$/)]);
      expect(iconOf(name)).not.toMatch(/\.\d{5}/);
    }
  });

  test('no name stands in both lists', () => {
    expect(new Set(names).size).toBe(names.length);
  });

  test('icons are decoration unless they are named', () => {
    expect(renderToStaticMarkup(<Icon name="x" />)).toContain('aria-hidden="true"');
    const named = renderToStaticMarkup(<Icon name="x" label="Close" />);
    expect(named).toContain('role="img"');
    expect(named).toContain('aria-label="Close"');
    expect(named).not.toContain('aria-hidden');
  });

  test('an icon of several elements is one path in the page', () => {
    expect(renderToStaticMarkup(<Icon name="menu" />).match(/<\w+/g)).toEqual(['<svg', '<path']);
  });

  test('a name that nobody registered is an error, not a hole', () => {
    expect(isIconName('nothing')).toBe(false);
  });
});

describe('the path of an element draws the same', () => {
  test.each([
    ['path', { d: 'M3 5h18', key: 'a' }, 'M3 5h18'],
    // A small m means the same place only at the very beginning: here it comes after other lines.
    ['path', { d: 'm6 9 6 6 6-6' }, 'M6 9l6 6 6-6'],
    ['path', { d: 'm21.73 18-8-14a2 2 0 0 0-3.48 0' }, 'M21.73 18l-8-14a2 2 0 0 0-3.48 0'],
    ['path', { d: 'm9 12v6' }, 'M9 12v6'],
    ['circle', { cx: '12', cy: '12', r: '10' }, 'M2 12a10 10 0 1 0 20 0a10 10 0 1 0 -20 0z'],
    ['ellipse', { cx: '12', cy: '5', rx: '9', ry: '3' }, 'M3 5a9 3 0 1 0 18 0a9 3 0 1 0 -18 0z'],
    ['line', { x1: '4', x2: '20', y1: '12', y2: '13' }, 'M4 12L20 13'],
    ['polyline', { points: '4 17 10 11 4 5' }, 'M4 17 10 11 4 5'],
    ['polygon', { points: '6 3 20 12 6 21' }, 'M6 3 20 12 6 21z'],
    [
      'rect',
      { x: '2', y: '4', width: '20', height: '16', rx: '2' },
      'M4 4h16a2 2 0 0 1 2 2v12a2 2 0 0 1 -2 2h-16a2 2 0 0 1 -2 -2v-12a2 2 0 0 1 2 -2z',
    ],
    ['rect', { width: '8', height: '4', x: '8', y: '2' }, 'M8 2h8v4h-8z'],
  ] as const)('the drawing of <%s %j> stays the same', (tag, attributes, path) =>
    expect(pathOf([tag, attributes])).toBe(path),
  );

  test('what a path cannot say is refused', () => {
    expect(() => pathOf(['text', {}])).toThrow();
    expect(() => pathOf(['circle', { r: '3', fill: 'currentColor' }])).toThrow();
    expect(() => pathOf(['path', { d: 'M1 1h2', fill: 'currentColor' }])).toThrow();
  });
});
