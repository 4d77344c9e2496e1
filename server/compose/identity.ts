import { createPasswords } from '../identity-providers/passwords.ts';
import { totp } from '../identity-providers/totp.ts';
import type { ScheduledTask } from '../jobs/scheduler.ts';
import { createIdentity, type IdentityDeps } from '../modules/identity/index.ts';
import type { Passwords } from '../modules/identity/ports.ts';
import { HOUR, MINUTE } from '#shared/time.ts';
import type { Foundation } from './foundation.ts';

type Deps = Foundation & Pick<IdentityDeps, 'challenge'> & { readonly passwords: Passwords | undefined };

/** Accounts and sessions (behaviour 3), with the roles they begin with, their jobs and task. */
export async function composeIdentity(deps: Deps) {
  const { uow, access } = deps;
  const identity = createIdentity({ ...deps, passwords: deps.passwords ?? createPasswords(), totp });
  await uow.run((tx) => access.seedRoles(tx));
  await identity.twoFactor.rehashOldCodes();
  const tasks: ScheduledTask[] = [
    { name: 'identity.purge', everyMs: HOUR, run: () => identity.purge() },
    { name: 'identity.bans', everyMs: MINUTE, run: () => identity.liftEndedBans() },
    { name: 'identity.viewing', everyMs: MINUTE, run: () => identity.viewing.endAllOver() },
  ];
  return { identity, tasks, jobs: identity.jobs };
}
