import { describe, expect, test } from 'bun:test';
import { readSettingsFile, writeSettingsFile } from './setting-file.ts';

const ROWS = [
  { key: 'app_name', value: 'Lantern', revision: 2 },
  { key: 'gift_min', value: 5, revision: 0 },
  { key: 'custom_js', value: '', revision: 0 },
  { key: 'stripe_secret_key', value: '', revision: 1 },
];
const fileOf = (settings: unknown) => JSON.stringify({ spawnpoint_settings: 1, settings });

describe('a file of settings', () => {
  test('what was exported changes nothing where it came from, and has no secret', () => {
    const text = writeSettingsFile(
      ROWS.map((row) => ({ ...row, value: row.key === 'stripe_secret_key' ? 'hush' : row.value })),
    );
    expect(text).not.toContain('hush');
    expect(readSettingsFile(text, ROWS, true)).toEqual({ changes: [], leftOut: [] });
  });

  test('a file changes what differs, with the revision there is; secrets, strange keys and values are left out', () => {
    const text = `{"spawnpoint_settings":1,"settings":{"app_name":"Lantern","gift_min":7,"stripe_secret_key":"hush","__proto__":1,"constructor":2,"nonsense":true,"custom_js":["x"]}}`;
    expect(readSettingsFile(text, ROWS, true)).toEqual({
      changes: [{ key: 'gift_min', value: 7, revision: 0 }],
      leftOut: ['stripe_secret_key', '__proto__', 'constructor', 'nonsense', 'custom_js'],
    });
  });

  test('what only owners change is left out for others', () => {
    const text = fileOf({ custom_js: 'alert(1)' });
    expect(readSettingsFile(text, ROWS, false)).toEqual({ changes: [], leftOut: ['custom_js'] });
    expect(readSettingsFile(text, ROWS, true)?.changes).toHaveLength(1);
  });

  test.each([
    [''],
    ['{'],
    ['[]'],
    ['null'],
    ['{"settings":{}}'],
    [fileOf([])],
    [fileOf(null)],
    [' '.repeat(2_000_001)],
  ])('a text that is no such file is none: %#', (text) => {
    expect(readSettingsFile(text, ROWS, true)).toBeNull();
  });
});
