/** Where an identity comes from: `discord`, or the issuer of a provider (modules/sso). */
export type Provider = string;

/** What a user is linked to elsewhere. */
export interface IdentityRow {
  readonly id: string;
  readonly userId: string;
  readonly provider: Provider;
  /** The provider's id of the person: the identity. Names and addresses are not. Gone with the link. */
  readonly subject: string;
  readonly name: string;
  /** What the person agreed to; may be less than was asked for. */
  readonly scopes: readonly string[];
  /**
   * Sealed; null where the provider is not asked later, or, of Discord, where the person took the consent back or the
   * tokens are worn out: they have to link again.
   */
  readonly tokens: string | null;
  /** Rises with each change of the tokens. */
  readonly version: number;
  readonly linkedMs: number;
}
export type NewIdentity = Omit<IdentityRow, 'version'>;
/** A link that was begun and waits for the person to come back from the provider. */
interface LinkAttempt {
  readonly stateHash: string;
  readonly provider: Provider;
  readonly userId: string;
  /** The session it was begun in, and the only one that may finish it. */
  readonly sessionId: string;
  /** Sealed. */
  readonly verifier: string;
  readonly expiresMs: number;
}

export interface IdentitiesRepo {
  /** Identities that a user is linked to now. */
  listByUser(userId: string): Promise<IdentityRow[]>;
  find(id: string): Promise<IdentityRow | null>;
  findBySubject(provider: Provider, subject: string): Promise<IdentityRow | null>;
  /**
   * Adds a link, and remembers for good its `trace` (see `LinkedIdentity`). Throws DomainError IDENTITY_TAKEN where
   * another user has the identity, ALREADY_LINKED where this one has another of the provider.
   */
  add(identity: NewIdentity, trace: string): Promise<void>;
  /**
   * Writes new tokens where the version still is `version`, and ends the refresh; false where another change came
   * first.
   */
  setTokens(
    id: string,
    version: number,
    tokens: string | null,
    scopes: readonly string[],
    atMs: number,
  ): Promise<boolean>;
  /** Links the same identity of the same user anew. */
  renew(id: string, facts: { name: string; tokens: string; scopes: readonly string[] }, atMs: number): Promise<void>;
  /**
   * Takes the only right to refresh the tokens until a moment; false where another has it or the version is not
   * `version` any more.
   */
  leaseRefresh(id: string, version: number, nowMs: number, untilMs: number): Promise<boolean>;
  /** Gives that right back without new tokens. */
  releaseRefresh(id: string, version: number): Promise<void>;
  /** Removes a link of the user; false where there is none such. */
  remove(id: string, userId: string): Promise<boolean>;
  /** Users other than this one who are or ever were linked to an identity that this one is or ever was linked to. */
  listUsersSharing(userId: string): Promise<string[]>;

  addAttempt(attempt: LinkAttempt): Promise<void>;
  /** Uses an attempt up: once, in its own session, before its end; null otherwise. */
  takeAttempt(stateHash: string, sessionId: string, nowMs: number): Promise<LinkAttempt | null>;
  purgeAttempts(beforeMs: number): Promise<void>;
}

/** What a service elsewhere said: yes, no, or nothing that can be relied on. Unknown never pays and never punishes. */
export type Outcome<T, No extends string = never> =
  | { readonly kind: 'yes'; readonly value: T }
  | { readonly kind: 'no'; readonly reason: No }
  | { readonly kind: 'unknown'; readonly retryAfterS: number | null };

export interface Tokens {
  readonly access: string;
  readonly refresh: string;
  /** UTC ms. */
  readonly expiresMs: number;
  readonly scopes: readonly string[];
}
/** A person as Discord knows them. */
export interface DiscordUser {
  readonly id: string;
  readonly name: string;
  /** What they call themselves; ''. */
  readonly fullName: string;
  /** Only one that Discord has proven; null as well where it was not asked for. */
  readonly email: string | null;
}
export interface DiscordMember {
  readonly joinedMs: number;
  /** Left once and came back. */
  readonly rejoined: boolean;
  /** Has not passed the server's screening yet: not a member in full. */
  readonly pending: boolean;
}
interface DiscordInvite {
  readonly guildId: string;
  readonly guildName: string;
  readonly members: number | null;
}

/** Discord over its documented API. Nothing here throws for what the network does. */
export interface Discord {
  /** Whether an application is set up. */
  configured(): boolean;
  /**
   * Address of the consent page. `challenge`: S256 of the PKCE verifier; `scopes`: in place of those that joining for
   * rewards needs, set apart by spaces.
   */
  consentUrl(state: string, challenge: string, scopes?: string): string;
  /** Trades a code for tokens. */
  exchange(code: string, verifier: string): Promise<Outcome<Tokens, 'refused'>>;
  refresh(refreshToken: string): Promise<Outcome<Tokens, 'refused'>>;
  /** Ends all tokens of the grant, as well as that can be done. */
  revoke(token: string): Promise<void>;
  getUser(access: string): Promise<Outcome<DiscordUser, 'unauthorized'>>;
  /** Ids of the Discord servers the person is in. */
  guilds(access: string): Promise<Outcome<ReadonlySet<string>, 'unauthorized' | 'scope'>>;
  /**
   * The person as a member of a Discord server. `absent`: no such member; `unseen`: they cannot see it, because they
   * are no member or because it is gone.
   */
  member(
    access: string,
    guildId: string,
  ): Promise<Outcome<DiscordMember, 'unauthorized' | 'scope' | 'absent' | 'unseen'>>;
  /** What an invite leads to. */
  invite(code: string): Promise<Outcome<DiscordInvite, 'unknown_invite'>>;
}
