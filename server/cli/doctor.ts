import health from '#locales/en/health.json' with { type: 'json' };
import { openHost } from '#server/compose/host.ts';
import { createBus } from '#server/data/bus.ts';
import { openDatabase } from '#server/data/open.ts';
import type { Config } from '#server/env.ts';
import { tableChecks } from '#server/health/database.ts';
import { createLog } from '#server/http/log.ts';
import { systemClock, systemIds } from '#server/kernel.ts';
import { createHealth, type HealthReport } from '#server/modules/health/index.ts';
import { openAppKey } from '#server/start/app-key.ts';
import { databasePlace } from '#server/start/database-place.ts';
import { assertKey } from '#server/start/installation.ts';
import { assertPresence } from '#server/start/presence.ts';
import { worstHealth, type HealthFact, type HealthStatus } from '#shared/health.ts';
import { iso } from '#shared/time.ts';
import { consoleOutput, type Output } from './mail.ts';
import type { CommandContext } from './run.ts';

/**
 * What scripts go by: 0 everything is fine, 1 something is failing, 3 there are warnings, or checks that found nothing
 * out.
 */
const EXIT = { ok: 0, critical: 1, warning: 3, unknown: 3 } as const satisfies Record<HealthStatus, number>;
const MARKS = { ok: 'ok      ', unknown: 'unknown ', warning: 'warning ', critical: 'failing ' } as const;

/**
 * `spawnpoint doctor [--json]`: runs the checks of the health page that concern the installation, and changes nothing:
 * where the tables are not those of this version, it says only that. Out: the exit code.
 */
export async function doctor(
  config: Config,
  argv: readonly string[],
  { words, spawnReader }: Pick<CommandContext, 'words'> & Partial<CommandContext>,
  output: Output = consoleOutput,
): Promise<number> {
  if (argv.some((word) => word !== '--json')) {
    output.err('Usage: spawnpoint doctor [--json]');
    return 2;
  }
  const log = createLog('error', systemClock.now);
  await assertPresence(config, false, words);
  const key = openAppKey(config);
  const bus = createBus(log);
  const database = openDatabase({ ...databasePlace(config), bus, log, spawnReader });
  const { missing, unknown } = await database.migrationState();
  const isCurrent = missing.length === 0 && unknown.length === 0;
  const own = { config, log, clock: systemClock, ids: systemIds };
  let report: HealthReport;
  if (isCurrent) {
    const host = await openHost({ ...own, sample: false, key, bus, database });
    await assertKey(config, database, key, words);
    report = await host.services.health.checkInstallation();
    await host.close();
  } else {
    const checks = tableChecks({ database, clock: systemClock });
    report = await createHealth({ ...own, ...database, checks }).checkInstallation();
    await database.close();
  }
  log.flush();
  print(report, argv.includes('--json'), output);
  return EXIT[worstHealth(report.rows.map(({ status }) => status))];
}

type Row = HealthReport['rows'][number];

function print({ atMs, rows }: HealthReport, json: boolean, output: Output): void {
  if (!json) {
    for (const row of rows) {
      output.out(printable(`${MARKS[row.status]}${nameOf(row)}: ${textOf(row, '')}`));
      const advice = row.status === 'ok' ? '' : textOf(row, 'Do');
      if (advice !== '') output.out(printable(`        ${advice}`));
    }
    return;
  }
  const answer = {
    checked_at: iso(atMs),
    status: worstHealth(rows.map(({ status }) => status)),
    rows: rows.map((row) => ({
      key: row.key,
      subject: row.subject,
      status: row.status,
      code: row.code,
      text: textOf(row, ''),
      advice: row.status === 'ok' ? null : textOf(row, 'Do'),
      facts: row.facts,
    })),
  };
  output.out(JSON.stringify(answer, null, 2));
}

/** Names of panels and messages of others must not steer the terminal that they are shown on. */
const printable = (text: string) => text.replaceAll(/\p{Cc}/gu, ' ');

/** The texts of a check, by key. */
const textsOf = ({ key }: Row): Readonly<Record<string, string>> => health.check[key];

function nameOf(row: Row): string {
  const texts = textsOf(row);
  return row.subject ? fill(texts.named ?? texts.name ?? row.key, { name: row.subject }) : (texts.name ?? row.key);
}

/** What was found, or with the ending `Do` what to do about it. */
function textOf(row: Row, ending: '' | 'Do'): string {
  const common: Readonly<Record<string, unknown>> = health;
  const text = textsOf(row)[`${row.code}${ending}`] ?? common[`${row.code}${ending}`];
  const facts = Object.entries(row.facts).map(([name, fact]) => [name, formatFact(fact)]);
  return typeof text === 'string' ? fill(text, Object.fromEntries(facts)) : '';
}

function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '');
}

const KB = 1024;

/** A fact in English, for a terminal. */
function formatFact({ unit, value }: HealthFact): string {
  if (typeof value === 'string') return value;
  switch (unit) {
    case 'bytes':
      return value < KB ** 3
        ? `${Math.round((value / KB ** 2) * 10) / 10} MB`
        : `${Math.round((value / KB ** 3) * 10) / 10} GB`;
    case 'ms':
      return formatSpan(value);
    case 'share':
      return `${Math.round(value * 100)} %`;
    case 'time':
      return `${iso(value).slice(0, 16).replace('T', ' ')} UTC`;
    default:
      return String(value);
  }
}

/** `84 ms`, `12 s`, `3 min`, `5 h`, `9 d`. */
function formatSpan(ms: number): string {
  const steps = [
    [1000, 1, 'ms'],
    [60_000, 1000, 's'],
    [3_600_000, 60_000, 'min'],
    [172_800_000, 3_600_000, 'h'],
    [Number.POSITIVE_INFINITY, 86_400_000, 'd'],
  ] as const;
  const [, size, unit] = steps.find(([below]) => ms < below) ?? steps[4];
  return `${Math.round(ms / size)} ${unit}`;
}
