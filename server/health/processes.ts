import type { Database } from '#server/data/open.ts';
import { count, defineCheck, type HealthCheck } from '#server/modules/health/index.ts';

interface Deps {
  readonly database: Pick<Database, 'channel'>;
}

/** Whether this process hears what others on its database say; no row where one process serves it, or does not serve. */
export function processesCheck({ database: { channel } }: Deps): HealthCheck {
  return defineCheck({
    key: 'processes',
    codes: { ok: 'ok', deaf: 'warning' },
    async run() {
      const state = channel?.state();
      if (!state) return [];
      if (!state.isListening) return { code: 'deaf' };
      return { code: 'ok', facts: { count: count(state.processes) }, figure: state.processes };
    },
  });
}
