import type { MailContact } from '../mailing/ports.ts';
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
  /** IANA name; null: the installation's. */
  readonly timeZone: string | null;
  readonly status: UserStatus;
  readonly banReason: string | null;
  /** End of a ban in UTC ms; null while banned means for good. */
  readonly bannedUntilMs: number | null;
  /** Id of who banned them; null for the command line, and while not banned. */
  readonly bannedBy: string | null;
  readonly bannedMs: number | null;
  readonly verifiedMs: number | null;
  readonly createdMs: number;
}
type NewUser = Omit<
  UserRow,
  'passwordVersion' | 'timeZone' | 'status' | 'banReason' | 'bannedUntilMs' | 'bannedBy' | 'bannedMs'
>;

/** What a user's profile is set to. `timeZone`: IANA name; null for the installation's. */
type NewProfile = Pick<UserRow, 'firstName' | 'lastName' | 'locale' | 'timeZone'>;

/** A session. The secret itself is stored nowhere; `tokenHash` is its SHA-256. */
export interface SessionRow {
  readonly id: string;
  readonly userId: string;
  readonly tokenHash: string;
  /** Browser and system in short (`Firefox · Windows`); empty when unknown. */
  readonly device: string;
  readonly userAgent: string;
  readonly address: string;
  readonly createdMs: number;
  readonly seenMs: number;
  readonly expiresMs: number;
  /** When it passed the second factor, UTC ms; null: not yet, or there was none. */
  readonly factorMs: number | null;
  /** As whom it views, and until when (UTC ms); null: as nobody but its own user. */
  readonly viewing: { readonly userId: string; readonly untilMs: number } | null;
  /** When whoever sits at it last confirmed who they are, UTC ms; null: never. */
  readonly confirmedMs: number | null;
  /** Hash of the browser's device token; null where it is not known. */
  readonly boundDevice: string | null;
  /** The network it was last confirmed in (`blockOf`); null: that of its address. */
  readonly boundNetwork: string | null;
}

/** A session as it begins; without a browser's token it is bound to none. */
export type NewSession = Omit<SessionRow, 'factorMs' | 'viewing' | 'confirmedMs' | 'boundDevice' | 'boundNetwork'> &
  Partial<Pick<SessionRow, 'boundDevice'>>;

type TokenKind = 'setup' | 'verify' | 'reset';
interface NewToken {
  readonly id: string;
  readonly kind: TokenKind;
  readonly userId: string | null;
  readonly tokenHash: string;
  readonly createdMs: number;
  readonly expiresMs: number;
  /** Fingerprint of the state the link is bound to; absent: none. */
  readonly boundTo?: string;
}

/** Failures counted under a key; `lastMs` is the newest of them. */
interface AttemptRow {
  readonly count: number;
  readonly lastMs: number;
}

/** Users, sessions, devices, tokens and counted attempts in the database. */
export interface IdentityRepo {
  /** Adds a user. Throws DomainError VALIDATION_FAILED with USERNAME_TAKEN or EMAIL_TAKEN at the field. */
  addUser(user: NewUser): Promise<void>;
  findUser(id: string): Promise<UserRow | null>;
  /**
   * Locks the user's row for the rest of the transaction (PostgreSQL; on SQLite the transaction alone does) and reads
   * it.
   */
  lockUser(id: string): Promise<UserRow | null>;
  /** By username, or by e-mail address when the text contains an @; ignores case. */
  findUserByLogin(login: string): Promise<UserRow | null>;
  isUsernameTaken(username: string): Promise<boolean>;
  /** Contact data of a user; null when there is no such user. */
  findContact(id: string): Promise<MailContact | null>;
  hasAnyUser(): Promise<boolean>;
  setProfile(id: string, profile: NewProfile, atMs: number): Promise<void>;
  /** Sets a username; fails at the database where another user has it. */
  setUsername(id: string, username: string, atMs: number): Promise<void>;
  /** Sets a new hash if the version is still `version`, and increments it; false when another change came first. */
  setPassword(id: string, hash: string, version: number, atMs: number): Promise<boolean>;
  /** Stores another hash of the same password, where the stored one is still `from`. Sessions go on. */
  replaceHash(id: string, from: string, to: string): Promise<void>;
  /** Marks the address as confirmed; false when it already was. */
  setVerified(id: string, atMs: number): Promise<boolean>;
  /**
   * Sets an address, which must be free, and when it was confirmed (null: it is not); links that were sent to the old
   * one are not touched.
   */
  setEmail(id: string, email: string, verifiedMs: number | null, atMs: number): Promise<void>;
  /** `ban.by`: id of who bans; absent: the command line. */
  setStatus(
    id: string,
    status: UserStatus,
    ban: { reason: string | null; untilMs: number | null; by?: string | null },
    atMs: number,
  ): Promise<void>;
  /** Users whose ban ended before `nowMs`, the longest ago first, at most `limit`. */
  listEndedBans(nowMs: number, limit: number): Promise<string[]>;

  /** A new session has not passed a second factor, was not confirmed, and views as nobody. */
  addSession(session: NewSession): Promise<void>;
  findSession(id: string): Promise<SessionRow | null>;
  /** Binds a session to a browser, if that is known, and a network. */
  bindSession(id: string, binding: { readonly device: string | null; readonly network: string }): Promise<void>;
  findSessionByHash(tokenHash: string): Promise<SessionRow | null>;
  /** Last used first, without expired ones. */
  listSessions(userId: string, nowMs: number): Promise<SessionRow[]>;
  /** Moves last use and expiry of a session, and when its user was last seen, only forward. */
  touchSession(session: Pick<SessionRow, 'id' | 'userId'>, seenMs: number, expiresMs: number): Promise<void>;
  /** Gives a session a new secret; false when it has ended. */
  rotateSession(id: string, tokenHash: string, expiresMs: number): Promise<boolean>;
  /** Ends a session of the user; false when there is no such session. */
  endSession(id: string, userId: string): Promise<boolean>;
  /** Ends all sessions of a user but one. Returns the ids of the ended ones. */
  endSessions(userId: string, exceptId: string | null): Promise<string[]>;
  /** Ends the least recently used sessions beyond `keep`. Returns their ids. */
  trimSessions(userId: string, keep: number): Promise<string[]>;

  /** Makes a session of the user view as another; false when it has ended or views already. */
  startViewing(id: string, userId: string, viewing: NonNullable<SessionRow['viewing']>): Promise<boolean>;
  /** Ends one viewing of a session; false when it is over already. */
  endViewing(id: string, viewing: NonNullable<SessionRow['viewing']>): Promise<boolean>;
  /** Ends every viewing as a user. Returns the ids of the sessions. */
  endViewingsOf(viewedUserId: string): Promise<string[]>;
  /** Viewings whose time was over at `nowMs`, with their sessions, at most `limit`. */
  listEndedViewings(nowMs: number, limit: number): Promise<(NonNullable<SessionRow['viewing']> & { id: string })[]>;

  /** Records a device of the user. Returns whether it was known, is new, or is their first. */
  recordDevice(userId: string, deviceKey: string, atMs: number): Promise<'known' | 'new' | 'first'>;
  isKnownDevice(userId: string, deviceKey: string): Promise<boolean>;

  addToken(token: NewToken): Promise<void>;
  /** Uses a token up, once and before its expiry. Returns its user (null for a set-up token), or null when invalid. */
  useToken(kind: TokenKind, tokenHash: string, nowMs: number): Promise<{ userId: string | null } | null>;
  /** Whether a token is valid, without using it. */
  isTokenValid(kind: TokenKind, tokenHash: string, nowMs: number): Promise<boolean>;
  /** Whose token it is and what it is bound to, without using it; null when invalid. */
  findToken(
    kind: TokenKind,
    tokenHash: string,
    nowMs: number,
  ): Promise<{ userId: string | null; boundTo: string | null } | null>;
  /** Whether a user has a valid token of a kind that is bound to this fingerprint. */
  hasValidToken(kind: TokenKind, userId: string, boundTo: string, nowMs: number): Promise<boolean>;
  /** Invalidates every unused token of a kind and user (null: of set-up tokens). */
  voidTokens(kind: TokenKind, userId: string | null, atMs: number): Promise<void>;
  /** When tokens of a kind were created for a user since `sinceMs`, in UTC ms, newest first. */
  listTokenTimes(kind: TokenKind, userId: string, sinceMs: number): Promise<number[]>;

  /** Failures under a key. On PostgreSQL the key is locked for the rest of the transaction, whether or not it has a row. */
  lockAttempts(key: string): Promise<AttemptRow | null>;
  setAttempts(key: string, row: AttemptRow): Promise<void>;
  clearAttempts(key: string): Promise<void>;
  /** Clears the failures under all keys with this prefix (letters, digits, `:` and `-`). */
  clearAttemptsUnder(prefix: string): Promise<void>;

  /** Deletes at most `limit` sessions that have expired. Out: their ids. */
  purgeSessions(nowMs: number, limit: number): Promise<string[]>;
  /** Deletes at most `limit` tokens that expired before a moment. How many. */
  purgeTokens(beforeMs: number, limit: number): Promise<number>;
  /** Deletes at most `limit` counts of attempts that began before a moment. How many. */
  purgeAttempts(beforeMs: number, limit: number): Promise<number>;
}

/** A registration until the link in its e-mail turns it into an account. */
export interface PendingAccount {
  readonly username: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly locale: Locale;
  /** Referral code as typed; '' for none. */
  readonly referral: string;
  /** What a provider said of who registered through it (modules/sso); '' with a password. */
  readonly ssoRegistration: string;
  /** Address they registered from, and hash of the browser's device token. */
  readonly address: string;
  readonly deviceKey: string;
  readonly tokenHash: string;
  readonly createdMs: number;
  readonly expiresMs: number;
}
/** Accounts that wait for their link. A name occurs once; an address as often as somebody registers with it. */
export interface PendingRepo {
  /** Reserves the name; false when somebody else has reserved it. */
  add(account: PendingAccount): Promise<boolean>;
  isNameTaken(username: string, nowMs: number): Promise<boolean>;
  /** The latest unexpired registration of an address. */
  findLatest(email: string, nowMs: number): Promise<PendingAccount | null>;
  /** Sets a new link for a name; the one before is invalid. */
  renew(username: string, tokenHash: string, expiresMs: number): Promise<void>;
  /** Removes and returns the registration of a link, once and before its expiry. */
  take(tokenHash: string, nowMs: number): Promise<PendingAccount | null>;
  /** Deletes expired registrations. */
  purge(nowMs: number): Promise<void>;
}

/** A user's second factor. Secrets are sealed. */
export interface FactorRow {
  readonly userId: string;
  /** Set: the factor is on and required at every log-in. */
  readonly secret: string | null;
  readonly enabledMs: number | null;
  /** The last time step whose code was accepted: no code is accepted twice. */
  readonly lastStep: number;
  /** Secret of an unfinished set-up: without effect until a code has confirmed it. */
  readonly pending: string | null;
  readonly pendingMs: number | null;
  /** The session that started the set-up, the only one that sees its secret. */
  readonly pendingSession: string | null;
}

/** Second factors in the database. Commands hold the lock of the user's row. */
export interface FactorsRepo {
  find(userId: string): Promise<FactorRow | null>;
  save(row: FactorRow): Promise<void>;
  /** Removes the factor, its recovery codes and its trusted browsers. */
  remove(userId: string): Promise<void>;
  /** Replaces the recovery codes of a user by these hashes. */
  replaceCodes(userId: string, hashes: readonly string[]): Promise<void>;
  /** Uses a recovery code up; false when there is none, or it was used. */
  useCode(userId: string, hash: string, atMs: number): Promise<boolean>;
  countUnusedCodes(userId: string): Promise<number>;
  /** Recovery codes of all users that are hashed without the installation's key, at most `limit`. */
  listUnkeyedCodes(limit: number): Promise<{ userId: string; hash: string }[]>;
  /** Replaces a hash without key by a keyed one. */
  replaceCodeHash(code: { userId: string; hash: string }, keyed: string): Promise<void>;
  /** Whether the user has passed the factor in this browser. */
  isTrustedDevice(userId: string, deviceKey: string): Promise<boolean>;
  /** Records that they have; only for a browser they logged in from. */
  trustDevice(userId: string, deviceKey: string, atMs: number): Promise<void>;
  /** Records that the session has passed the factor. */
  markPassed(sessionId: string, atMs: number): Promise<void>;
  /** Records that whoever sits at the session confirmed who they are. */
  markConfirmed(sessionId: string, atMs: number): Promise<void>;
  /** When they did, UTC ms; null: never. */
  confirmedAt(sessionId: string): Promise<number | null>;
}

/** Time-based one-time passwords (RFC 6238): six digits, 30 s. */
export interface Totp {
  /** A new secret, base32. */
  newSecret(): string;
  /** Address for authenticator apps. */
  uri(secret: string, issuer: string, account: string): string;
  /** The time step a code belongs to, one step of 30 s before or after now allowed; null when it is wrong. */
  stepOf(secret: string, code: string, nowMs: number): number | null;
}

/** Hashing of passwords; concurrency is bounded (attacks T52). Both throw SERVER_UNAVAILABLE when too many wait. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /**
   * Whether the password matches. With null for the hash it does the same work and returns false, so that an unknown
   * user takes as long as a known one.
   */
  verify(password: string, hash: string | null): Promise<boolean>;
}
