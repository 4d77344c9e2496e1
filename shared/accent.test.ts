import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'bun:test';
import { accentTokens, checkAccent, DRAWN_MIN, SURFACES, TEXT_MIN } from './accent.ts';
import { OWN_ACCENT, THEMES } from './themes.ts';
import { contrast, toHex, toOklch } from './colour.ts';
import { lookStyle } from './look.ts';

/** A few hundred colours over the whole cube. */
const COLOURS = Array.from({ length: 7 ** 3 }, (_, at) =>
  [at % 7, Math.floor(at / 7) % 7, Math.floor(at / 49)]
    .map((part) =>
      Math.round((part / 6) * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .reduce((hex, part) => hex + part, '#'),
);
const CSS = readFileSync(join(import.meta.dir, '../client/ui/styles/tokens.css'), 'utf8');
const [dark = '', light = ''] = CSS.split("\n[data-theme='light'] {");
const token = (css: string, name: string): string =>
  new RegExp(`--${name}: (oklch\\([^)]+\\)|#\\w+);`).exec(css)?.[1] ?? '';

const NONE = { accent_dark: '', accent_light: '', background_picture: '', background_cover: 95 };

describe('colours', () => {
  test('a colour survives the way to OKLCH and back', () => {
    for (const colour of COLOURS) expect([colour, toHex(toOklch(colour))]).toEqual([colour, colour]);
  });

  test('contrast is that of WCAG', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.478, 3);
    expect(contrast('#ffffff', '#777777')).toBe(contrast('#777777', '#ffffff'));
    expect(contrast('#123456', '#123456')).toBe(1);
  });
});

describe('the accent of the host', () => {
  test('surfaces and the own accent are those of the stylesheet', () => {
    for (const [theme, css] of [
      ['dark', dark],
      ['light', light],
    ] as const) {
      expect(SURFACES[theme]).toEqual([0, 1, 2, 3].map((level) => token(css, `surface-${level}`)));
      expect(contrast(OWN_ACCENT[theme], token(css, 'accent'))).toBeLessThan(1.01);
    }
  });

  test.each(THEMES)(
    'behaviour 8.4: whatever the accent is, text in it and on it can be read in the %s theme',
    (theme) => {
      for (const colour of COLOURS) {
        const tokens = accentTokens(colour, theme);
        const on = [...SURFACES[theme], tokens['--accent-soft'] ?? '', tokens['--accent-wash'] ?? ''];
        const worst = Math.min(...on.map((surface) => contrast(tokens['--accent-text'] ?? '', surface)));
        expect([colour, worst >= TEXT_MIN]).toEqual([colour, true]);
        expect([colour, contrast(tokens['--on-accent'] ?? '', colour) >= TEXT_MIN]).toEqual([colour, true]);
      }
    },
  );

  test.each(THEMES)(
    'behaviour 8.4: a colour that is hard to see in the %s theme gets figures and a better shade',
    (theme) => {
      for (const colour of COLOURS) {
        const check = checkAccent(colour, theme);
        const better = checkAccent(check?.better ?? '', theme);
        expect([colour, (better?.surface ?? 0) >= DRAWN_MIN]).toEqual([colour, true]);
        if ((check?.surface ?? 0) >= DRAWN_MIN) expect(check?.better).toBe(colour);
      }
      expect(checkAccent('#ffff00', 'light')?.surface).toBeLessThan(1.1);
    },
  );

  test('T41 nothing but colours gets into the style', () => {
    for (const text of ['', 'red', '#12345', '#1234567', '#12345g', '#123456;}body{display:none', 'url(//x)'])
      expect(lookStyle({ accent_dark: text, accent_light: text, background_picture: text, background_cover: 10 })).toBe(
        '',
      );
    expect(lookStyle({ ...NONE, accent_light: '#5865F2' })).toMatch(
      /^@layer tokens\{\[data-theme='light'\]\{(?:--[\w-]+:#[0-9a-f]{6};?){7}\}\}$/,
    );
    const id = '0123456789abcdef'.repeat(2);
    expect(lookStyle({ ...NONE, background_picture: id, background_cover: 60 })).toBe(
      `@layer tokens{:root{--bg-image:url("/api/system/pictures/${id}/wide");--bg-opacity:0.6}` +
        `@media (max-width:767px){:root{--bg-image:url("/api/system/pictures/${id}/narrow")}}}`,
    );
  });
});
