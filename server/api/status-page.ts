import type { Handlers } from '#server/http/implement.types.ts';
import type { StatusPage } from '#server/modules/plugins/index.ts';
import type { statusPage } from '#shared/contract/plugins.ts';
import { iso } from '#shared/time.ts';

interface Services {
  readonly statusPage: StatusPage;
}

/** How the host is, for everybody. */
export function statusPageHandlers({ statusPage: page }: Services): Handlers<typeof statusPage> {
  return {
    async get() {
      const { state, note, atMs, panels, downtimes, uptime } = await page.get();
      return {
        state,
        note,
        at: iso(atMs),
        panels: panels && panels.map(({ name, state: own, hours }) => ({ name, state: own, hours: [...hours] })),
        downtimes: downtimes.map(({ fromMs, untilMs }) => ({ from: iso(fromMs), until: iso(untilMs) })),
        uptime,
      };
    },
  };
}
