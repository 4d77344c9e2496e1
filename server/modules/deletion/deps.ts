import type { Events } from '../events/index.ts';
import type { Identity } from '../identity/index.ts';
import type { Clock, Ids } from '../kernel.ts';
import type { Ledger } from '../ledger/index.ts';
import type { Servers } from '../servers/index.ts';
import type { Tx, UnitOfWork } from '../tx.ts';

export interface DeletionDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly events: Pick<Events, 'emit'>;
  readonly identity: Pick<Identity, 'assertPassword'>;
  readonly ledger: Pick<Ledger, 'balance' | 'transfer'>;
  readonly servers: Pick<Servers, 'removeAllOf'>;
}

/** Whether nobody else in good standing may do everything. */
export async function isLastOwner(tx: Tx, userId: string): Promise<boolean> {
  const owners = await tx.access.holders(['admin.root'], 2);
  return owners.length === 1 && owners[0] === userId;
}
