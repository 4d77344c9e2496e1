import type { Ledger } from '../ledger/index.ts';
import type { Clock, Ids } from '../kernel.ts';
import type { UnitOfWork } from '../tx.ts';
import type { ImportOrigin } from './ports.ts';

export interface ImportsDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly ledger: Pick<Ledger, 'transfer' | 'reverse'>;
  /** How the history of identities names an account elsewhere. */
  readonly traceOf: (identity: string) => string;
}

/** How the references of an origin begin in the ledger. */
export const originReference = ({ product, instance }: ImportOrigin): string => `import:${product}:${instance}:`;
