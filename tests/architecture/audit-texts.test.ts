import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Glob } from 'bun';
import { READ_BY } from '#server/modules/audit/index.ts';
import { EVENTS } from '#server/modules/events/index.ts';
import { LOCALES } from '#shared/i18n/locales.ts';
import { RESOURCES } from '#shared/resources/index.ts';
import { textsOf } from '#tests/support/texts.ts';

const ROOT = join(import.meta.dir, '../..');

/**
 * Every action that the code writes into the audit log, but those on the caller's own account, which the activity
 * leaves out.
 */
async function actions(): Promise<string[]> {
  const found = new Set<string>([
    ...Object.values(RESOURCES).flatMap(({ area }) => ['create', 'edit', 'delete'].map((verb) => `${area}.${verb}`)),
    ...Object.values(EVENTS).flatMap(({ audit }) => (audit ? [audit.action] : [])),
  ]);
  for await (const path of new Glob('server/**/*.ts').scan(ROOT)) {
    if (path.endsWith('.test.ts')) continue;
    const source = await Bun.file(join(ROOT, path)).text();
    for (const call of source.matchAll(/writeAudit\([^;]*?\baction:\s*([^;]*?)[,}]\s/gs)) {
      for (const [, plain, template] of (call[1] ?? '').matchAll(/'([\w.]+)'|`([^`]+)`/g)) {
        if (plain !== undefined) found.add(plain);
        else if (template !== undefined && !template.startsWith('${definition.area}')) found.add(template);
      }
    }
  }
  return [...found].filter((action) => action.includes('.') && !action.startsWith('account.')).toSorted();
}

describe('the audit log', () => {
  test.each(LOCALES.map((locale) => [locale]))(
    'Screen 3 every action that the log knows has a text in %s, so that no raw code is shown',
    async (locale) => {
      const texts = textsOf(locale, 'admin');
      const all = await actions();
      expect(all.length).toBeGreaterThan(40);
      expect(all.filter((action) => !texts[`activity.${action.replaceAll('.', '_')}`]?.includes('{{actor}}'))).toEqual(
        [],
      );
    },
  );

  test('S4 every area that the log knows has a permission by which it may be read', async () => {
    const areas = new Set((await actions()).map((action) => action.split('.')[0] ?? ''));
    expect([...areas].filter((area) => !Object.hasOwn(READ_BY, area))).toEqual([]);
  });
});
