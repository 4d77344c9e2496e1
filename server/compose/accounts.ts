import { createActivity } from '../modules/audit/index.ts';
import type { IdentityDeps } from '../modules/identity/index.ts';
import type { Passwords } from '../modules/identity/ports.ts';
import { createMailbox } from '../modules/mailing/index.ts';
import type { Servers } from '../modules/servers/index.ts';
import { composeDeletion } from './deletion.ts';
import { composeExports } from './exports.ts';
import type { Foundation } from './foundation.ts';
import { composeIdentity } from './identity.ts';

type Deps = Foundation &
  Pick<IdentityDeps, 'challenge'> & { readonly passwords: Passwords | undefined; readonly servers: Servers };

/** Accounts (behaviour 3): who somebody is, what happened to them, their data, and the end of it. */
export async function composeAccounts(deps: Deps) {
  const { identity, tasks, jobs } = await composeIdentity(deps);
  const leaving = composeDeletion({ ...deps, identity });
  const exporting = composeExports(deps);
  return {
    identity,
    services: {
      identity,
      deletion: leaving.deletion,
      exports: exporting.exports,
      activity: createActivity(deps),
      mailbox: createMailbox(deps),
    },
    tasks: [...tasks, ...leaving.tasks, ...exporting.tasks],
    jobs: { ...jobs, ...leaving.jobs, ...exporting.jobs },
    subscriptions: leaving.deletion.subscriptions,
  };
}
