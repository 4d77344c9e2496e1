import { createWebAuthn } from '../identity-providers/webauthn.ts';
import type { Identities } from '../modules/identities/index.ts';
import type { Identity } from '../modules/identity/index.ts';
import { createPasskeys } from '../modules/passkeys/index.ts';
import type { Foundation } from './foundation.ts';

/** Passkeys (behaviour 3.5), for the installation's public address. */
export function composePasskeys(deps: Foundation & { readonly identity: Identity; readonly identities: Identities }) {
  return createPasskeys({ ...deps, webAuthn: createWebAuthn(deps) });
}
