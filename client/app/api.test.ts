import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONTRACT } from '#shared/contract/index.ts';
import { START } from '#shared/contract/wire-start.ts';
import { ROUTE_LIST } from '#shared/routes/table.ts';
import { createBrowserApi } from './api.ts';

const CLIENT = join(import.meta.dir, '..');
const text = (path: string) => readFileSync(join(CLIENT, path), 'utf8');

test('the pages before the log-in and the entry ask no endpoint that comes later', () => {
  const files = [
    'entry.tsx',
    'app/session-store.ts',
    'app/session-browser.ts',
    'ui/challenge.tsx',
    ...readdirSync(join(CLIENT, 'features/auth'))
      .filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.'))
      .map((name) => `features/auth/${name}`),
  ];
  const asked = files.flatMap((path) =>
    [...text(path).matchAll(/\b(?:api|apiOf\(\w+\))\??\.(\w+)\.(\w+)\(/g)].map(
      ([, group = '', name = '']) => [group, name] as const,
    ),
  );
  expect(asked.length).toBeGreaterThan(7);
  const late = asked.filter(([group, name]) => !Object.hasOwn(Reflect.get(START, group) ?? {}, name));
  expect(late).toEqual([]);
  const taken = files.flatMap((path) =>
    [...text(path).matchAll(/\{ (\w+) \} = (?:api|apiOf\(\w+\))/g)].map(([, group = '']) => group),
  );
  expect(
    taken.filter(
      (group) =>
        Object.keys(Reflect.get(START, group) ?? {}).join() !== Object.keys(Reflect.get(CONTRACT, group)).join(),
    ),
  ).toEqual([]);
});

test('every page of another layout has all endpoints', () => {
  expect(new Set(ROUTE_LIST.map(({ layout }) => layout))).toEqual(new Set(['auth', 'app', 'admin', 'plain']));
  for (const path of [
    'app/layouts/player.tsx',
    'app/layouts/staff.tsx',
    'app/layouts/plain.tsx',
    'app/palette/panel.tsx',
  ])
    expect(text(path)).toContain("import '../whole-api.ts';");
});

test('a client that was made before has them as well, and still notices another build', async () => {
  const sent: string[] = [];
  const { api, outdated } = createBrowserApi('one', async (path) => {
    sent.push(path);
    return Response.json(
      { success: true, error_code: null },
      { headers: { 'X-Build': sent.length > 1 ? 'two' : 'one' } },
    );
  });
  await api.session.get();
  expect(outdated()).toBe(false);
  await import('./whole-api.ts');
  expect(Object.keys(CONTRACT).filter((group) => Reflect.get(api, group) === undefined)).toEqual([]);
  await api.store.items();
  expect(sent).toEqual(['/api/user/session', '/api/store']);
  expect(outdated()).toBe(true);
});
