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

/** The error for a provider without a clear answer; `retryAfterS` null: 10 s. */
export function providerUnavailable(retryAfterS: number | null): DomainError {
  return new DomainError('PROVIDER_UNAVAILABLE', { retryAfterS: retryAfterS ?? 10 });
}
