import type { Panel } from '#server/modules/servers/panel/ports.ts';
import type { PanelClient } from './client.ts';
import { NO_USAGE, readUsage } from './shapes.ts';

const IDENTIFIER = /^[A-Za-z0-9-]{1,64}$/;

/** What a server does right now, and its power (client API; panel contract, section 6). */
export function liveCalls(client: PanelClient, hasKey: boolean): Pick<Panel, 'usage' | 'power'> {
  const base = { api: 'client', right: 'servers' } as const;
  return {
    async usage(identifier) {
      if (!hasKey) return { outcome: 'refused', reason: 'no_client_key' };
      if (!IDENTIFIER.test(identifier)) return { outcome: 'refused', reason: 'id' };
      const path = `/servers/${identifier}/resources`;
      const { answer, verdict } = await client.call(
        { ...base, kind: 'read', method: 'GET', path, read: readUsage },
        'live',
      );
      return verdict.daemon ? { outcome: 'ok', value: NO_USAGE } : answer;
    },
    async power(identifier, signal) {
      if (!hasKey) return { outcome: 'refused', reason: 'no_client_key' };
      if (!IDENTIFIER.test(identifier)) return { outcome: 'refused', reason: 'id' };
      const { answer } = await client.call(
        {
          ...base,
          kind: 'write',
          method: 'POST',
          path: `/servers/${identifier}/power`,
          body: { signal },
          read: () => null,
        },
        'live',
      );
      return answer;
    },
  };
}
