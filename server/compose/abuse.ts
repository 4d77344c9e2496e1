import { createPuzzles } from '../abuse/altcha.ts';
import { networks } from '../abuse/networks.ts';
import { createTurnstile } from '../abuse/turnstile.ts';
import { createVpnProvider } from '../abuse/vpn-provider.ts';
import type { JobHandler } from '../jobs/runner.ts';
import type { ScheduledTask } from '../jobs/scheduler.ts';
import { createAbuse, VPN_JOB, type AbuseDeps, type Identities, type Keyed } from '../modules/abuse/index.ts';
import { createChallenge } from '../modules/challenge/index.ts';
import { createPayout } from '../modules/rewards/payout/index.ts';
import type { Counters } from '../modules/rewards/counters/index.ts';
import type { Ledger } from '../modules/ledger/index.ts';
import type { Outbound } from '../outbound.ts';
import { DAY, MINUTE } from '#shared/time.ts';

interface Deps extends Pick<
  AbuseDeps,
  'uow' | 'clock' | 'ids' | 'log' | 'settings' | 'notifications' | 'sealer' | 'onDecided'
> {
  readonly ledger: Ledger;
  readonly counters: Counters;
  readonly keyed: Keyed;
  readonly appUrl: string;
  readonly outbound: Outbound;
  readonly identities?: Identities;
}

/**
 * Abuse, the challenge, and the payout that asks the review policy (behaviour 4.6), with their adapters, jobs and
 * turns.
 */
export async function composeAbuse(deps: Deps) {
  const { log, clock, ids, ledger, counters, keyed, settings, identities, outbound, ...base } = deps;
  const shared = { ...base, log, clock, ids, settings };
  const abuse = createAbuse({
    ...shared,
    ledger,
    counters,
    keyed,
    networks,
    vpnProvider: createVpnProvider({ settings, clock, log, fetch: outbound }),
    ...(identities ? { identities } : {}),
  });
  await abuse.loadLists();
  const challenge = createChallenge({
    ...shared,
    puzzles: createPuzzles({ signature: keyed.mac('challenge', 'signature'), key: keyed.mac('challenge', 'key') }),
    turnstile: createTurnstile({ log, fetch: outbound, uuid: () => ids.uuid() }),
  });
  const tasks: ScheduledTask[] = [
    { name: 'abuse.lists', everyMs: MINUTE, run: () => abuse.loadLists() },
    { name: 'abuse.release', everyMs: MINUTE, run: async () => void (await abuse.releaseDue()) },
    { name: 'abuse.forget', everyMs: DAY, run: () => abuse.forgetOld() },
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
