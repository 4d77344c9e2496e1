import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LINK_PROVIDERS } from '#shared/link-providers.ts';
import { EARNING_SOURCES, SOURCE_NAMES, type EarningSource } from '#shared/earning-sources.ts';
import { ROUTE_LIST } from '#shared/routes/table.ts';
import { formatSetting, notationOf } from '#shared/setting-text.ts';
import { isSettingKey, SETTINGS, type SettingKey } from '#shared/settings.ts';

const page = readFileSync(join(import.meta.dir, '../../server/modules/economy/README.md'), 'utf8');
const named = new Set([...page.matchAll(/`([a-z][a-z0-9_*]+)`/g)].map(([, name]) => name ?? ''));
/** `link_shareus_daily` stands in the page as `link_*_daily`. */
const asWritten = (key: string): string[] => [
  key,
  ...LINK_PROVIDERS.flatMap((id) =>
    key.startsWith(`link_${id}_`) ? [`link_*_${key.slice(`link_${id}_`.length)}`] : [],
  ),
];

/** Knobs of the economy whose names do not say so. */
const OTHERS: ReadonlySet<string> = new Set([
  'afk_enabled',
  'code_redemption_enabled',
  'store_enabled',
  'server_renew_enabled',
  'allow_coins_sharing',
  'credits_recharge_enabled',
  'leaderboard_enabled',
  'allow_public_profiles',
  'outbound_private_networks',
  'app_timezone',
  'currency',
  'currency_symbol',
]);

/** What `<source>_…` in the page stands for: the knobs that mean the same of every source. */
const ALIKE = ['enabled', 'credits', 'daily_cap', 'daily_budget'] as const;
/** The knobs of a source: those that mean the same of every source, and those of its own. */
function knobsOf(source: EarningSource): { alike: SettingKey[]; own: string[] } {
  const { enabled, ...facts } = EARNING_SOURCES[source];
  const alike = [enabled, ...ALIKE.map((knob) => `${source}_${knob}`)].filter(isSettingKey);
  const own = 'settings' in facts ? Object.keys(facts.settings) : [];
  return { alike, own: own.filter((key) => !alike.some((each) => each === key)) };
}
/** Knobs of sources that the page does not name at all, and need not: they have none that `<source>_…` does not say. */
const SAID_FOR_ALL: ReadonlySet<string> = new Set(
  SOURCE_NAMES.map(knobsOf)
    .filter(({ alike, own }) => own.length === 0 && !alike.some((key) => named.has(key)))
    .flatMap(({ alike }) => alike),
);

test('the operator’s page says once what means the same of every source', () => {
  for (const knob of ALIKE) expect(page).toContain(`\`<source>_${knob}\``);
});

test('the operator’s page of the economy has every knob there is', () => {
  const knobs = Object.entries(SETTINGS).filter(
    ([key, { group }]) =>
      ['earning', 'store', 'payments'].includes(group) ||
      /^(abuse|vpn|adblock|challenge|altcha|turnstile|discord|gift|link|renew|server_renew|default|tax|receipt)_/.test(
        key,
      ) ||
      OTHERS.has(key),
  );
  expect(knobs.length).toBeGreaterThan(60);
  expect(
    knobs
      .map(([key]) => key)
      .filter((key) => !SAID_FOR_ALL.has(key) && !asWritten(key).some((each) => named.has(each))),
  ).toEqual([]);
});

/** A default as the page writes it: money with its decimals; nothing where it is empty. */
function written(key: SettingKey): string {
  const value: string | number | boolean = SETTINGS[key].default;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (notationOf(key) !== 'whole') return formatSetting(key, value, SETTINGS.currency.default);
  return typeof value === 'number' ? value.toLocaleString('en') : value && `\`${value}\``;
}

test('each knob stands with its default: in brackets, or none where it is empty', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  const knobs = rows.flatMap((line) =>
    [...(line.split(' | ')[0] ?? '').matchAll(/`([a-z][a-z0-9_*]+)`(?: \(([^)]*)\))?/g)].map(
      ([, name = '', shown = '']) => ({ name, shown }),
    ),
  );
  expect(knobs.length).toBeGreaterThan(90);
  const wrong = knobs.flatMap(({ name, shown }) => {
    const keys = name.includes('*') ? LINK_PROVIDERS.map((id) => name.replace('*', id)).filter(isSettingKey) : [name];
    return keys.filter((key) => !isSettingKey(key) || written(key) !== shown).map((key) => ({ key, shown }));
  });
  expect(wrong).toEqual([]);
  const twice = knobs.map(({ name }) => name).filter((name, index, all) => all.indexOf(name) !== index);
  expect(twice).toEqual([]);
});

test('the page names no knob that there is not, nor a page that there is not', () => {
  const words = new Set<string>(LINK_PROVIDERS);
  const stale = [...named].filter(
    (name) => name.includes('_') && !name.includes('*') && !isSettingKey(name) && !words.has(name),
  );
  expect(stale).toEqual([]);
  const paths = [...page.matchAll(/`(\/mc-admin[a-z/-]*)`/g)].map(([, path]) => path);
  expect(paths.filter((path) => !ROUTE_LIST.some((row) => row.path === path))).toEqual([]);
});
