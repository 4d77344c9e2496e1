/**
 * What a token of the API may call, typed by hand (attacks T61): method and path → the scope that it takes. What is not
 * here is shut to every token (behaviour 3.12).
 */
const BY_HAND: Readonly<Record<string, string>> = {
  // What a page of one’s own shows, but nothing of how one logs in.
  'GET /api/user/session': 'account:read',
  'GET /api/account': 'account:read',
  'GET /api/account/statement': 'account:read',
  'GET /api/account/statement.csv': 'account:read',
  'GET /api/account/held-rewards': 'account:read',
  'GET /api/notifications': 'account:read',
  'GET /api/dashboard': 'account:read',
  'GET /api/payments/orders': 'account:read',
  'GET /api/payments/orders/:id': 'account:read',
  'GET /api/payments/orders/:id/receipt': 'account:read',
  'GET /api/payments/orders/:id/receipt.pdf': 'account:read',
  // One’s own servers, whole; not the account in the panel, which a code by e-mail proves.
  'GET /api/servers': 'servers:read',
  'POST /api/servers': 'servers:write',
  'GET /api/servers/options': 'servers:read',
  'GET /api/servers/availability': 'servers:read',
  'POST /api/server-waits': 'servers:write',
  'DELETE /api/server-waits/:id': 'servers:write',
  'POST /api/servers/renew-due': 'servers:write',
  'GET /api/servers/:id': 'servers:read',
  'PATCH /api/servers/:id': 'servers:write',
  'DELETE /api/servers/:id': 'servers:write',
  'GET /api/servers/:id/usage': 'servers:read',
  'POST /api/servers/:id/power': 'servers:write',
  'POST /api/servers/:id/reinstall': 'servers:write',
  'POST /api/servers/:id/renew': 'servers:write',
  'PUT /api/servers/:id/auto-renew': 'servers:write',
  'POST /api/servers/:id/cancel': 'servers:write',
  'POST /api/servers/:id/retry': 'servers:write',
  // What users see of each other.
  'GET /api/leaderboard': 'community:read',
  'GET /api/profiles/:id': 'community:read',
  'GET /api/lookup': 'community:read',
  'GET /api/users/:id/skin.png': 'community:read',
  // Staff.
  'GET /api/admin/overview': 'admin.dashboard:read',
  'GET /api/admin/overview/activity': 'admin.dashboard:read',
  'GET /api/admin/users': 'admin.users:read',
  'GET /api/admin/users/export.csv': 'admin.users:read',
  'GET /api/admin/users/:id': 'admin.users:read',
  'GET /api/admin/users/:id/statement': 'admin.users:read',
  'GET /api/admin/users/:id/statement.csv': 'admin.users:read',
  'POST /api/admin/users/:id/adjust': 'admin.users:write',
  'POST /api/admin/users/:id/purchases/:purchase/refund': 'admin.users:write',
  // Real money is seen and not moved.
  'GET /api/admin/payments': 'admin.payments:read',
  'GET /api/admin/payments/:id': 'admin.payments:read',
  'GET /api/admin/payments/problems': 'admin.payments:read',
};

/** Areas of staff that are open whole: every endpoint at and below the path, by GET to read, otherwise to change. */
const WHOLE: Readonly<Record<string, string>> = {
  '/api/admin/servers': 'admin.servers',
  '/api/admin/server-queue': 'admin.server.queue',
  '/api/admin/economy': 'admin.economy',
  '/api/admin/held-rewards': 'admin.rewards.held',
  '/api/admin/redeem-codes': 'admin.redeem.codes',
  '/api/admin/store-items': 'admin.store.items',
  '/api/admin/j4r-servers': 'admin.j4r.servers',
  '/api/admin/locations': 'admin.locations',
  '/api/admin/egg-categories': 'admin.nests',
  '/api/admin/eggs': 'admin.egg',
  '/api/admin/departments': 'admin.departments',
};

/** Endpoints that are written down by hand, which all have to be there. */
export const WRITTEN: readonly string[] = Object.keys(BY_HAND);

/** The scope that lets a token call an endpoint; null where none does. */
export function tokenScopeOf({ method, path }: { readonly method: string; readonly path: string }): string | null {
  const byHand = BY_HAND[`${method} ${path}`];
  if (byHand !== undefined) return byHand;
  const [, area] = Object.entries(WHOLE).find(([base]) => path === base || path.startsWith(`${base}/`)) ?? [];
  return area === undefined ? null : `${area}:${method === 'GET' ? 'read' : 'write'}`;
}
