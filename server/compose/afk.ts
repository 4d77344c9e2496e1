import type { ScheduledTask } from '../jobs/scheduler.ts';
import { createAfk } from '../modules/rewards/afk/index.ts';
import type { Payout } from '../modules/rewards/payout/index.ts';
import { MINUTE } from '#shared/time.ts';
import type { Foundation } from './foundation.ts';

const systemTimer = {
  after(ms: number, run: () => void) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** Earning by presence (behaviour 4.1), with its task. */
export function composeAfk(deps: Foundation & { readonly payout: Payout }) {
  const afk = createAfk({ ...deps, timer: systemTimer });
  const tasks: ScheduledTask[] = [
    { name: 'afk.silent', everyMs: MINUTE, run: async () => void (await afk.endSilent()) },
    { name: 'afk.post', everyMs: MINUTE, run: async () => void (await afk.postDue()) },
  ];
  return { afk, tasks };
}
