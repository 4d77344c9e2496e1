import { statfsSync } from 'node:fs';
import { cpus, release, totalmem, uptime } from 'node:os';
import { existsSync } from 'node:fs';
import * as z from 'zod/mini';
import type { RuntimeMachine } from '#server/panel/index.ts';
import { RECIPE_IDS } from '#server/panel/index.ts';
import { SECOND } from '#shared/time.ts';
import { readText, replaceFile } from './files.ts';
import type { Engine } from './engine/client.ts';
import { RECIPES } from './recipes.ts';

/** What staff decided about the machine, kept beside the servers: it holds before anybody asks again. */
const decisions = z.object({ reserve: z.number(), maintenance: z.boolean() });
type Decisions = z.infer<typeof decisions>;
/** Bytes of disk that are kept until staff say otherwise. */
const RESERVE = 256 * 1024 ** 2;
const KB = 1024;
const FREE_MS = 250;

function readDecisions(path: string): Decisions {
  try {
    return decisions.parse(JSON.parse(readText(path)));
  } catch {
    return { reserve: RESERVE, maintenance: false };
  }
}
const field = (text: string, pattern: RegExp) => pattern.exec(text)?.[1]?.trim() ?? '';
/** Kind of the file system that a folder lies on. */
function kindOf(folder: string): string {
  const mounts = readText('/proc/self/mounts')
    .split('\n')
    .map((line) => line.split(' '));
  const on = mounts
    .filter(([, at = '']) => at === '/' || folder === at || folder.startsWith(`${at}/`))
    .sort(([, a = ''], [, b = '']) => a.length - b.length);
  return on.at(-1)?.[2] ?? '';
}

/** This machine: what it has, what keeps its servers apart, and what staff decided about it. */
export function createMachine({
  folder,
  groups,
  isDiskHeld,
  engine,
}: {
  readonly folder: string;
  readonly groups: 1 | 2;
  /** Whether the kernel keeps servers from writing more than they may. */
  readonly isDiskHeld: () => boolean;
  readonly engine: Pick<Engine, 'facts' | 'isReady'>;
}) {
  const path = `${folder}/machine.json`;
  let decided = readDecisions(path);
  function decide(change: Partial<Decisions>): void {
    const next = { ...decided, ...change };
    if (next.reserve === decided.reserve && next.maintenance === decided.maintenance) return;
    replaceFile(path, JSON.stringify(next));
    decided = next;
  }
  function disk(): { readonly total: number; readonly free: number } {
    const { blocks, bavail, bsize } = statfsSync(folder);
    return { total: blocks * bsize, free: bavail * bsize };
  }
  let seen = { atMs: -Infinity, free: 0 };
  /** Asked for every server each second, so the disk itself is asked less often. */
  function freeBytes(): number {
    const atMs = performance.now();
    if (atMs - seen.atMs > FREE_MS) seen = { atMs, free: disk().free };
    return seen.free;
  }
  const isBelowReserve = () => disk().free < decided.reserve;
  return {
    isBelowReserve,
    freeBytes,
    /** Why no server may start. */
    closed: () => (decided.maintenance ? 'maintenance' : isBelowReserve() ? 'reserve' : null),
    maintain: (isOn: boolean) => decide({ maintenance: isOn }),
    /** The machine as it is. In: bytes of disk that it keeps from now on; null: as before. */
    read(reserve: number | null): RuntimeMachine {
      if (reserve !== null) decide({ reserve });
      const memory = readText('/proc/meminfo');
      return {
        // The node does not begin where one of the first five is missing.
        parts: {
          user: 'enforced',
          network: 'enforced',
          memory: 'enforced',
          cpu: 'enforced',
          calls: 'enforced',
          disk: isDiskHeld() ? 'enforced' : 'partial',
        },
        groups,
        system: field(readText('/etc/os-release'), /^PRETTY_NAME="?([^"\n]*)/m) || 'Linux',
        kernel: release(),
        processor: cpus()[0]?.model.trim() ?? '',
        cores: cpus().length,
        uptimeMs: Math.round(uptime() * SECOND),
        memory: { total: totalmem(), free: Number(field(memory, /^MemAvailable:\s+(\d+)/m)) * KB },
        disk: { ...disk(), kind: kindOf(folder) },
        folder,
        maintenance: decided.maintenance,
        reserve: decided.reserve,
        engine: engine.facts(),
        lacking: RECIPE_IDS.flatMap((recipe): RuntimeMachine['lacking'] => {
          if (recipe === 'container') return engine.isReady() ? [] : [{ recipe, needs: null }];
          const { needs, processor = process.arch } = RECIPES[recipe];
          if (processor !== process.arch) return [{ recipe, needs: null }];
          return needs && !existsSync(needs.program) ? [{ recipe, needs: needs.package }] : [];
        }),
      };
    },
  };
}
