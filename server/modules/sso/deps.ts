import type { SsoKind } from '#shared/sso.ts';
import type { SettingValues } from '#shared/settings.ts';
import type { Identities } from '../identities/index.ts';
import type { Identity } from '../identity/index.ts';
import type { Clock, Ids, Log, Sealer } from '../kernel.ts';
import type { UnitOfWork } from '../tx.ts';
import type { SsoClient } from './ports.ts';

export interface SsoDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly sealer: Sealer;
  readonly settings: { current(): SettingValues };
  readonly clients: Readonly<Record<SsoKind, SsoClient>>;
  readonly identities: Pick<Identities, 'attach'>;
  readonly identity: Pick<Identity, 'openRecognised' | 'assertRegistrationOpen' | 'registerExternal' | 'confirmation'>;
}
