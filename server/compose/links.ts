import type { ScheduledTask } from '../jobs/scheduler.ts';
import { createLinkProviders } from '../link-providers/index.ts';
import { createLinks } from '../modules/rewards/links/index.ts';
import type { Payout } from '../modules/rewards/payout/index.ts';
import { VERSION } from '../version.ts';
import { HOUR } from '#shared/time.ts';
import type { Foundation } from './foundation.ts';

/** Links for rewards (behaviour 4.5), with their providers and task. */
export function composeLinks(deps: Foundation & { readonly payout: Payout }) {
  const { settings, outbound, appUrl } = deps;
  const providers = createLinkProviders({
    settings,
    fetch: outbound,
    userAgent: () => `Spawnpoint/${VERSION} (+${appUrl()})`,
  });
  const links = createLinks({ ...deps, providers });
  const tasks: ScheduledTask[] = [{ name: 'links.tidy', everyMs: HOUR, run: () => links.tidy() }];
  return { links, tasks };
}
