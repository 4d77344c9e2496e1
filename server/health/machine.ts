import { readFile, statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';
import type { Clock } from '#server/modules/kernel.ts';
import { bytes, count, defineCheck, share, span, text, time, type HealthCheck } from '#server/modules/health/index.ts';
import type { UnitOfWork } from '#server/modules/tx.ts';
import { DAY } from '#shared/time.ts';
import type { LoopDelay } from './loop-delay.ts';
import { growthOf } from './growth.ts';

interface Deps {
  readonly clock: Clock;
  readonly uow: UnitOfWork;
  readonly loop: LoopDelay;
  /** Folder of the data; its file system is looked at. */
  readonly dataDir: string;
  readonly version: string;
  /** When this process began (UTC ms). */
  readonly startedMs: number;
  /** Size, free and total bytes of a file system; the system's when absent. */
  readonly diskOf?: (path: string) => Promise<{ readonly total: number; readonly free: number }>;
  /** Memory that this process has, and may have, in bytes; the system's when absent. */
  readonly memory?: () => Promise<{ readonly used: number; readonly limit: number }>;
}

/** Shares of the disk, and free bytes, from which on it is worth a word. */
const DISK = { low: 0.85, full: 0.95, lowFree: 2 * 1024 ** 3, fullFree: 256 * 1024 ** 2, soonDays: 7 } as const;
/** Shares of the memory that may be had. */
const MEMORY = { high: 0.8, full: 0.95 } as const;
/** How long the slowest hundredth of turns of the event loop was late. */
const LOOP = { slow: 200, blocked: 2000 } as const;

/** The file system that the data lie on: nothing is written where it is full. */
function diskCheck({ clock, uow, dataDir, diskOf = systemDisk }: Deps) {
  return defineCheck({
    key: 'disk',
    codes: { ok: 'ok', low: 'warning', soon: 'warning', full: 'critical' },
    async run() {
      const { total, free } = await diskOf(dataDir);
      const used = total - free;
      const part = total === 0 ? 0 : used / total;
      const facts = { share: share(part), total: bytes(total), free: bytes(free), path: text(dataDir) };
      if (part >= DISK.full || free < DISK.fullFree) return { code: 'full', facts, figure: used };
      const perDay = await growthOf(uow, { key: 'disk', figure: used, nowMs: clock.now() });
      const days = perDay !== null && perDay > 0 ? free / perDay : null;
      if (days !== null && days < DISK.soonDays)
        return { code: 'soon', facts: { ...facts, left: span(days * DAY) }, figure: used };
      return { code: part >= DISK.low || free < DISK.lowFree ? 'low' : 'ok', facts, figure: used };
    },
  });
}

async function systemDisk(path: string): Promise<{ total: number; free: number }> {
  const { blocks, bavail, bsize } = await statfs(path);
  return { total: blocks * bsize, free: bavail * bsize };
}

/** The memory of this process, against what its machine or container lets it have. */
function memoryCheck({ memory = systemMemory }: Deps) {
  return defineCheck({
    key: 'memory',
    codes: { ok: 'ok', high: 'warning', full: 'critical' },
    ofProcess: true,
    async run() {
      const { used, limit } = await memory();
      const part = limit === 0 ? 0 : used / limit;
      return {
        code: part >= MEMORY.full ? 'full' : part >= MEMORY.high ? 'high' : 'ok',
        facts: { used: bytes(used), limit: bytes(limit), share: share(part) },
        figure: used,
      };
    },
  });
}

/** What control groups let a container have; `max` where they set no limit, and no file outside of one. */
const CGROUP_LIMIT = '/sys/fs/cgroup/memory.max';

async function systemMemory(): Promise<{ used: number; limit: number }> {
  const group = Number(await readFile(CGROUP_LIMIT, 'utf8').catch(() => 'max'));
  const machine = totalmem();
  return {
    used: process.memoryUsage.rss(),
    limit: Number.isFinite(group) && group > 0 ? Math.min(group, machine) : machine,
  };
}

/** How late the thread that answers gets to what is due: everybody waits that long. */
function loopCheck({ loop }: Deps) {
  return defineCheck({
    key: 'loop',
    codes: { ok: 'ok', slow: 'warning', blocked: 'critical' },
    ofProcess: true,
    async run() {
      const { p99, max } = loop.read();
      return {
        code: p99 >= LOOP.blocked ? 'blocked' : p99 >= LOOP.slow ? 'slow' : 'ok',
        facts: { p99: span(p99), max: span(max) },
        figure: Math.round(p99),
      };
    },
  });
}

/** Which version runs, and since when. */
function versionCheck({ version, startedMs, clock }: Deps) {
  return defineCheck({
    key: 'version',
    codes: { ok: 'ok' },
    ofProcess: true,
    async run() {
      return {
        code: 'ok',
        facts: {
          version: text(version),
          runtime: text(`Bun ${Bun.version}`),
          since: time(startedMs),
          up: span(clock.now() - startedMs),
          pid: count(process.pid),
        },
      };
    },
  });
}

/** The checks of the machine and of this process. */
export function machineChecks(deps: Deps): readonly HealthCheck[] {
  return [diskCheck(deps), memoryCheck(deps), loopCheck(deps), versionCheck(deps)];
}
