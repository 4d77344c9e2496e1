import { DAY } from '#shared/time.ts';
import { bytes, count, defineCheck, span, type HealthCheck } from '../health/index.ts';
import type { Clock } from '../kernel.ts';
import type { BackupFiles } from './ports.ts';

/** The newest backup is older than this. */
const OLD_MS = 2 * DAY;

/** Whether there is a backup that would help: how old the newest is, and what its verification said. */
export function backupCheck({ files, clock }: { readonly files: BackupFiles; readonly clock: Clock }): HealthCheck {
  return defineCheck({
    key: 'backup',
    codes: { ok: 'ok', unproven: 'ok', none: 'warning', old: 'warning', damaged: 'critical' },
    run() {
      const all = files.list();
      const [newest] = all;
      if (!newest) return Promise.resolve({ code: 'none' } as const);
      const age = clock.now() - newest.atMs;
      const facts = { age: span(age), count: count(all.length), size: bytes(newest.bytes) };
      const verified = newest.facts?.verified ?? null;
      if (verified?.fault) return Promise.resolve({ code: 'damaged', facts, figure: newest.bytes } as const);
      const code = age > OLD_MS ? 'old' : verified ? 'ok' : 'unproven';
      return Promise.resolve({ code, facts, figure: newest.bytes } as const);
    },
  });
}
