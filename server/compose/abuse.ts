import { createPuzzles } from '../abuse/altcha.ts';
import { networks } from '../abuse/networks.ts';
import { createTurnstile } from '../abuse/turnstile.ts';
import { createVpnProvider } from '../abuse/vpn-provider.ts';
import type { JobHandler } from '../jobs/runner.ts';
import type { ScheduledTask } from '../jobs/scheduler.ts';
import { createAbuse, VPN_JOB, type AbuseDeps } from '../modules/abuse/index.ts';
import { createChallenge } from '../modules/challenge/index.ts';
import { createPayout } from '../modules/rewards/payout/index.ts';
import { DAY, MINUTE } from '#shared/time.ts';
import type { Foundation } from './foundation.ts';

/**
 * Abuse, the challenge, and the payout that asks whether a reward is held (behaviour 4.6), with their adapters, jobs
 * and tasks.
 */
export async function composeAbuse(deps: Foundation & Pick<AbuseDeps, 'identities'>) {
  const { ids, keyed, ledger, counters, outbound: fetch } = deps;
  const abuse = createAbuse({ ...deps, networks, vpnProvider: createVpnProvider({ ...deps, fetch }) });
  await abuse.loadLists();
  const challenge = createChallenge({
    ...deps,
    puzzles: createPuzzles({ signature: keyed.mac('challenge', 'signature'), key: keyed.mac('challenge', 'key') }),
    turnstile: createTurnstile({ ...deps, fetch, uuid: () => ids.uuid() }),
  });
  const tasks: ScheduledTask[] = [
    { name: 'abuse.lists', everyMs: MINUTE, run: () => abuse.loadLists() },
    { name: 'abuse.release', everyMs: MINUTE, run: async () => void (await abuse.releaseDue()) },
    { name: 'abuse.forget', everyMs: DAY, run: () => abuse.purge() },
  ];
  const jobs: Record<string, JobHandler> = { [VPN_JOB]: abuse.vpnJob };
  return {
    abuse,
    challenge,
    payout: createPayout({ ledger, counters, reviewPolicy: abuse.reviewPolicy }),
    tasks,
    jobs,
  };
}
