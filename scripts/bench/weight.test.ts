import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Manifest } from '#server/ssr/manifest.ts';
import { ROUTE_LIST } from '#shared/routes/table.ts';
import { CLIENT_DIR } from '../client-build.ts';
import { scriptsOf, WEIGHT_BUDGETS, weightFigures } from './weight.ts';

// Of the client as it was last built.

test('the scripts of every page that has a budget stay within it, compressed as they are served', () => {
  const figures = weightFigures(CLIENT_DIR);
  expect(figures).toHaveLength(Object.keys(WEIGHT_BUDGETS).length);
  expect(figures.filter(({ value }) => value < 100).map(({ id }) => id)).toEqual([]);
  expect(figures.filter(({ holds }) => holds !== true).map(({ id, value }) => `${id}: ${value}`)).toEqual([]);
});

test('the client knows the scripts of every page, so that its head can name them', () => {
  const { screens } = JSON.parse(readFileSync(join(CLIENT_DIR, 'manifest.json'), 'utf8')) as Manifest;
  expect(ROUTE_LIST.filter(({ id }) => (screens[id] ?? []).length === 0).map(({ id }) => id)).toEqual([]);
});

test('what guests and players load knows no page of the admin area but its first', () => {
  const read = (name: string) => readFileSync(join(CLIENT_DIR, name), 'utf8');
  const manifest = JSON.parse(read('manifest.json')) as Manifest;
  const pathsOf = (scripts: readonly string[]) =>
    scripts.flatMap((path) => read(basename(path)).match(/\/mc-admin[\w/:-]*/g) ?? []);
  for (const page of ['auth.login', 'dashboard', 'account', 'store', 'ticket.view'] as const)
    expect([page, ...new Set(pathsOf(scriptsOf(manifest, page)))]).toEqual([page, '/mc-admin']);
  expect(pathsOf(scriptsOf(manifest, 'admin.settings')).length).toBeGreaterThan(50);
});
