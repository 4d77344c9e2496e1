import { networks } from '../abuse/networks.ts';
import type { ScheduledTask } from '../jobs/scheduler.ts';
import { createApiTokens } from '../modules/api-tokens/index.ts';
import { requiresSecondFactor, requiresVerification } from '../modules/identity/index.ts';
import { DAY } from '#shared/time.ts';
import type { Foundation } from './foundation.ts';

/** Keys of the API, with the task that throws away old ones. */
export function composeApiTokens(foundation: Foundation) {
  const apiTokens = createApiTokens({
    ...foundation,
    parseNetworks: networks.parse,
    requiresVerification: () => requiresVerification(foundation),
    requiresSecondFactor: (permissions) => requiresSecondFactor(foundation, permissions),
  });
  const tasks: ScheduledTask[] = [{ name: 'tokens.purge', everyMs: DAY, run: () => apiTokens.purge() }];
  return { apiTokens, tasks };
}
