import { identityKey, providerHost } from '#shared/sso.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { IdentitiesDeps } from './deps.ts';
import type { IdentityRow, Provider } from './ports.ts';

/** What the service of a link is called: as the host named it, or where it is. */
export async function findServiceName(tx: Tx, provider: Provider): Promise<string> {
  const service = (await tx.sso.listEnabled()).find((each) => identityKey(each) === provider);
  return service?.name ?? providerHost(provider);
}

/** Says that an account elsewhere was linked. `ctx` null: the account here is being made with it. */
export async function emitLinked(
  tx: Tx,
  { events }: Pick<IdentitiesDeps, 'events'>,
  ctx: SignedIn | null,
  { id, userId, provider, name }: Pick<IdentityRow, 'id' | 'userId' | 'provider' | 'name'>,
): Promise<void> {
  const service = await findServiceName(tx, provider);
  await events.emit(
    tx,
    'user.identity_linked',
    { userId, identityId: id, name, service, isNewUser: ctx === null },
    ctx,
  );
}
