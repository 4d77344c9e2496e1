import type { ServersDeps } from './deps.ts';
import type { PanelAnswer, PanelServer } from './panel-port.ts';
import type { PanelState } from './ports.ts';

/** An answer that is not a success. */
export type NoAnswer = Exclude<PanelAnswer<never>, { outcome: 'ok' }>;

/** Asks the panel. Adapters never throw; should one do it all the same, it counts as an answer that never came. */
export async function ask<T>(deps: ServersDeps, call: string, work: () => Promise<PanelAnswer<T>>): Promise<PanelAnswer<T>> {
  let answer: PanelAnswer<T>;
  try {
    answer = await work();
  } catch (error) {
    deps.log.error('servers.panel_threw', { call, error: String(error) });
    return { outcome: 'unknown' };
  }
  if (answer.outcome === 'refused') deps.log.warn('servers.panel_refused', { call, reason: answer.reason });
  else if (answer.outcome === 'unavailable' || answer.outcome === 'unknown') deps.log.info('servers.panel_silent', { call, outcome: answer.outcome });
  return answer;
}

/** What we keep of the panel's word on a server. */
export function stateOf(server: PanelServer): PanelState {
  return server.suspended && server.state === 'ready' ? 'suspended' : server.state;
}
