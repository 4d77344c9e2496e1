import type { Events } from '../events/index.ts';
import type { Identities } from '../identities/index.ts';
import type { Identity } from '../identity/index.ts';
import type { Ids } from '../kernel.ts';
import type { Settings } from '../settings/index.ts';
import type { UnitOfWork } from '../tx.ts';
import type { ChallengeDeps } from './challenges.ts';
import type { WebAuthn } from './ports.ts';

export interface PasskeysDeps extends ChallengeDeps {
  readonly uow: UnitOfWork;
  readonly ids: Ids;
  readonly events: Pick<Events, 'emit'>;
  readonly settings: Pick<Settings, 'current'>;
  readonly identity: Pick<Identity, 'openSessionFor' | 'bannedError' | 'confirmation'> & {
    readonly twoFactor: Pick<Identity['twoFactor'], 'passFactor'>;
  };
  readonly identities: Pick<Identities, 'listLogins'>;
  readonly webAuthn: WebAuthn;
}

/** What an authenticator keeps an account under: the bytes of its id, base64url. */
export const handleOf = (userId: string): string => Buffer.from(userId).toString('base64url');
