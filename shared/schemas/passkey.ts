import * as z from 'zod/mini';
import { factorCodeInput, factorPasswordInput } from './account.ts';
import { line } from './primitives.ts';

/** Bytes as browsers give them: base64url, at most so many letters. */
const base64url = (max: number) =>
  z.string().check(z.minLength(1), z.maxLength(max), z.regex(/^[A-Za-z0-9_-]*$/, 'INVALID'));
/** The id of a credential: up to 1,023 bytes (Web Authentication, level 3). */
const credentialId = base64url(1364);
const clientData = base64url(4000);

/** What its user calls a passkey. */
export const passkeyNameInput = z.strictObject({ name: line(1, 60) });
/** What an authenticator signed, for a log-in, a second factor or a confirmation. */
export const passkeyProofInput = z.strictObject({
  id: credentialId,
  client_data: clientData,
  authenticator_data: base64url(4000),
  /** Post-quantum signatures are long: 2,420 bytes. */
  signature: base64url(8000),
  user_handle: z.optional(base64url(100)),
});
/** A passkey that an authenticator made, with its name. */
export const newPasskeyInput = z.strictObject({
  name: passkeyNameInput.shape.name,
  id: credentialId,
  client_data: clientData,
  attestation: base64url(16_000),
  transports: z.array(z.string().check(z.regex(/^[a-z-]{1,20}$/, 'INVALID'))).check(z.maxLength(10)),
});
/** Who sits there: the password, and a code where the second factor is on. */
export const confirmInput = z.strictObject({
  password: factorPasswordInput.shape.password,
  code: z.optional(factorCodeInput.shape.code),
});
