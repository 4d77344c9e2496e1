import { useFormat, useLooseT, useT, type Format } from '#client/lib/i18n.tsx';
import type { HealthView } from '#shared/contract/health.ts';
import type { HealthFact, HealthStatus } from '#shared/health.ts';
import type { StatusShape } from '#client/ui/status.tsx';

export type HealthRow = HealthView['rows'][number];

const MEGABYTE = 1024 ** 2;
/** Shorter spans are written in milliseconds. */
const SECOND_MS = 1000;

/** The shape of each status. */
export const SHAPES = {
  ok: 'active',
  unknown: 'off',
  warning: 'expiring',
  critical: 'failed',
} as const satisfies Record<HealthStatus, StatusShape>;

/** A span as it is read: 84 ms, 1.4 s, 3 min 20 s. */
export function useSpanText(): (ms: number) => string {
  const ui = useT('ui');
  const format = useFormat();
  return (ms) => {
    if (ms < SECOND_MS) return `${format.number(ms)} ms`;
    if (ms < 10 * SECOND_MS) return `${format.number(Math.round(ms / 100) / 10)} ${ui('unitSecond')}`;
    return format.duration(ms);
  };
}

/** The texts of a row of the health page: its name, what was found, and what to do about it ('' where there is nothing). */
export function useHealthTexts() {
  const loose = useLooseT('health');
  const format = useFormat();
  const span = useSpanText();
  const varsOf = ({ facts }: HealthRow) =>
    Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, formatFact(fact, format, span)]));
  return {
    name: ({ key, subject }: Pick<HealthRow, 'key' | 'subject'>): string =>
      subject === null || subject === ''
        ? loose(`check.${key}.name`)
        : loose([`check.${key}.named`, `check.${key}.name`], { name: subject }),
    means: ({ key }: HealthRow): string => loose(`check.${key}.means`),
    found: (row: HealthRow): string => loose([`check.${row.key}.${row.code}`, row.code], varsOf(row)),
    advice: (row: HealthRow): string => loose([`check.${row.key}.${row.code}Do`, `${row.code}Do`], varsOf(row)),
  };
}

function formatFact({ unit, value }: HealthFact, format: Format, span: (ms: number) => string): string {
  if (typeof value === 'string') return value;
  switch (unit) {
    case 'bytes':
      return format.memory(Math.round((value / MEGABYTE) * 10) / 10);
    case 'ms':
      return span(value);
    case 'share':
      return format.percent(value);
    case 'time':
      return format.dateTime(value);
    default:
      return format.number(value);
  }
}
