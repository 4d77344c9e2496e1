import { createActivity } from '../modules/audit/index.ts';
import type { Identities } from '../modules/identities/index.ts';
import type { IdentityDeps } from '../modules/identity/index.ts';
import type { Passwords } from '../modules/identity/ports.ts';
import type { Servers } from '../modules/servers/index.ts';
import { composeDeletion } from './deletion.ts';
import { composeExports } from './exports.ts';
import type { Foundation } from './foundation.ts';
import { composeIdentity } from './identity.ts';
import { composeMailing } from './mailing.ts';
import { composePasskeys } from './passkeys.ts';

type Deps = Foundation &
  Pick<IdentityDeps, 'challenge'> & {
    readonly passwords: Passwords | undefined;
    readonly servers: Servers;
    readonly identities: Identities;
  };

/** Accounts (behaviour 3): who somebody is, what happened to them, their data, and the end of it. */
export async function composeAccounts(deps: Deps) {
  const { identity, tasks, jobs } = await composeIdentity(deps);
  const passkeys = composePasskeys({ ...deps, identity });
  const leaving = composeDeletion({ ...deps, identity });
  const exporting = composeExports(deps);
  const mailing = composeMailing(deps);
  return {
    identity,
    services: {
      identity,
      passkeys,
      deletion: leaving.deletion,
      exports: exporting.exports,
      activity: createActivity(deps),
      ...mailing.services,
    },
    tasks: [...tasks, ...leaving.tasks, ...exporting.tasks],
    jobs: { ...jobs, ...leaving.jobs, ...exporting.jobs, ...mailing.jobs },
    subscriptions: [...passkeys.subscriptions, ...leaving.deletion.subscriptions],
  };
}
