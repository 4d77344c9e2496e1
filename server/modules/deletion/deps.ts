import type { Access } from '../access/index.ts';
import type { Events } from '../events/index.ts';
import type { Identity } from '../identity/index.ts';
import type { Clock, Ids } from '../kernel.ts';
import type { Ledger } from '../ledger/index.ts';
import type { Servers } from '../servers/index.ts';
import type { UnitOfWork } from '../tx.ts';

export interface DeletionDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly events: Pick<Events, 'emit'>;
  readonly identity: Pick<Identity, 'assertOwner'>;
  readonly ledger: Pick<Ledger, 'balance' | 'held' | 'transfer'>;
  readonly servers: Pick<Servers, 'removeAllOf'>;
  readonly access: Pick<Access, 'assertNotLastOwner'>;
}
