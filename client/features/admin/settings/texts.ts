import { useFormat, useLooseT, useT } from '#client/lib/i18n.tsx';
import { useMoney } from '#client/lib/money.ts';
import type { PastValue } from '#shared/contract/settings.ts';
import { SOURCE_NAMES, sourceFacts } from '#shared/earning-sources.ts';
import { LOCALE_INFO, LOCALES } from '#shared/i18n/locales.ts';
import { LINK_PROVIDERS } from '#shared/link-providers.ts';
import { notationOf } from '#shared/setting-text.ts';
import type { AffectedCount } from '#shared/setting-effects.ts';
import { isSecret, type SettingKey } from '#shared/settings.ts';
import { toReadable } from './durations.ts';
import { isLong, rowOf, type SettingValue } from './form.ts';

/** Names of the services that links lead through, as they call themselves; the generic one has a text. */
const PROVIDERS = { linkvertise: 'Linkvertise', shareus: 'ShareUs', linkpays: 'LinkPays', gyanilinks: 'GyaniLinks' };
const BOUND = new RegExp(`^(${SOURCE_NAMES.join('|')})_daily_(cap|budget)$`);
const LINK = new RegExp(`^link_(${LINK_PROVIDERS.join('|')})_(\\w+)$`);

/** Whether a text is too long to stand in a sentence: its length does. */
export const isShownByLength = (key: SettingKey, text: string): boolean =>
  text.length > 200 || (isLong(key) && (text.length > 60 || text.includes('\n')));

type Part = 'label' | 'help';

/** The label or help of a setting. */
function useTextOf(): (key: SettingKey, part: Part) => string {
  const t = useLooseT('settings');
  const sources = useLooseT('sources');

  /** What a source says of its own settings, beside its other words; '' where it says nothing. */
  function ownOfSource(key: SettingKey, part: Part): string {
    const source = SOURCE_NAMES.find((name) => key in (sourceFacts(name).settings ?? {}));
    return source === undefined ? '' : sources(`${source}.settings.${key}.${part}`);
  }

  /** A text of a setting: its own, or that of all settings of its kind. */
  function textOf(key: SettingKey, part: Part): string {
    const bound = BOUND.exec(key);
    if (bound) return t(`every.daily_${bound[2] ?? ''}.${part}`, { source: sources(`${bound[1] ?? ''}.name`) });
    const own = t(`${key}.${part}`) || ownOfSource(key, part);
    const switched = own === '' ? SOURCE_NAMES.find((name) => sourceFacts(name).enabled === key) : undefined;
    if (switched !== undefined) return t(`every.enabled.${part}`, { source: sources(`${switched}.name`) });
    const link = own === '' ? LINK.exec(key) : null;
    if (!link) return own;
    const provider = Object.entries(PROVIDERS).find(([id]) => id === link[1])?.[1] ?? t('every.generic.label');
    return t(`every.link_${link[2] ?? ''}.${part}`, { provider });
  }
  return textOf;
}

/** Whether each word of a query stands somewhere in a text, in whatever case. */
function hasWords(text: string, query: string): boolean {
  const lower = text.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}

/** What settings are called, and how their values are written. In: the installation's currency. */
export function useSettingTexts(currency: string) {
  const t = useLooseT('settings');
  const ui = useT('staffSettings');
  const textOf = useTextOf();
  const format = useFormat();
  const money = useMoney();

  const unitText = (name: string): string => t(`unit.${name}`) || name;
  /** `credits`, `days`, `EUR`: what stands after a number; '' for plain counts. */
  function unit(key: SettingKey): string {
    const row = rowOf(key);
    if (row.type !== 'number' || row.unit === 'count') return '';
    const notation = notationOf(key);
    return notation === 'money' ? currency : notation === 'percent' ? '%' : unitText(row.unit);
  }

  function choiceText(key: SettingKey, value: string): string {
    const locale = key === 'app_lang' ? LOCALES.find((each) => each === value) : undefined;
    return locale ? LOCALE_INFO[locale].name : t(`choice.${value}`) || value;
  }

  function plainNumber(key: SettingKey, value: number): string {
    const notation = notationOf(key);
    if (notation === 'money') return money(value, currency);
    return notation === 'percent' ? format.percent(value / 10_000, 2) : format.number(value);
  }
  function number(key: SettingKey, value: number): string {
    const row = rowOf(key);
    if (notationOf(key) !== 'whole' || row.type !== 'number') return plainNumber(key, value);
    const { count, unit: name } = toReadable(row, value) ?? { count: value, unit: row.unit };
    const shown = format.number(count);
    // Units that are words have a plural; signs and abbreviations stand behind every number alike.
    return t(`amount.${name}`, { count, shown }) || `${shown} ${name === row.unit ? unit(key) : unitText(name)}`.trim();
  }

  /** A value in words: `19 %`, `€1.00`, `500 credits`, `On`; of a secret whether there is one. */
  function valueText(key: SettingKey, value: SettingValue): string {
    const row = rowOf(key);
    if (isSecret(key)) return ui(value === '' ? 'secretNone' : 'secretSet');
    if (typeof value === 'boolean') return ui(value ? 'on' : 'off');
    if (typeof value === 'number') return number(key, value);
    if (row.type === 'text' && row.picture) return ui(value === '' ? 'pictureNone' : 'pictureOwn');
    if (value === '') return ui('empty');
    if (isShownByLength(key, value))
      return ui('characters', { count: value.length, shown: format.number(value.length) });
    return row.type === 'text' && row.choices ? choiceText(key, value) : value;
  }

  /** A value of the past in words; of a longer text its length. */
  function pastText(key: SettingKey, { value, chars }: PastValue): string {
    return chars === null ? valueText(key, value) : ui('characters', { count: chars, shown: format.number(chars) });
  }

  /** From where to where, and the default; of a duration each with its unit, else that is beside the control. */
  function boundsText(key: SettingKey): string {
    const row = rowOf(key);
    if (row.type === 'number') {
      const write = toReadable(row, row.min) === null ? plainNumber : number;
      const values = { min: write(key, row.min), max: write(key, row.max), value: write(key, row.default) };
      // One that is off at 0 and has a least beside it says so itself (shared/setting-gaps.ts).
      return t(`${key}.bounds`, values) || ui('bounds', values);
    }
    if (row.type === 'text' && (row.default === '' || isLong(key))) return '';
    return ui('default', { value: valueText(key, row.default) });
  }

  /** How many a change affects at once, in words: `1,000+ users have no second factor yet.` */
  function affects({ who, count, more }: AffectedCount): string {
    if (count === 0) return ui('affectsNobody');
    return ui(`affects.${who}`, { count, shown: `${format.number(count)}${more ? '+' : ''}` });
  }

  const label = (key: SettingKey): string => textOf(key, 'label');
  const help = (key: SettingKey): string => textOf(key, 'help');
  const group = (name: string): string => t(`group.${name}.label`);
  /** Whether a setting is what somebody looks for: every word stands in its label, help, key or group. */
  const isFound = (key: SettingKey, query: string): boolean =>
    hasWords([key, label(key), help(key), group(rowOf(key).group)].join(' '), query);
  return {
    label,
    help,
    group,
    groupHelp: (name: string): string => t(`group.${name}.help`),
    asks: (key: SettingKey): string => t(`asks.${key}`),
    unit,
    unitText,
    choiceText,
    valueText,
    pastText,
    boundsText,
    affects,
    isFound,
  };
}
export type SettingTexts = ReturnType<typeof useSettingTexts>;
