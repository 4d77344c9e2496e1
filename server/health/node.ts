import { resolve } from 'node:path';
import { count, defineCheck, text } from '#server/modules/health/index.ts';
import type { Runtime } from '#server/panel/index.ts';

interface Deps {
  /** What runs servers on this machine; null: they are imitated, or another panel runs them. */
  readonly runtime: Pick<Runtime, 'list'> | null;
  /** Whether the panel is the built-in one. */
  readonly builtIn: boolean;
  /** Folder of servers. */
  readonly serversDir: string;
}

/** The node of this machine: whether it answers, and whether every server obeys it. */
export function nodeCheck({ runtime, builtIn, serversDir }: Deps) {
  return defineCheck({
    key: 'node',
    codes: { ok: 'ok', none: 'ok', imitated: 'ok', absent: 'critical', stuck: 'critical' },
    async run() {
      if (!runtime) return { code: builtIn ? 'imitated' : 'none' };
      const answer = await runtime.list();
      const path = text(resolve(serversDir));
      if (answer.outcome !== 'ok') return { code: 'absent', facts: { path } };
      const stuck = answer.value.filter((server) => server.halt?.reason === 'stuck');
      const running = answer.value.filter((server) => server.state === 'running').length;
      const facts = { path, running: count(running), all: count(answer.value.length), stuck: count(stuck.length) };
      if (stuck.length === 0) return { code: 'ok', facts, figure: running };
      return { code: 'stuck', facts: { ...facts, server: text(stuck[0]?.id ?? '') }, figure: running };
    },
  });
}
