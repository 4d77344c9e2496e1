import type { Journal, RequestEntry } from '#client/lib/journal.ts';
import { maskText } from '#shared/mask.ts';
import type { KeyOf, TFn } from '#shared/i18n/types.ts';
import type { FactGroup } from './page-facts.ts';

const cell = (text: string) => text.replaceAll('|', String.raw`\|`).replaceAll(/\s*\n\s*/g, ' ');
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');
const block = (text: string) => `\`\`\`\n${text.replaceAll('```', "'''")}\n\`\`\``;

/** One request as Markdown. */
export function requestText(entry: RequestEntry, t: TFn<'debug'>): string {
  const status = entry.status === null ? t(entry.tookMs === null ? 'pending' : 'noAnswer') : String(entry.status);
  const parts = [`${entry.method} ${entry.url} · ${status} ${entry.statusText}`.trimEnd()];
  if (entry.tookMs !== null) parts.push(`${t('took')}: ${t('ms', { value: Math.round(entry.tookMs) })}`);
  if (entry.requestId) parts.push(`${t('requestId')}: ${entry.requestId}`);
  if (entry.requestBody) parts.push(`${t('request')}:\n${block(entry.requestBody)}`);
  if (entry.responseBody) parts.push(`${t('response')}:\n${block(entry.responseBody)}`);
  return parts.join('\n\n');
}

/** The record of the page as Markdown, for a ticket. The journal is masked already; this masks once more. */
export function reportText(
  groups: readonly FactGroup[],
  journal: Pick<Journal, 'requests' | 'errors' | 'lines'>,
  t: TFn<'debug'>,
): string {
  const ms = (value: number) => t('ms', { value: Math.round(value) });
  const parts = [`# ${t('title')}`];
  for (const group of groups)
    parts.push(
      `## ${t(group.id)}`,
      table(
        [t('name'), t('value')],
        group.facts.map(({ label, value }) => [label, value]),
      ),
    );
  const section = (tab: 'network' | 'errors' | 'console', empty: KeyOf<'debug'>, lines: readonly string[]) =>
    parts.push(`## ${t(`tab.${tab}`)}`, lines.length > 0 ? lines.join('\n') : t(empty));
  section(
    'errors',
    'noErrors',
    journal.errors().map(({ atMs, text, stack }) => `- ${ms(atMs)}: ${text}${stack ? `\n${block(stack)}` : ''}`),
  );
  section(
    'console',
    'noLines',
    journal.lines().map(({ atMs, level, text }) => `- ${ms(atMs)} ${level}: ${cell(text)}`),
  );
  parts.push(
    `## ${t('tab.network')}`,
    ...(journal.requests().length > 0
      ? journal.requests().map((entry) => `### ${requestText(entry, t)}`)
      : [t('noRequests')]),
  );
  return maskText(`${parts.join('\n\n')}\n`);
}
