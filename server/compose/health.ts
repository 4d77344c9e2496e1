import { certificateCheck } from '../health/certificate.ts';
import { challengeCheck } from '../health/challenge.ts';
import { clockCheck } from '../health/clock.ts';
import { databaseChecks } from '../health/database.ts';
import { createLoopDelay } from '../health/loop-delay.ts';
import { machineChecks } from '../health/machine.ts';
import { nodeCheck } from '../health/node.ts';
import { processesCheck } from '../health/processes.ts';
import { redisCheck } from '../health/redis.ts';
import { imageStorageCheck } from '../images/hosted/storage-check.ts';
import { virusScannerCheck } from '../uploads/virus-scanner.ts';
import type { ScheduledTask } from '../jobs/scheduler.ts';
import { createAuditLog, createAuditRetention } from '../modules/audit/index.ts';
import { discordRolesCheck } from '../modules/discord-roles/index.ts';
import { createHealth, createHealthPage, moduleChecks, SAMPLE_MS, type HealthCheck } from '../modules/health/index.ts';
import { createLogs, type LogPort } from '../modules/logs/index.ts';
import { ticketMailCheck } from '../modules/ticket-mail/index.ts';
import type { PanelRegistry } from '../modules/servers/index.ts';
import { VERSION } from '../version.ts';
import { DAY } from '#shared/time.ts';
import { composeBackups } from './backups.ts';
import type { Foundation, ServiceDeps } from './foundation.ts';
import { imagePlaceOf } from './images.ts';
import { composeImports } from './imports.ts';
import { isBuiltIn, nodeOf } from './node-of.ts';

interface Deps extends Foundation {
  readonly config: ServiceDeps['config'];
  readonly database: ServiceDeps['database'];
  readonly panels: PanelRegistry;
  readonly logs?: LogPort | undefined;
  readonly appKey: ServiceDeps['appKey'];
  readonly backups?: ServiceDeps['backups'];
  readonly imports?: ServiceDeps['imports'];
}

/** The log of a command, which nobody looks at. */
const NO_LOG: LogPort = {
  list: () => Promise.resolve({ lines: [], end: null }),
  level: () => 'silent',
  setLevel: () => undefined,
};

/**
 * The checks of the installation's health (behaviour 8.7): a module that has one adds its line here. With them backups,
 * as the newest of them is checked as well, imports, and the log and the audit log for staff.
 */
export function composeHealth(deps: Deps) {
  const { clock, uow, database, config } = deps;
  const loop = createLoopDelay();
  const backingUp = composeBackups(deps, deps);
  const coming = composeImports(deps, deps);
  const checks: readonly HealthCheck[] = [
    ...moduleChecks({ ...deps, sendsMail: () => deps.sendsMail(deps.settings.current()) }),
    ...databaseChecks({ database, clock }),
    ...machineChecks({
      clock,
      uow,
      loop,
      dataDir: config.dataDir ?? '.',
      version: VERSION,
      startedMs: clock.now(),
    }),
    nodeCheck({
      runtime: nodeOf(config),
      builtIn: isBuiltIn(config),
      serversDir: config.serversDir ?? '.',
      accepted: () => deps.settings.current().machine_accepted_parts,
    }),
    ticketMailCheck(deps),
    discordRolesCheck(deps),
    redisCheck(deps),
    processesCheck({ database }),
    clockCheck({ clock, database, clocks: deps.outsideClocks }),
    certificateCheck({ clock, appUrl: config.appUrl ?? config.localUrl }),
    challengeCheck(deps),
    ...backingUp.checks,
    imageStorageCheck({ place: imagePlaceOf(deps) }),
    virusScannerCheck(deps),
  ];
  const health = createHealth({ ...deps, checks });
  const tasks: ScheduledTask[] = [
    { name: 'health.sample', everyMs: SAMPLE_MS, run: health.sample },
    { name: 'audit.forget', everyMs: DAY, run: createAuditRetention(deps) },
    ...backingUp.tasks,
    ...coming.tasks,
  ];
  const services = {
    backups: backingUp.backups,
    ...coming.services,
    backupCopies: backingUp.backupCopies,
    health,
    healthPage: createHealthPage({ ...deps, health }),
    loopDelay: loop,
    logs: createLogs({ ...deps, logs: deps.logs ?? NO_LOG }),
    auditLog: createAuditLog(deps),
  };
  return { services, tasks };
}
