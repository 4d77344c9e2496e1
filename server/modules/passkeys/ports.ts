import type * as z from 'zod/mini';
import type { ceremonyOptions } from '#shared/schemas/passkey.ts';
/** A passkey as stored. Texts of bytes are base64url. */
export interface PasskeyRow {
  readonly id: string;
  readonly userId: string;
  /** What the authenticator calls it: unique among all users. */
  readonly credentialId: string;
  /** COSE key; up to 4 KB, as post-quantum keys are long. */
  readonly publicKey: string;
  /** How often the authenticator says it was used; 0 where it does not count. */
  readonly counter: number;
  /** How a browser reaches it (`internal`, `usb` …). */
  readonly transports: readonly string[];
  /** It may be synced between devices. This never changes over its life. */
  readonly multiDevice: boolean;
  /** It is synced now. */
  readonly backedUp: boolean;
  /** What its user calls it. */
  readonly name: string;
  readonly createdMs: number;
  /** UTC ms; null: never. */
  readonly usedMs: number | null;
  /** When its counter went back, as that of a copy does, UTC ms; null: never. */
  readonly copiedMs: number | null;
}
type NewPasskey = Omit<PasskeyRow, 'usedMs' | 'copiedMs'>;

/** Passkeys in the database. Commands hold the lock of the user's row. */
export interface PasskeysRepo {
  /** The oldest first. */
  list(userId: string): Promise<PasskeyRow[]>;
  find(id: string): Promise<PasskeyRow | null>;
  findByCredential(credentialId: string): Promise<PasskeyRow | null>;
  /** False where an account has a passkey of this credential. */
  add(passkey: NewPasskey): Promise<boolean>;
  rename(id: string, name: string): Promise<void>;
  recordUse(id: string, use: { counter: number; backedUp: boolean; atMs: number }): Promise<void>;
  recordCopy(id: string, atMs: number): Promise<void>;
  remove(id: string): Promise<void>;
  removeAll(userId: string): Promise<void>;
}

/** What an authenticator signed, as the browser gives it. */
export interface PasskeyProof {
  /** Of the credential. */
  readonly id: string;
  readonly client_data: string;
  readonly authenticator_data: string;
  readonly signature: string;
  /** The user that the authenticator has it for; security keys without storage leave it out. */
  readonly user_handle?: string | undefined;
}
/** A credential that an authenticator made, as the browser gives it. */
export interface MadeCredential {
  readonly id: string;
  readonly client_data: string;
  readonly attestation: string;
  readonly transports: readonly string[];
}

/** What a browser is asked with: the options of the Web Authentication API, as JSON. */
export type CeremonyOptions = z.output<typeof ceremonyOptions>;
type Listed = Pick<PasskeyRow, 'credentialId' | 'transports'>;

/** The Web Authentication API, level 3, for one domain. Nothing here throws for what a browser sends. */
export interface WebAuthn {
  /** The domain that passkeys belong to; null where the installation has none (an IP address): then there are none. */
  domain(): string | null;
  /** The challenge that client data answer, as it was issued; null where there is none to read. */
  challengeIn(clientData: string): string | null;
  /** `handle`: what the authenticator keeps the account under. */
  creationOptions(ask: {
    readonly challenge: string;
    readonly site: string;
    readonly handle: string;
    readonly username: string;
    readonly known: readonly Listed[];
  }): Promise<CeremonyOptions>;
  /** `allowed` absent: any passkey of the domain, chosen by the person. `verified`: fingerprint, face or PIN is a must. */
  requestOptions(ask: {
    readonly challenge: string;
    readonly verified: boolean;
    readonly allowed?: readonly Listed[];
  }): Promise<CeremonyOptions>;
  /** What was made for a challenge; null where it proves nothing. */
  checkCreation(
    made: MadeCredential,
    challenge: string,
  ): Promise<Pick<PasskeyRow, 'credentialId' | 'publicKey' | 'counter' | 'multiDevice' | 'backedUp'> | null>;
  /** What a proof says of its passkey; null where it proves nothing. The counter is not compared. */
  checkProof(
    proof: PasskeyProof,
    passkey: Pick<PasskeyRow, 'credentialId' | 'publicKey' | 'transports'>,
    ask: { readonly challenge: string; readonly verified: boolean },
  ): Promise<Pick<PasskeyRow, 'counter' | 'multiDevice' | 'backedUp'> | null>;
}
