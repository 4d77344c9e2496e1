/** The files a language consists of; each route group loads only those it needs. */
export const NAMESPACES = [
  'ui',
  'errors',
  'shell',
  'startup',
  'connection',
  'system',
  'auth',
  'twoFactor',
  'passkeys',
  'passwordReset',
  'sso',
  'dashboard',
  'account',
  'statement',
  'users',
  'staffUsers',
  'roles',
  'economy',
  'sources',
  'earn',
  'j4r',
  'linkedAccounts',
  'apiTokens',
  'referrals',
  'links',
  'store',
  'heldRewards',
  'staffHeldRewards',
  'challenge',
  'community',
  'payments',
  'servers',
  'live',
  'panels',
  'staffServers',
  'admin',
  'resources',
  'permissions',
  'mail',
  'settings',
  'customize',
  'palette',
  'debug',
] as const;

/** Name of a file of texts whose keys the compiler knows. */
export type TypedNamespace = (typeof NAMESPACES)[number];
/** The texts of one admin area, which its definition asks for by convention. */
type AreaNamespace = `areas/${string}`;
/** Name of a file of texts. */
export type Namespace = TypedNamespace | AreaNamespace;
