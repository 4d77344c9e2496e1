import * as z from 'zod/mini';
import type { Discord, DiscordMember, Outcome, Tokens } from '#server/modules/identities/ports.ts';
import type { Clock, Log } from '#server/modules/kernel.ts';
import type { SettingValues } from '#shared/settings.ts';
import { SECOND } from '#shared/time.ts';
import { createHttp, type Answer } from './http.ts';
import { createLimits } from './limits.ts';

/** Who they are, which servers they are in, and since when: nothing that reads messages. */
const DISCORD_SCOPES = ['identify', 'guilds', 'guilds.members.read'] as const;
/** Member flag: left once and came back. */
const DID_REJOIN = 1;

const snowflake = z.string().check(z.regex(/^\d{15,20}$/));
const tokenAnswer = z.object({
  access_token: z.string().check(z.minLength(1), z.maxLength(2000)),
  refresh_token: z.string().check(z.minLength(1), z.maxLength(2000)),
  expires_in: z.number().check(z.positive(), z.maximum(10_000_000)),
  token_type: z.string(),
  scope: z.string(),
});
const userAnswer = z.object({
  id: snowflake,
  username: z.string(),
  global_name: z.optional(z.nullable(z.string())),
  // Only with the scope `email`.
  email: z.optional(z.nullable(z.string())),
  verified: z.optional(z.boolean()),
});
const guildsAnswer = z.array(z.object({ id: snowflake }));
const memberAnswer = z.object({ joined_at: z.string(), flags: z.optional(z.int()), pending: z.optional(z.boolean()) });
const inviteAnswer = z.object({
  guild: z.object({ id: snowflake, name: z.string() }),
  approximate_member_count: z.optional(z.nullable(z.int())),
});

interface Deps {
  readonly settings: { current(): SettingValues };
  readonly clock: Clock;
  readonly log: Log;
  /** Our public address, and our version: who calls. */
  readonly appUrl: () => string;
  readonly version: string;
  /** Where Discord sends a person back to. */
  readonly redirectUri: () => string;
  /** SHA-256, to tell tokens apart without keeping them. */
  readonly hash: (text: string) => string;
  /** The way to services elsewhere, or what stands for it. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}
type Known = Extract<Answer, { kind: 'answered' }>;

type Call = ReturnType<typeof createHttp>;

/** Discord over its documented API. Ids stay texts: a number would lose digits. */
export function createDiscord(deps: Deps): Discord {
  const { settings, clock, log, appUrl, version, fetch } = deps;
  const call = createHttp({
    base: () => settings.current().discord_api_url,
    timeoutMs: () => settings.current().discord_timeout_ms,
    fetch,
    userAgent: () => `DiscordBot (${appUrl()}, ${version})`,
    limits: createLimits(clock),
    log,
  });
  return { ...tokenEndpoints(deps, call), ...readEndpoints(deps, call) };
}

type TokenEndpoints = Pick<Discord, 'configured' | 'consentUrl' | 'exchange' | 'refresh' | 'revoke'>;

/** What the host's own client id and secret open: consent, and the tokens that come of it. */
function tokenEndpoints({ settings, clock, log, redirectUri }: Deps, call: Call): TokenEndpoints {
  const basic = () =>
    `Basic ${btoa(`${settings.current().discord_client_id}:${settings.current().discord_client_secret}`)}`;

  async function grant(form: Readonly<Record<string, string>>): Promise<Outcome<Tokens, 'refused'>> {
    const at = clock.now();
    const answer = await call({
      method: 'POST',
      path: '/oauth2/token',
      route: '/oauth2/token',
      authorization: basic(),
      form,
    });
    // Our own id or secret is wrong: nobody can link until the host mends it.
    if (answer.kind === 'answered' && answer.status === 401) log.error('discord.client_refused');
    return read(
      answer,
      tokenAnswer,
      ({ json, status }) =>
        status === 400 && json !== null && 'error' in json && json.error === 'invalid_grant' ? 'refused' : null,
      (value) =>
        value.token_type.toLowerCase() !== 'bearer'
          ? null
          : {
              access: value.access_token,
              refresh: value.refresh_token,
              expiresMs: at + Math.floor(value.expires_in) * SECOND,
              scopes: value.scope.split(' ').filter(Boolean),
            },
    );
  }

  return {
    configured: () => settings.current().discord_client_id !== '' && settings.current().discord_client_secret !== '',
    consentUrl(state, challenge, scopes = DISCORD_SCOPES.join(' ')) {
      const { discord_authorize_url: page, discord_client_id: client } = settings.current();
      const query = new URLSearchParams({
        response_type: 'code',
        client_id: client,
        scope: scopes,
        redirect_uri: redirectUri(),
        state,
        prompt: 'consent',
        code_challenge: challenge,
        code_challenge_method: 'S256',
      });
      return `${page}?${query.toString()}`;
    },
    exchange: (code, verifier) =>
      grant({ grant_type: 'authorization_code', code, redirect_uri: redirectUri(), code_verifier: verifier }),
    refresh: (token) => grant({ grant_type: 'refresh_token', refresh_token: token }),
    async revoke(token) {
      await call({
        method: 'POST',
        path: '/oauth2/token/revoke',
        route: '/oauth2/token/revoke',
        authorization: basic(),
        form: { token },
      });
    },
  };
}

/** What is read with a person's token, and of an invite with none. */
function readEndpoints({ hash }: Deps, call: Call): Omit<Discord, keyof TokenEndpoints> {
  const bearer = (access: string) => ({ authorization: `Bearer ${access}`, owner: hash(access).slice(0, 16) });

  return {
    async getUser(access) {
      const answer = await call({ method: 'GET', path: '/users/@me', route: '/users/@me', ...bearer(access) });
      return read(
        answer,
        userAnswer,
        ({ status }) => (status === 401 ? 'unauthorized' : null),
        ({ id, username, global_name, email, verified }) => ({
          id,
          name: username.slice(0, 80),
          fullName: global_name ?? '',
          email: verified === true ? (email ?? null) : null,
        }),
      );
    },
    async guilds(access) {
      const answer = await call({
        method: 'GET',
        path: '/users/@me/guilds?limit=200',
        route: '/users/@me/guilds',
        ...bearer(access),
      });
      return read(answer, guildsAnswer, tokenFault, (list) => new Set(list.map(({ id }) => id)));
    },
    async member(access, guildId) {
      const path = `/users/@me/guilds/${encodeURIComponent(guildId)}/member`;
      const answer = await call({
        method: 'GET',
        path,
        route: '/users/@me/guilds/:id/member',
        major: guildId,
        ...bearer(access),
      });
      return read(answer, memberAnswer, (known) => absence(known) ?? tokenFault(known), memberOf);
    },
    async invite(code) {
      const answer = await call({
        method: 'GET',
        path: `/invites/${encodeURIComponent(code)}?with_counts=true`,
        route: '/invites/:code',
      });
      return read(
        answer,
        inviteAnswer,
        (known) => (known.status === 404 && codeOf(known) === 10_006 ? 'unknown_invite' : null),
        ({ guild, approximate_member_count: members }) => ({
          guildId: guild.id,
          guildName: guild.name.slice(0, 100),
          members: members ?? null,
        }),
      );
    },
  };
}

function memberOf({
  joined_at: joined,
  flags = 0,
  pending = false,
}: z.output<typeof memberAnswer>): DiscordMember | null {
  const joinedMs = Date.parse(joined);
  return Number.isFinite(joinedMs) ? { joinedMs, rejoined: (flags & DID_REJOIN) !== 0, pending } : null;
}

/** Discord's own error code; 0 where the body has none. */
function codeOf({ json }: Known): number {
  return json !== null && 'code' in json && typeof json.code === 'number' ? json.code : 0;
}

/**
 * What a 404 says of a member: "unknown member", or "unknown guild", which Discord also answers for a server that there
 * is no more.
 */
function absence(known: Known): 'absent' | 'unseen' | null {
  if (known.status !== 404) return null;
  return codeOf(known) === 10_007 ? 'absent' : codeOf(known) === 10_004 ? 'unseen' : null;
}

function tokenFault(known: Known): 'unauthorized' | 'scope' | null {
  if (known.status === 401) return 'unauthorized';
  return known.status === 403 && codeOf(known) === 50_026 ? 'scope' : null;
}

/** An answer as yes, no or unknown. What neither fits the schema nor is a refusal we know is unknown. */
function read<S extends z.ZodMiniType, T, No extends string>(
  answer: Answer,
  schema: S,
  refusal: (known: Known) => No | null,
  make: (value: z.output<S>) => T | null,
): Outcome<T, No> {
  if (answer.kind === 'unknown') return answer;
  if (answer.status === 200) {
    const parsed = schema.safeParse(answer.json);
    const value = parsed.success ? make(parsed.data) : null;
    return value === null ? { kind: 'unknown', retryAfterS: null } : { kind: 'yes', value };
  }
  const reason = refusal(answer);
  return reason === null ? { kind: 'unknown', retryAfterS: null } : { kind: 'no', reason };
}
