import { describe, expect, test } from 'bun:test';
import { renderToStaticMarkup } from 'react-dom/server';
import { Icon } from './icon.tsx';
import { APP_ICONS } from './icons-app.ts';
import { CORE_ICONS, iconOf, isIconName } from './icons.ts';

describe('icons', () => {
  const names = [...Object.keys(CORE_ICONS), ...Object.keys(APP_ICONS)];

  test('every registered name has a drawing', () => {
    expect(names.length).toBeGreaterThan(80);
    for (const name of names) {
      if (!isIconName(name)) throw new Error(`${name} is not registered`);
      const { node } = iconOf(name);
      expect(node.length).toBeGreaterThan(0);
      for (const [tag, attributes] of node) {
        expect(tag).toMatch(/^(path|circle|rect|line|polyline|polygon|ellipse)$/);
        expect(attributes['key']).toBeString();
      }
    }
  });

  test('no name stands in both lists', () => {
    expect(new Set(names).size).toBe(names.length);
  });

  test('are decoration unless they are named', () => {
    expect(renderToStaticMarkup(<Icon name="x" />)).toContain('aria-hidden="true"');
    const named = renderToStaticMarkup(<Icon name="x" label="Close" />);
    expect(named).toContain('role="img"');
    expect(named).toContain('aria-label="Close"');
    expect(named).not.toContain('aria-hidden');
  });

  test('a name that nobody registered is an error, not a hole', () => {
    expect(isIconName('nothing')).toBe(false);
  });
});
