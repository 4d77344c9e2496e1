import { MINUTE, SECOND } from '#shared/time.ts';
import type { Clock, Log, Sealer } from '../kernel.ts';
import type { UnitOfWork } from '../tx.ts';
import type { Discord, IdentityRow, Outcome, Tokens } from './ports.ts';

/** Purpose of the key that tokens are sealed with. */
const SEAL_PURPOSE = 'identities';
/** A token that expires within this many ms is refreshed before it is used. */
const REFRESH_MARGIN = 5 * MINUTE;
/**
 * How long one process has the only right to refresh: longer than the provider may take to answer
 * (`discord_timeout_ms`).
 */
const REFRESH_LEASE = 90 * SECOND;

export interface TokenDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly log: Log;
  readonly sealer: Sealer;
  readonly discord: Discord;
}
type StoredTokens = Pick<Tokens, 'access' | 'refresh' | 'expiresMs'>;
/** An access token that should work, or why there is none: `broken` the person has to link again. */
type Access =
  | { readonly kind: 'yes'; readonly access: string; readonly row: IdentityRow }
  | { readonly kind: 'broken' }
  | { readonly kind: 'unknown'; readonly retryAfterS: number | null };

export type TokenStore = ReturnType<typeof createTokens>;

/**
 * Access tokens of linked identities: opened, refreshed in time, by one at a time. Each refresh token works once, so a
 * second refresh with the same one would look like a consent that was taken back.
 */
export function createTokens({ uow, clock, log, sealer, discord }: TokenDeps) {
  const running = new Map<string, Promise<Access>>();

  function seal(identityId: string, { access, refresh, expiresMs }: Tokens): string {
    return sealer.seal(SEAL_PURPOSE, identityId, JSON.stringify({ access, refresh, expiresMs } satisfies StoredTokens));
  }
  function open(row: IdentityRow): StoredTokens | null {
    if (row.tokens === null) return null;
    const opened = sealer.open(SEAL_PURPOSE, row.id, row.tokens);
    if ('text' in opened) return JSON.parse(opened.text) as StoredTokens;
    log.error('identities.tokens_unreadable', { identity: row.id, fault: opened.fault });
    return null;
  }

  /** A token of an identity. `worn`: an access token that the provider refused. */
  async function getAccess(identityId: string, refusedToken: string | null = null): Promise<Access> {
    const row = await uow.read((tx) => tx.identities.find(identityId));
    const stored = row && open(row);
    if (!row || !stored) return { kind: 'broken' };
    if (stored.access !== refusedToken && stored.expiresMs - REFRESH_MARGIN > clock.now())
      return { kind: 'yes', access: stored.access, row };
    const refreshing = running.get(row.id) ?? refresh(row, stored).finally(() => running.delete(row.id));
    running.set(row.id, refreshing);
    return refreshing;
  }

  async function refresh(row: IdentityRow, stored: StoredTokens): Promise<Access> {
    const now = clock.now();
    if (!(await uow.run((tx) => tx.identities.leaseRefresh(row.id, row.version, now, now + REFRESH_LEASE))))
      return { kind: 'unknown', retryAfterS: null };
    const outcome = await discord.refresh(stored.refresh);
    if (outcome.kind === 'unknown') {
      await uow.run((tx) => tx.identities.releaseRefresh(row.id, row.version));
      return outcome;
    }
    const tokens = outcome.kind === 'yes' ? outcome.value : null;
    const scopes = tokens?.scopes ?? row.scopes;
    const written = await uow.run((tx) =>
      tx.identities.setTokens(row.id, row.version, tokens && seal(row.id, tokens), scopes, clock.now()),
    );
    if (!written) return { kind: 'unknown', retryAfterS: null };
    if (!tokens) log.warn('identities.consent_gone', { identity: row.id });
    return tokens
      ? { kind: 'yes', access: tokens.access, row: { ...row, scopes, version: row.version + 1 } }
      : { kind: 'broken' };
  }

  /** Asks the provider something as the identity. A token it refuses is refreshed once. */
  async function withAccess<T, No extends string>(
    identityId: string,
    request: (access: string) => Promise<Outcome<T, No | 'unauthorized'>>,
  ): Promise<Outcome<T, Exclude<No, 'unauthorized'> | 'broken'>> {
    let expired: string | null = null;
    for (let tries = 0; tries < 2; tries += 1) {
      const token = await getAccess(identityId, expired);
      if (token.kind === 'broken') return { kind: 'no', reason: 'broken' };
      if (token.kind === 'unknown') return token;
      const outcome = await request(token.access);
      if (outcome.kind !== 'no') return outcome;
      const { reason } = outcome;
      if (reason !== 'unauthorized') return { kind: 'no', reason: reason as Exclude<No, 'unauthorized'> };
      expired = token.access;
    }
    // A token that was made just now and is refused all the same says nothing about the person.
    return { kind: 'unknown', retryAfterS: null };
  }

  /** The refresh token of an identity, to end its grant with. */
  function refreshToken(row: IdentityRow): string | null {
    return open(row)?.refresh ?? null;
  }

  return { seal, withAccess, refreshToken };
}

/** A secret that belongs to a link that was begun, sealed and opened. `state`: the hash it is kept under. */
export function createVerifierSealer(sealer: Sealer) {
  return {
    seal: (state: string, verifier: string): string => sealer.seal(`${SEAL_PURPOSE}.verifier`, state, verifier),
    open(state: string, sealed: string): string | null {
      const opened = sealer.open(`${SEAL_PURPOSE}.verifier`, state, sealed);
      return 'text' in opened ? opened.text : null;
    },
  };
}
