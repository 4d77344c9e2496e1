import {
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import type * as z from 'zod/mini';
import type { ceremonyOptions, newPasskeyInput, passkeyProofInput } from '#shared/schemas/passkey.ts';

/**
 * The browser's side of passkeys, by a kept library. Loaded when somebody uses one, or may. Both ceremonies throw what
 * the browser refuses; a newer one ends the one before.
 */

/**
 * Options as the API gives them, for either ceremony. The library's types name the words that it knows in each place,
 * where ours say text; our server had the options from the same library.
 */
type Options = z.output<typeof ceremonyOptions>;
export type PasskeyProof = z.output<typeof passkeyProofInput>;
export type MadePasskey = Omit<z.output<typeof newPasskeyInput>, 'name'>;

/**
 * Asks for a passkey. `autofill`: it is offered in the list of the field that says `webauthn` in its `autocomplete`,
 * and waits there until somebody picks one.
 */
export async function provePasskey(options: Options, autofill = false): Promise<PasskeyProof> {
  const { id, response } = await startAuthentication({
    optionsJSON: options as PublicKeyCredentialRequestOptionsJSON,
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
    optionsJSON: options as PublicKeyCredentialCreationOptionsJSON,
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

/** How often passkeys are offered in the list, one refused after the other. */
const OFFERS = 3;

/**
 * Offers passkeys in the list of the name's field for as long as the page is there. In: `ask` waits until somebody
 * picks one, `send` sends it and resolves once it was answered. Out: ends it. What fails is silent: nobody has asked
 * for it.
 */
export function offerPasskeys(ask: () => Promise<object>, send: (outcome: object) => Promise<void>): () => void {
  const end = new AbortController();
  const offer = async (): Promise<void> => {
    if (!(await window.PublicKeyCredential.isConditionalMediationAvailable?.())) return;
    // Still here after an answer: the one that was picked was refused, and another may be.
    for (let left = OFFERS; left > 0 && !end.signal.aborted; left--) {
      const outcome = await ask();
      if (!end.signal.aborted) await send(outcome);
    }
  };
  void offer().catch(() => undefined);
  return () => {
    end.abort();
    cancelPasskey();
  };
}
