/** The files a language consists of; each route group loads only those it needs. */
export const NAMESPACES = [
  'common',
  'ui',
  'errors',
  'shell',
  'startup',
  'connection',
  'system',
  'auth',
  'factor',
  'recover',
  'dashboard',
  'account',
  'earn',
  'store',
  'servers',
  'admin',
  'resources',
  'permissions',
  'mail',
  'settings',
  'customize',
  'palette',
  'debug',
] as const;

/** Name of a file of texts. */
export type Namespace = (typeof NAMESPACES)[number];
