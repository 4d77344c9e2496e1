import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LINK_PROVIDERS } from '#shared/link-providers.ts';
import { ROUTE_LIST } from '#shared/routes/table.ts';
import { isSettingKey, SETTINGS } from '#shared/settings.ts';

const page = readFileSync(join(import.meta.dir, '../../server/modules/economy/README.md'), 'utf8');
const named = new Set([...page.matchAll(/`([a-z][a-z0-9_*]+)`/g)].map(([, name]) => name ?? ''));
/** `link_shareus_daily` stands in the page as `link_*_daily`. */
const asWritten = (key: string): string[] => [key, ...LINK_PROVIDERS.flatMap((id) => (key.startsWith(`link_${id}_`) ? [`link_*_${key.slice(`link_${id}_`.length)}`] : []))];

test('the operator’s page of the economy has every knob there is', () => {
  const knobs = Object.entries(SETTINGS).filter(([key, { group }]) => ['earning', 'store', 'payments'].includes(group) || /^(abuse|vpn|adblock|challenge|altcha|turnstile|discord|gift|link|renew|server_renew|default|tax|receipt)_/.test(key));
  expect(knobs.length).toBeGreaterThan(60);
  expect(knobs.map(([key]) => key).filter((key) => !asWritten(key).some((each) => named.has(each)))).toEqual([]);
});

test('and none that there is not, nor a page that there is not', () => {
  const words = new Set<string>(LINK_PROVIDERS);
  const stale = [...named].filter((name) => name.includes('_') && !name.includes('*') && !isSettingKey(name) && !words.has(name));
  expect(stale).toEqual([]);
  const paths = [...page.matchAll(/`(\/mc-admin[a-z/-]*)`/g)].map(([, path]) => path);
  expect(paths.filter((path) => !ROUTE_LIST.some((row) => row.path === path))).toEqual([]);
});
