import type { SsoFault, SsoKind, SsoPurpose } from '#shared/sso.ts';
import type { Outcome, Tokens } from '../identities/ports.ts';

/** A provider as stored. */
export interface SsoProviderRow {
  readonly id: string;
  readonly kind: SsoKind;
  readonly name: string;
  readonly icon: string;
  /** Its own name, an address. It never changes. */
  readonly issuer: string;
  readonly clientId: string;
  /** Sealed; null: it has none. */
  readonly secret: string | null;
  readonly scopes: string;
  readonly enabled: boolean;
}

/** A way to a provider that was begun. */
interface SsoAttempt {
  readonly stateHash: string;
  readonly providerId: string;
  readonly purpose: SsoPurpose;
  /** Who may end it: the session that links, or the hash of the token of the browser that signs in. */
  readonly binding: string;
  /** Nonce and PKCE verifier, sealed. */
  readonly secrets: string;
  readonly expiresMs: number;
}

/** Somebody a provider has told us of, who has no account yet. */
export interface SsoRegistration {
  readonly id: string;
  /** Hash of the token of their browser; null once their registration was sent and waits for its address. */
  readonly deviceKey: string | null;
  readonly providerId: string;
  /** An `SsoPerson`, sealed. */
  readonly person: string;
  readonly expiresMs: number;
}

export interface SsoRepo {
  /** Providers that are enabled, in their order. */
  listEnabled(): Promise<SsoProviderRow[]>;
  findProvider(id: string): Promise<SsoProviderRow | null>;

  addAttempt(attempt: SsoAttempt): Promise<void>;
  /** Uses an attempt up: once, for its purpose and by whom it is bound to, before its end; null otherwise. */
  takeAttempt(stateHash: string, purpose: SsoPurpose, binding: string, nowMs: number): Promise<SsoAttempt | null>;

  /** Keeps what a provider said; of one browser only the latest. */
  putRegistration(registration: SsoRegistration): Promise<void>;
  findRegistration(deviceKey: string, nowMs: number): Promise<SsoRegistration | null>;
  /** Takes it from its browser, so that it is sent once, and keeps it until a moment; false where it was sent already. */
  claimRegistration(id: string, deviceKey: string, untilMs: number): Promise<boolean>;
  /** Removes and returns one. */
  takeRegistration(id: string): Promise<SsoRegistration | null>;
  /** Deletes attempts and registrations that are over. */
  purge(nowMs: number): Promise<void>;
}

/** A provider with everything that asking it needs. */
export interface SsoApp {
  readonly kind: SsoKind;
  readonly issuer: string;
  readonly clientId: string;
  /** '' for an application without one. */
  readonly clientSecret: string;
  readonly scopes: string;
}
/** Secrets of one way there and back. */
export interface SsoSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}
/** What came back with the browser. `iss`: who answers, where the provider says so. */
export interface SsoReturn {
  readonly code: string;
  readonly state: string;
  readonly iss?: string | undefined;
}
/** Somebody as a provider knows them. Texts are the provider's, at most 200 characters. */
export interface SsoPerson {
  /** The provider's id of them: the identity. Neither name nor address is. */
  readonly subject: string;
  readonly name: string;
  readonly username: string;
  /** Only where the provider says that it has proven it, and is to be believed; else null. */
  readonly email: string | null;
  readonly firstName: string;
  readonly lastName: string;
  /** Where the link can be asked something later (Discord). */
  readonly tokens: Tokens | null;
}

/** Why a test of a provider failed, and what the failure is called. */
export interface ProviderFault {
  readonly fault: SsoFault;
  readonly cause: string | null;
}

/** A provider of one kind, over the network. Nothing here throws for what the network or the provider does. */
export interface SsoClient {
  /** Address of the consent page. */
  consentUrl(app: SsoApp, secrets: SsoSecrets): Promise<Outcome<string>>;
  /**
   * Reads what the provider says of itself, without anything of the application but its name; null where all is well.
   * Absent for kinds whose addresses are known.
   */
  test?(app: SsoApp): Promise<ProviderFault | null>;
  /** Trades what came back for who it is. `refused`: it is no good, or proves nothing. */
  identify(app: SsoApp, back: SsoReturn, secrets: SsoSecrets): Promise<Outcome<SsoPerson, 'refused'>>;
}
