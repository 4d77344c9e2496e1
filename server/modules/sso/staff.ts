import { fieldError } from '#shared/errors.ts';
import type { SsoProviderInput } from '#shared/resources/sso-providers.ts';
import { SSO_ISSUERS, SSO_SCOPES } from '#shared/sso.ts';
import { iso } from '#shared/time.ts';
import type { CrudHooks, CrudValues } from '../crud/index.ts';
import type { Clock, Sealer } from '../kernel.ts';
import { sealSecret } from './providers.ts';

/**
 * What providers add to the generic handlers: what a kind knows by itself is filled in, secrets are sealed and bound to
 * their issuer, and kind and issuer stay for good (attacks T57).
 */
export function ssoProviderHooks({
  clock,
  sealer,
}: {
  clock: Clock;
  sealer: Sealer;
}): CrudHooks<SsoProviderInput, SsoProviderInput> {
  /** The input as it is stored. `setMs`: when its secret was set; null: there is none. */
  function toStored(input: SsoProviderInput, issuer: string, setMs: number | null): CrudValues {
    const { kind, client_id: id, client_secret: secret = '' } = input;
    const scopes = input.scopes.split(' ').filter(Boolean).join(' ') || SSO_SCOPES[kind];
    const common = { issuer, scopes, client_secret: undefined };
    // Discord's application stands in the settings, where joining for rewards uses it as well.
    if (kind === 'discord') return { ...common, client_id: '' };
    if (id === '') throw fieldError('client_id', 'REQUIRED');
    if (kind !== 'oidc' && secret === '' && setMs === null) throw fieldError('client_secret', 'REQUIRED');
    if (secret === '') return common;
    // Always another time, so that a change of the secret alone is one, and stands in the audit log.
    const at = Math.max(clock.now(), (setMs ?? 0) + 1);
    return { ...common, secret: sealSecret(sealer, issuer, secret), secret_set_at: iso(at) };
  }

  return {
    beforeCreate(_tx, input) {
      const issuer = input.issuer || SSO_ISSUERS[input.kind];
      if (issuer === '') throw fieldError('issuer', 'REQUIRED');
      // Others are where they are; only a GitHub may be a company's own.
      if ((input.kind === 'discord' || input.kind === 'google') && issuer !== SSO_ISSUERS[input.kind])
        throw fieldError('issuer', 'FIXED');
      return Promise.resolve(toStored(input, issuer, null));
    },
    beforeUpdate(_tx, input, before) {
      const issuer = String(before.issuer);
      if (input.kind !== before.kind) throw fieldError('kind', 'FIXED');
      if (input.issuer !== '' && input.issuer !== issuer) throw fieldError('issuer', 'FIXED');
      const setAt = before.secret_set_at;
      return Promise.resolve(toStored(input, issuer, typeof setAt === 'string' ? Date.parse(setAt) : null));
    },
  };
}
