import type { ResourceOptions } from '#shared/contract/crud.ts';
import type { SignedIn, Topic } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { CrudValues } from './ports.ts';

/** What the owner of an area adds to the generic handlers; all of it in the transaction of the change. */
export interface CrudHooks<C = CrudValues, U = CrudValues> {
  /** Told after commit that something changed. */
  readonly topics?: readonly Topic[];
  /** Checks a new row; what it gives back is stored with the input, or instead of it. Undefined: an input is not stored. */
  beforeCreate?(tx: Tx, input: C, ctx: SignedIn): Promise<CrudValues>;
  beforeUpdate?(tx: Tx, input: U, before: CrudValues, ctx: SignedIn): Promise<CrudValues>;
  /** May refuse a deletion for a reason that is not a dependant. */
  beforeDelete?(tx: Tx, row: CrudValues, ctx: SignedIn): Promise<void>;
  /** Values of the selects of form and filter. */
  options?(tx: Tx): Promise<ResourceOptions>;
}
