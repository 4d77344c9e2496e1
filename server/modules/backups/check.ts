import { DAY } from '#shared/time.ts';
import { bytes, count, defineCheck, span, type HealthCheck } from '../health/index.ts';
import type { Clock } from '../kernel.ts';
import type { BackupFiles } from './ports.ts';
import type { BackupState } from './tasks.ts';

/** The newest backup is older than this. */
const OLD_MS = 2 * DAY;

interface Deps {
  readonly files: BackupFiles;
  readonly state: BackupState;
  readonly clock: Clock;
}

/**
 * Whether there is a backup that would help: how old the newest is, what its verification said, and whether the day's
 * reached the storage elsewhere.
 */
export function backupCheck({ files, state, clock }: Deps): HealthCheck {
  return defineCheck({
    key: 'backup',
    codes: { ok: 'ok', unproven: 'ok', none: 'warning', old: 'warning', unsent: 'warning', damaged: 'critical' },
    run() {
      const all = files.list();
      const [newest] = all;
      if (!newest) return Promise.resolve({ code: 'none' } as const);
      const age = clock.now() - newest.atMs;
      const facts = { age: span(age), count: count(all.length), size: bytes(newest.bytes) };
      const verified = newest.facts?.verified ?? null;
      if (verified?.fault) return Promise.resolve({ code: 'damaged', facts, figure: newest.bytes } as const);
      if (age > OLD_MS) return Promise.resolve({ code: 'old', facts, figure: newest.bytes } as const);
      const code = state.sendFailedMs !== null ? 'unsent' : verified ? 'ok' : 'unproven';
      return Promise.resolve({ code, facts, figure: newest.bytes } as const);
    },
  });
}
