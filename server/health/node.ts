import { resolve } from 'node:path';
import { bytes, count, defineCheck, text } from '#server/modules/health/index.ts';
import type { Runtime } from '#server/panel/index.ts';
import { gradeOf, openParts } from '#shared/machine.ts';

interface Deps {
  /** What runs servers on this machine; null: they are imitated, or another panel runs them. */
  readonly runtime: Pick<Runtime, 'list' | 'machine'> | null;
  /** Whether the panel is the built-in one. */
  readonly builtIn: boolean;
  /** Folder of servers. */
  readonly serversDir: string;
  /** The setting `machine_accepted_parts`. */
  readonly accepted: () => string;
}

/** The node of this machine: whether it answers, whether every server obeys it, and for whom the machine is fit. */
export function nodeCheck({ runtime, builtIn, serversDir, accepted }: Deps) {
  return defineCheck({
    key: 'node',
    codes: {
      ok: 'ok',
      counted: 'ok',
      none: 'ok',
      imitated: 'ok',
      closed: 'warning',
      maintenance: 'warning',
      absent: 'critical',
      stuck: 'critical',
      engine: 'critical',
      reserve: 'critical',
    },
    async run() {
      if (!runtime) return { code: builtIn ? 'imitated' : 'none' };
      const [answer, machine] = await Promise.all([runtime.list(), runtime.machine(null)]);
      const path = text(resolve(serversDir));
      if (answer.outcome !== 'ok' || machine.outcome !== 'ok') return { code: 'absent', facts: { path } };
      const { parts, disk, reserve, maintenance, engine } = machine.value;
      const stuck = answer.value.filter((server) => server.halt?.reason === 'stuck');
      const waiting = answer.value.filter((server) => server.halt?.reason === 'engine').length;
      const running = answer.value.filter((server) => server.state === 'running').length;
      const open = openParts(parts, accepted());
      const facts = {
        path,
        grade: text(gradeOf(parts)),
        weak: text(open.join(', ')),
        free: bytes(disk.free),
        running: count(running),
        all: count(answer.value.length),
        stuck: count(stuck.length),
        server: text(stuck[0]?.id ?? ''),
        waiting: count(waiting),
        socket: text(engine.socket),
      };
      const code =
        stuck.length > 0
          ? 'stuck'
          : disk.free < reserve
            ? 'reserve'
            : maintenance
              ? 'maintenance'
              : waiting > 0
                ? 'engine'
                : open.length > 0
                  ? 'closed'
                  : parts.disk === 'enforced'
                    ? 'ok'
                    : 'counted';
      return { code, facts, figure: running };
    },
  });
}
