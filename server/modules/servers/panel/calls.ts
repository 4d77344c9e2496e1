import type { Log } from '../../kernel.ts';
import type { Panel, PanelAnswer, PanelServer, PanelState } from './ports.ts';
import type { PanelRegistry } from './registry.ts';

/**
 * Reasons of a refusal that call for something else than giving up: a port is not free, and the owner's account is not
 * there.
 */
export const PORT_TAKEN = 'port_taken';
export const NO_ACCOUNT = 'user';
/** The panel's key is refused or lacks a right; an account with the user's address or name is somebody else's there. */
export const KEY_REFUSED = /^(key|key_owner|key_address|right:.+)$/;
/** The panel's rule of addresses does not take the owner's, which is older than ours. */
export const ADDRESS_REFUSED = 'email';
export const ACCOUNT_REFUSED = /^(email_taken|username_taken|external_id)$/;

/** An answer that is not a success. */
export type PanelFailure = Exclude<PanelAnswer<never>, { outcome: 'ok' }>;

/**
 * Asks a server's panel. Adapters never throw; should one do it all the same, it counts as an answer that never came. A
 * panel that was removed or disabled is unavailable: it proves nothing (behaviour 6.3).
 */
export type CallPanel = <T>(
  panelId: string | null,
  call: string,
  work: (panel: Panel) => Promise<PanelAnswer<T>>,
) => Promise<PanelAnswer<T>>;

/** Makes the way on which all calls to panels go. `call` names one in the log. */
export function createPanelCaller({ panels, log }: { readonly panels: PanelRegistry; readonly log: Log }): CallPanel {
  return async <T>(
    panelId: string | null,
    call: string,
    work: (panel: Panel) => Promise<PanelAnswer<T>>,
  ): Promise<PanelAnswer<T>> => {
    const panel = panels.find(panelId);
    let answer: PanelAnswer<T> = { outcome: 'unavailable' };
    try {
      if (panel) answer = await work(panel);
    } catch (error) {
      log.error('servers.panel_threw', { panel: panelId, call, error: String(error) });
      return { outcome: 'unknown' };
    }
    if (answer.outcome === 'refused')
      log.warn('servers.panel_refused', { panel: panelId, call, reason: answer.reason });
    else if (answer.outcome === 'unavailable' || answer.outcome === 'unknown')
      log.info('servers.panel_silent', { panel: panelId, call, outcome: answer.outcome });
    return answer;
  };
}

/** What we keep of the panel's word on a server. */
export function reportedState(server: PanelServer): PanelState {
  return server.suspended && server.state === 'ready' ? 'suspended' : server.state;
}
