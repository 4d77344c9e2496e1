import { DomainError } from '#shared/errors.ts';
import type { Sealer } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { SsoDeps } from './deps.ts';
import { permitted } from '../permit.ts';
import type { ProviderFault, SsoApp, SsoProviderRow } from './ports.ts';

type ProvidersDeps = Pick<SsoDeps, 'uow' | 'log' | 'sealer' | 'settings' | 'clients'>;

/** Purpose of the key that secrets of providers are sealed with; each is bound to its issuer and opens for no other. */
const SECRET = 'sso.secret';

/** Seals the secret of a provider. */
export function sealSecret(sealer: Sealer, issuer: string, secret: string): string {
  return sealer.seal(SECRET, issuer, secret);
}

/** Providers that people can sign in with now. */
export function createProviders({ uow, log, sealer, settings, clients }: ProvidersDeps) {
  /** A provider with its application; null where it has none that works. */
  function toApp({ kind, issuer, clientId, secret, scopes }: SsoProviderRow): SsoApp | null {
    if (kind === 'discord') {
      const { discord_client_id: id, discord_client_secret: own } = settings.current();
      return id === '' || own === '' ? null : { kind, issuer, clientId: id, clientSecret: own, scopes };
    }
    if (secret === null) return { kind, issuer, clientId, clientSecret: '', scopes };
    const opened = sealer.open(SECRET, issuer, secret);
    if ('text' in opened) return { kind, issuer, clientId, clientSecret: opened.text, scopes };
    log.error('sso.secret_unreadable', { issuer, fault: opened.fault });
    return null;
  }

  /** Those whose application works. */
  async function listUsable(tx: Tx): Promise<SsoProviderRow[]> {
    return (await tx.sso.listEnabled()).filter((row) => toApp(row) !== null);
  }

  /** A provider that can be signed in with. Throws FEATURE_DISABLED where it is gone, off or has no application. */
  async function getUsable(id: string): Promise<{ row: SsoProviderRow; app: SsoApp }> {
    const row = await uow.read((tx) => tx.sso.findProvider(id));
    const app = row?.enabled ? toApp(row) : null;
    if (!row || !app) throw new DomainError('FEATURE_DISABLED');
    return { row, app };
  }

  /**
   * Reads anew what a stored provider says of itself: at the issuer it was made with, whatever stands in a form
   * (attacks T57). Out: what is wrong with it; null where nothing is. Throws FORBIDDEN, NOT_FOUND.
   */
  const test = permitted('admin.sso.providers.edit', async (_ctx, id: string): Promise<ProviderFault | null> => {
    const row = await uow.read((tx) => tx.sso.findProvider(id));
    if (!row) throw new DomainError('NOT_FOUND');
    const app = toApp(row);
    if (!app) return { fault: 'application', cause: null };
    return (await clients[row.kind].test?.(app)) ?? null;
  });

  return { listUsable, getUsable, test };
}
export type Providers = ReturnType<typeof createProviders>;
