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
const listed = z.array(z.object({ id: z.string(), type: z.string(), transports: z.optional(z.array(z.string())) }));
/**
 * What a browser asks an authenticator with: options of the Web Authentication API, level 3, as JSON. Nothing else gets
 * through to the browser.
 */
export const ceremonyOptions = z.object({
  challenge: z.string(),
  /** In ms. */
  timeout: z.optional(z.number()),
  hints: z.optional(z.array(z.string())),
  extensions: z.optional(z.object({ credProps: z.optional(z.boolean()) })),
  /** Making a passkey. */
  rp: z.optional(z.object({ id: z.optional(z.string()), name: z.string() })),
  user: z.optional(z.object({ id: z.string(), name: z.string(), displayName: z.string() })),
  pubKeyCredParams: z.optional(z.array(z.object({ alg: z.int(), type: z.string() }))),
  excludeCredentials: z.optional(listed),
  authenticatorSelection: z.optional(
    z.object({
      residentKey: z.optional(z.string()),
      requireResidentKey: z.optional(z.boolean()),
      userVerification: z.optional(z.string()),
    }),
  ),
  attestation: z.optional(z.string()),
  /** Proving one. */
  rpId: z.optional(z.string()),
  allowCredentials: z.optional(listed),
  userVerification: z.optional(z.string()),
});
/** Who sits there: the password, and a code where the second factor is on. */
export const confirmInput = z.strictObject({
  password: factorPasswordInput.shape.password,
  code: z.optional(factorCodeInput.shape.code),
});
