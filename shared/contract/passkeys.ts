import * as z from 'zod/mini';
import {
  ceremonyOptions,
  confirmInput,
  newPasskeyInput,
  passkeyNameInput,
  passkeyProofInput,
} from '../schemas/passkey.ts';
import { id, isoTime } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';

const options = z.object({ options: ceremonyOptions });
const ofOwn = z.object({ id });

/** Passkeys: a way in, a second factor, and a confirmation before what is dangerous (behaviour 3.5). */
export const passkeys = group({
  list: {
    method: 'GET',
    path: '/api/account/passkeys',
    summary: 'List passkeys',
    access: 'signed-in',
    errors: [],
    response: z.object({
      /** The domain they belong to; null where the installation has none. */
      domain: z.nullable(z.string()),
      /** Who sits there was confirmed a moment ago: passkeys may be added and removed. */
      confirmed: z.boolean(),
      /** Confirming without a passkey asks for a password (who has none must have just signed in), and for a code. */
      needs_password: z.boolean(),
      needs_code: z.boolean(),
      passkeys: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          created_at: isoTime,
          used_at: z.nullable(isoTime),
          /** Kept by a service that has it on several devices. */
          synced: z.boolean(),
          /** Its counter went back once, as a copy's does. */
          copied: z.boolean(),
        }),
      ),
    }),
  },
  startAdd: {
    method: 'POST',
    path: '/api/account/passkeys/options',
    summary: 'Start adding a passkey',
    access: 'signed-in',
    verified: true,
    errors: ['FEATURE_DISABLED', 'ACCOUNT_UNVERIFIED', 'CONFIRM_REQUIRED', 'PASSKEY_LIMIT'],
    response: options,
  },
  add: {
    method: 'POST',
    path: '/api/account/passkeys',
    summary: 'Add a passkey',
    body: newPasskeyInput,
    access: 'signed-in',
    verified: true,
    errors: [
      'ACCOUNT_UNVERIFIED',
      'CONFIRM_REQUIRED',
      'PASSKEY_LIMIT',
      'PASSKEY_EXPIRED',
      'PASSKEY_REFUSED',
      'VALIDATION_FAILED',
    ],
    response: ofOwn,
  },
  rename: {
    method: 'PATCH',
    path: '/api/account/passkeys/:id',
    summary: 'Rename a passkey',
    params: ofOwn,
    body: passkeyNameInput,
    access: 'signed-in',
    errors: ['NOT_FOUND', 'VALIDATION_FAILED'],
  },
  remove: {
    method: 'DELETE',
    path: '/api/account/passkeys/:id',
    summary: 'Remove a passkey',
    params: ofOwn,
    access: 'signed-in',
    errors: ['NOT_FOUND', 'CONFIRM_REQUIRED', 'LAST_WAY_IN'],
  },
  startLogin: {
    method: 'POST',
    path: '/api/auth/passkey/options',
    summary: 'Start a log-in by passkey',
    description: 'The same for everybody.',
    access: 'open',
    limit: 'challenge',
    errors: ['FEATURE_DISABLED'],
    response: options,
  },
  login: {
    method: 'POST',
    path: '/api/auth/passkey',
    summary: 'Log in by passkey',
    body: passkeyProofInput,
    access: 'open',
    limit: 'passkey',
    errors: ['PASSKEY_UNKNOWN', 'PASSKEY_EXPIRED', 'PASSKEY_REFUSED', 'ACCOUNT_BANNED', 'VALIDATION_FAILED'],
  },
  startFactor: {
    method: 'POST',
    path: '/api/auth/2fa/passkey/options',
    summary: 'Start a passkey as second factor',
    access: 'open',
    waiting: true,
    limit: 'passkey',
    errors: ['PASSKEY_UNKNOWN'],
    response: options,
  },
  passFactor: {
    method: 'POST',
    path: '/api/auth/2fa/passkey',
    summary: 'Pass the second factor by passkey',
    body: passkeyProofInput,
    access: 'open',
    waiting: true,
    limit: 'passkey',
    errors: ['PASSKEY_UNKNOWN', 'PASSKEY_EXPIRED', 'PASSKEY_REFUSED', 'TWO_FACTOR_OFF', 'VALIDATION_FAILED'],
  },
  confirm: {
    method: 'POST',
    path: '/api/auth/confirm',
    summary: 'Confirm who you are by password or code',
    body: confirmInput,
    access: 'signed-in',
    errors: ['VALIDATION_FAILED', 'RATE_LIMITED'],
  },
  startConfirm: {
    method: 'POST',
    path: '/api/auth/confirm/passkey/options',
    summary: 'Start a confirmation by passkey',
    access: 'signed-in',
    errors: ['PASSKEY_UNKNOWN'],
    response: options,
  },
  confirmByPasskey: {
    method: 'POST',
    path: '/api/auth/confirm/passkey',
    summary: 'Confirm who you are by passkey',
    body: passkeyProofInput,
    access: 'signed-in',
    errors: ['PASSKEY_UNKNOWN', 'PASSKEY_EXPIRED', 'PASSKEY_REFUSED', 'VALIDATION_FAILED'],
  },
});
