/** The files a language consists of; each route group loads only those it needs. */
export const NAMESPACES = [
  'common',
  'ui',
  'errors',
  'shell',
  'system',
  'auth',
  'dashboard',
  'account',
  'earn',
  'store',
  'servers',
  'admin',
  'resources',
  'mail',
  'settings',
] as const;

/** Name of a file of texts. */
export type Namespace = (typeof NAMESPACES)[number];
