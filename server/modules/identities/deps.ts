import { DomainError } from '#shared/errors.ts';
import type { Events } from '../events/index.ts';
import type { Ids } from '../kernel.ts';
import type { TokenDeps } from './tokens.ts';

export interface IdentitiesDeps extends TokenDeps {
  /** Keyed hash of a text, under a key of its own. */
  readonly mac: (text: string) => string;
  readonly ids: Ids;
  readonly events: Pick<Events, 'emit'>;
}

/** A service that gives no clear answer. */
export function unavailable(retryAfterS: number | null): DomainError {
  return new DomainError('PROVIDER_UNAVAILABLE', { retryAfterS: retryAfterS ?? 10 });
}
