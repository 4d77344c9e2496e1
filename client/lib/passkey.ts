import { startAuthentication, startRegistration, WebAuthnAbortService } from '@simplewebauthn/browser';
import type * as z from 'zod/mini';
import type { newPasskeyInput, passkeyProofInput } from '#shared/schemas/passkey.ts';

/**
 * The browser's side of passkeys, by a kept library. Loaded when somebody uses one, or may. Both ceremonies throw what
 * the browser refuses; a newer one ends the one before.
 */

/** Options as the API gives them: the library reads them, we pass them on. */
type Options = Readonly<Record<string, unknown>>;
export type PasskeyProof = z.output<typeof passkeyProofInput>;
export type MadePasskey = Omit<z.output<typeof newPasskeyInput>, 'name'>;

/**
 * Asks for a passkey. `autofill`: it is offered in the list of the field that says `webauthn` in its `autocomplete`,
 * and waits there until somebody picks one.
 */
export async function provePasskey(options: Options, autofill = false): Promise<PasskeyProof> {
  const { id, response } = await startAuthentication({
    optionsJSON: options as unknown as Parameters<typeof startAuthentication>[0]['optionsJSON'],
    useBrowserAutofill: autofill,
  });
  return {
    id,
    client_data: response.clientDataJSON,
    authenticator_data: response.authenticatorData,
    signature: response.signature,
    ...(response.userHandle ? { user_handle: response.userHandle } : {}),
  };
}

/** Has an authenticator make a passkey. */
export async function makePasskey(options: Options): Promise<MadePasskey> {
  const { id, response } = await startRegistration({
    optionsJSON: options as unknown as Parameters<typeof startRegistration>[0]['optionsJSON'],
  });
  return {
    id,
    client_data: response.clientDataJSON,
    attestation: response.attestationObject,
    transports: response.transports ?? [],
  };
}

/** Ends a ceremony that waits. */
export const cancelPasskey = (): void => WebAuthnAbortService.cancelCeremony();
