import type { Locale } from '#shared/i18n/locales.ts';

export type UserStatus = 'active' | 'banned' | 'deleted';

/** A user as stored. `passwordVersion` rises with each change of the password. */
export interface UserRow {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly passwordVersion: number;
  readonly firstName: string;
  readonly lastName: string;
  readonly roleId: string;
  readonly locale: Locale;
  readonly status: UserStatus;
  readonly banReason: string | null;
  /** End of a ban in UTC ms; null while banned means for good. */
  readonly bannedUntilMs: number | null;
  readonly verifiedMs: number | null;
  readonly createdMs: number;
}
type NewUser = Omit<UserRow, 'passwordVersion' | 'status' | 'banReason' | 'bannedUntilMs'>;

/** How a user is written to. */
interface Contact {
  readonly username: string;
  readonly firstName: string;
  readonly address: string;
  readonly locale: Locale;
  readonly status: UserStatus;
  /** The address is confirmed. */
  readonly verified: boolean;
}

/** A session. The secret itself is nowhere; `tokenHash` is its SHA-256. */
export interface SessionRow {
  readonly id: string;
  readonly userId: string;
  readonly tokenHash: string;
  /** Browser and system in short (`Firefox · Windows`); empty where unknown. */
  readonly device: string;
  readonly userAgent: string;
  readonly address: string;
  readonly createdMs: number;
  readonly seenMs: number;
  readonly expiresMs: number;
  /** When it passed the second factor, UTC ms; null: not yet, or there was none. */
  readonly factorMs: number | null;
}

type TokenKind = 'setup' | 'verify' | 'reset';
interface NewToken {
  readonly id: string;
  readonly kind: TokenKind;
  readonly userId: string | null;
  readonly tokenHash: string;
  readonly createdMs: number;
  readonly expiresMs: number;
  /** Fingerprint of what the link stands on; absent: nothing. */
  readonly boundTo?: string;
}

/** Failures counted under a key; `lastMs` is the newest of them. */
interface AttemptRow {
  readonly count: number;
  readonly lastMs: number;
}

/** What identity asks of the database. */
export interface IdentityRepo {
  /** Adds a user. Throws DomainError VALIDATION_FAILED with USERNAME_TAKEN or EMAIL_TAKEN at the field. */
  addUser(user: NewUser): Promise<void>;
  user(id: string): Promise<UserRow | null>;
  /**
   * Locks the user's row for the rest of the transaction (PostgreSQL; on SQLite the transaction alone does) and reads
   * it.
   */
  lockUser(id: string): Promise<UserRow | null>;
  /** By username, or by address where the text holds an @; without case. */
  userByLogin(login: string): Promise<UserRow | null>;
  usernameTaken(username: string): Promise<boolean>;
  /** How to write to a user, in which language; null where there is none. For mails of any module. */
  contact(id: string): Promise<Contact | null>;
  anyUser(): Promise<boolean>;
  setProfile(id: string, profile: { firstName: string; lastName: string; locale: Locale }, atMs: number): Promise<void>;
  /** Sets a new hash where the version still is `version`, and raises it; false where another change came first. */
  setPassword(id: string, hash: string, version: number, atMs: number): Promise<boolean>;
  /** Marks the address as confirmed; false where it was. */
  setVerified(id: string, atMs: number): Promise<boolean>;
  setStatus(
    id: string,
    status: UserStatus,
    ban: { reason: string | null; untilMs: number | null },
    atMs: number,
  ): Promise<void>;

  /** A new session has not passed a second factor. */
  addSession(session: Omit<SessionRow, 'factorMs'>): Promise<void>;
  sessionByHash(tokenHash: string): Promise<SessionRow | null>;
  /** Newest use first, without the expired. */
  sessionsOf(userId: string, nowMs: number): Promise<SessionRow[]>;
  /** Moves last seen and expiry, only forward. */
  touchSession(id: string, seenMs: number, expiresMs: number): Promise<void>;
  /** Gives a session a new secret; false where it has ended. */
  rotateSession(id: string, tokenHash: string, expiresMs: number): Promise<boolean>;
  /** Ends a session of the user; false where there is none such. */
  endSession(id: string, userId: string): Promise<boolean>;
  /** Ends all sessions of a user but one. The ids of those that ended. */
  endSessions(userId: string, exceptId: string | null): Promise<string[]>;
  /** Ends the least recently used sessions beyond `keep`. Their ids. */
  trimSessions(userId: string, keep: number): Promise<string[]>;

  /** Notes a device of the user: one that is known, a new one, or the first of all. */
  recordDevice(userId: string, deviceKey: string, atMs: number): Promise<'known' | 'new' | 'first'>;
  knowsDevice(userId: string, deviceKey: string): Promise<boolean>;

  addToken(token: NewToken): Promise<void>;
  /** Uses a token up: once, and not after its expiry. Its user (null for a set-up token), or null where it is no good. */
  useToken(kind: TokenKind, tokenHash: string, nowMs: number): Promise<{ userId: string | null } | null>;
  /** Whether a token is good, without using it. */
  isTokenValid(kind: TokenKind, tokenHash: string, nowMs: number): Promise<boolean>;
  /** Whose token it is and what it stands on, without using it; null where it is no good. */
  findToken(
    kind: TokenKind,
    tokenHash: string,
    nowMs: number,
  ): Promise<{ userId: string | null; boundTo: string | null } | null>;
  /** Whether a user has any token of a kind that is good and stands on this. */
  hasValidToken(kind: TokenKind, userId: string, boundTo: string, nowMs: number): Promise<boolean>;
  /** Makes every unused token of a kind (of one user) worthless. */
  voidTokens(kind: TokenKind, userId: string | null, atMs: number): Promise<void>;
  /** Times at which tokens of a kind were made for a user since a moment, newest first. */
  tokenTimes(kind: TokenKind, userId: string, sinceMs: number): Promise<number[]>;

  /** Failures under a key. On PostgreSQL the key is locked for the rest of the transaction, whether or not it has a row. */
  attempts(key: string): Promise<AttemptRow | null>;
  setAttempts(key: string, row: AttemptRow): Promise<void>;
  clearAttempts(key: string): Promise<void>;
  /** Forgets the failures under all keys that begin so (letters, digits, `:` and `-`). */
  clearAttemptsUnder(prefix: string): Promise<void>;

  /** Removes what is over: expired sessions (as ids), tokens and attempts older than the moments. */
  purge(nowMs: number, before: { tokensMs: number; attemptsMs: number }): Promise<string[]>;
}

/** What somebody registered with, until the link in their e-mail makes it an account. */
export interface PendingAccount {
  readonly username: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly locale: Locale;
  /** As it was typed; '' for none. */
  readonly referral: string;
  /** Where they registered from, and the hash of the browser. */
  readonly address: string;
  readonly deviceKey: string;
  readonly tokenHash: string;
  readonly createdMs: number;
  readonly expiresMs: number;
}
/** Accounts that wait for their link. A name is there once; an address as often as somebody registers with it. */
export interface PendingRepo {
  /** Reserves the name; false where somebody else has it reserved. */
  add(account: PendingAccount): Promise<boolean>;
  nameTaken(username: string, nowMs: number): Promise<boolean>;
  /** The latest of an address. */
  latest(email: string, nowMs: number): Promise<PendingAccount | null>;
  /** Another link for the one of a name; the one before is worthless. */
  renew(username: string, tokenHash: string, expiresMs: number): Promise<void>;
  /** Takes the one a link belongs to away: once, and not after its expiry. */
  take(tokenHash: string, nowMs: number): Promise<PendingAccount | null>;
  /** Removes what is over. */
  purge(nowMs: number): Promise<void>;
}

/** A user's second factor. Secrets are sealed. */
export interface FactorRow {
  readonly userId: string;
  /** On: asked for at every log-in. */
  readonly secret: string | null;
  readonly enabledMs: number | null;
  /** The last time step whose code was accepted: no code counts twice. */
  readonly lastStep: number;
  /** Being set up: does nothing until a code has confirmed it. */
  readonly pending: string | null;
  readonly pendingMs: number | null;
  /** The session that began it, and the only one that sees its secret. */
  readonly pendingSession: string | null;
}

/** What the second factor asks of the database. Commands hold the lock of the user's row. */
export interface FactorsRepo {
  find(userId: string): Promise<FactorRow | null>;
  save(row: FactorRow): Promise<void>;
  /** Takes the factor and its recovery codes away; no browser counts as one it was passed in any more. */
  remove(userId: string): Promise<void>;
  /** Puts these recovery codes in the place of the old ones. */
  setCodes(userId: string, hashes: readonly string[]): Promise<void>;
  /** Uses a recovery code up; false where there is none, or it was used. */
  useCode(userId: string, hash: string, atMs: number): Promise<boolean>;
  codesLeft(userId: string): Promise<number>;
  /** Recovery codes of anybody that are hashed without the installation's key, so many at most. */
  plainCodes(limit: number): Promise<{ userId: string; hash: string }[]>;
  /** Puts a keyed hash in the place of one without. */
  rehash(code: { userId: string; hash: string }, keyed: string): Promise<void>;
  /** Whether the user has passed the factor in this browser. */
  trusts(userId: string, deviceKey: string): Promise<boolean>;
  /** Notes that they have; only of a browser that they logged in from. */
  trust(userId: string, deviceKey: string, atMs: number): Promise<void>;
  /** The session has passed. */
  markPassed(sessionId: string, atMs: number): Promise<void>;
}

/** Time-based one-time passwords (RFC 6238): six digits, 30 s. */
export interface Totp {
  /** A new secret, base32. */
  newSecret(): string;
  /** Address for authenticator apps. */
  uri(secret: string, issuer: string, account: string): string;
  /** The time step to which a code belongs, one step of 30 s around now allowed; null where it is wrong. */
  stepOf(secret: string, code: string, nowMs: number): number | null;
}

/** Hashing of passwords; the work is bounded (attacks T52). Both throw SERVER_UNAVAILABLE where too many wait. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /**
   * With null in place of a hash the same work is done and the answer is false: an unknown user costs what a known one
   * does.
   */
  verify(password: string, hash: string | null): Promise<boolean>;
}
