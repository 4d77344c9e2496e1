import { afterAll, beforeAll, expect, test } from 'bun:test';
import { HEALTH_CHECKS } from '#shared/health.ts';
import { LOCALES } from '#shared/i18n/locales.ts';
import { openHarness, type Harness } from '#tests/support/harness.ts';
import { textsOf } from '#tests/support/texts.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
}, 300_000);
afterAll(() => harness.close());

test('every key of the health registry has a check, in its order or not', () => {
  expect(harness.host.services.health.checks.map(({ key }) => key).toSorted()).toEqual(HEALTH_CHECKS.toSorted());
});

test.each(LOCALES.map((locale) => [locale]))(
  'every check says what it found and what to do about it, and every job has a name, in %s',
  (locale) => {
    const texts = textsOf(locale, 'health');
    const wanted = [
      ...harness.host.services.health.checks.flatMap(({ key, codes }) => [
        `check.${key}.name`,
        `check.${key}.means`,
        ...Object.entries(codes).flatMap(([code, status]) =>
          status === 'ok' ? [`check.${key}.${code}`] : [`check.${key}.${code}`, `check.${key}.${code}Do`],
        ),
      ]),
      ...harness.host.services.tasks.map(({ name }) => `task.${name.replaceAll('.', '_')}`),
    ];
    expect(wanted.filter((key) => !(key in texts))).toEqual([]);
    // And there is no text of a check, a code or a job that is gone.
    const extra = Object.keys(texts).filter((key) => /^(?:check|task)\./.test(key) && !wanted.includes(key));
    expect(extra.filter((key) => !key.endsWith('.named'))).toEqual([]);
  },
);
