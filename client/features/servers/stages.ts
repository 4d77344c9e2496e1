import type { ServerView } from '#shared/contract/server-views.ts';

/** The four stages of a build. */
const STAGES = ['queue', 'create', 'install', 'ready'] as const;
type Stage = (typeof STAGES)[number];

/** The step of the queue's log with which a stage begins. */
const BEGINS: Readonly<Record<string, Stage>> = {
  queued: 'queue',
  started: 'create',
  created: 'install',
  found: 'install',
  waiting: 'install',
  installed: 'ready',
};

interface StageView {
  readonly stage: Stage;
  readonly state: 'done' | 'current' | 'todo' | 'error';
  /** How long it took, ms; null until it is over. */
  readonly tookMs: number | null;
}

/**
 * The stages of a server's build, from the queue's log. A retry goes back to creating; a failed server stopped at its
 * current stage, which is never the last.
 */
export function stagesOf(server: ServerView): readonly StageView[] {
  const began = new Map<Stage, number>();
  for (const step of server.queue?.steps ?? []) {
    const stage = BEGINS[step.code];
    if (stage === 'queue') began.clear();
    if (stage && !began.has(stage)) began.set(stage, Date.parse(step.at));
  }
  const failed = server.state === 'failed';
  const last = failed ? STAGES.indexOf('install') : STAGES.length - 1;
  const reached = Math.min(last, Math.max(0, ...STAGES.map((stage, index) => (began.has(stage) ? index : 0))));
  const done = server.state === 'active' || server.state === 'suspended';
  return STAGES.map((stage, index) => {
    const start = began.get(stage);
    const end = STAGES.slice(index + 1)
      .map((next) => began.get(next))
      .find((at) => at !== undefined);
    const over = done || index < reached;
    return {
      stage,
      state: over ? 'done' : index > reached ? 'todo' : failed ? 'error' : 'current',
      tookMs: over && start !== undefined && end !== undefined ? Math.max(0, end - start) : null,
    };
  });
}
