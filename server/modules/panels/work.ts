import { HOUR, MINUTE } from '#shared/time.ts';
import { PANEL_JOBS } from './deps.ts';
import type { Panels } from './service.ts';

/**
 * Handlers of this module's jobs. A panel that does not answer ends the job: the reading is noted as failed, and the
 * next hour tries again.
 */
export function panelJobs(panels: Pick<Panels, 'sync'>) {
  return {
    [PANEL_JOBS.sync]: {
      leaseMs: 10 * MINUTE,
      backoffMs: () => MINUTE,
      handle: async (payload: unknown) => {
        const panelId: unknown =
          typeof payload === 'object' && payload !== null ? Reflect.get(payload, 'panelId') : undefined;
        if (typeof panelId !== 'string') throw new TypeError('job without panelId');
        await panels.sync(panelId);
      },
    },
  };
}

/** What the scheduler runs: every catalogue is read once an hour (behaviour 6.7). */
export function panelTasks(panels: Pick<Panels, 'requestSyncOfAll'>) {
  return [{ name: 'panels.sync', everyMs: HOUR, run: () => panels.requestSyncOfAll() }];
}
