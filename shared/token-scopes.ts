/**
 * What an API token can be let into, area by area. An area of staff is the beginning of its permissions
 * (`admin.users`), but where `permissions` says another one; the others are the user’s own. `write`: a token may be let
 * change something there. Which endpoints an area has is written down in `server/http/token-endpoints.ts`.
 */
const AREAS = {
  account: { write: true },
  servers: { write: true },
  store: { write: true },
  // Earning is for people: a token sees it and does none of it.
  earn: { write: false },
  tickets: { write: true },
  images: { write: true },
  community: { write: true },
  'admin.dashboard': { write: true },
  'admin.users': { write: true },
  'admin.servers': { write: true },
  'admin.server.queue': { write: true },
  'admin.payments': { write: true },
  'admin.economy': { write: true },
  'admin.rewards.held': { write: true },
  'admin.redeem.codes': { write: true },
  'admin.store.items': { write: true },
  'admin.credit.packages': { write: true },
  'admin.j4r.servers': { write: true },
  'admin.locations': { write: true },
  'admin.nests': { write: true },
  'admin.egg': { write: true },
  'admin.tickets': { write: true },
  'admin.departments': { write: true },
  'admin.canned.replies': { write: true },
  'admin.announcements': { write: true },
  'admin.redirect.links': { write: true },
  'admin.images': { write: true },
  'admin.image.reports': { write: true },
  'admin.mail.templates': { write: true },
  'admin.mails': { write: true },
  'admin.settings': { write: true },
  'admin.panels': { write: true },
  'admin.health': { write: true },
  'admin.backups': { write: true },
  'admin.plugins': { write: true },
  // A plugin with pages of its own: a token that keeps webhooks needs no other one.
  'admin.webhooks': { write: true, permissions: 'admin.plugins' },
} as const satisfies Record<string, { readonly write: boolean; readonly permissions?: string }>;

export type TokenArea = keyof typeof AREAS;
/** Reading in an area, or changing something there; who may change may read. */
export type TokenScope = `${TokenArea}:${'read' | 'write'}`;

/** Every scope a token can have, in the order in which they are shown. */
export const TOKEN_SCOPES: readonly TokenScope[] = (Object.keys(AREAS) as TokenArea[]).flatMap((area): TokenScope[] =>
  AREAS[area].write ? [`${area}:read`, `${area}:write`] : [`${area}:read`],
);

/** The area of a scope. */
export function areaOf(scope: TokenScope): TokenArea {
  return scope.slice(0, scope.lastIndexOf(':')) as TokenArea;
}

/** What the permissions of an area of staff begin with. */
export function permissionsOf(area: TokenArea): string {
  const declared = AREAS[area];
  return 'permissions' in declared ? declared.permissions : area;
}

/** Whether these scopes hold one: changing includes reading. */
export function hasScope(scopes: readonly TokenScope[], scope: TokenScope): boolean {
  return scopes.includes(scope) || (scope.endsWith(':read') && scopes.includes(`${areaOf(scope)}:write`));
}

/** What a token looks like: a beginning that scanners of leaked secrets can look for, and 32 random bytes. */
export const TOKEN_PREFIX = 'sp_live_';
const TOKEN = /^sp_live_[\w-]{43}$/;

/** Whether a secret is written as an API token; that of a session never is. */
export function isApiToken(secret: string): boolean {
  return TOKEN.test(secret);
}

/** Most tokens of one user. */
export const TOKENS_MAX = 25;
/** The lives that the form offers, in days; it offers a token without an end as well. */
export const TOKEN_DAYS = [30, 90, 365] as const;
