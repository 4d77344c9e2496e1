import type { Contract } from '#shared/contract/index.ts';
import type { TokenArea, TokenScope } from '#shared/token-scopes.ts';

type GroupName = keyof Contract & string;
/** The name of an endpoint. */
export type EndpointName = { [G in GroupName]: `${G}.${keyof Contract[G] & string}` }[GroupName];

/**
 * The endpoints that API tokens may call, by area. Every other endpoint is closed to tokens: above all the security of
 * accounts (passwords, sessions, factors, tokens, linked accounts), roles, settings and keys, real money, gifts, and
 * everything that earns credits, which is for people. A name without a dot stands for all endpoints of its group.
 */
const ENDPOINTS_IN: Readonly<Record<TokenArea, readonly (EndpointName | GroupName)[]>> = {
  account: [
    'session.get',
    'account.get',
    'account.statement',
    'account.statementCsv',
    'notifications.list',
    'dashboard.get',
    'heldRewards.list',
    'payments.mine',
    'payments.order',
    'payments.receipt',
    'payments.receiptPdf',
  ],
  servers: ['servers'],
  community: ['leaderboard.get', 'profiles.get', 'profiles.lookup', 'account.skin'],
  'admin.dashboard': ['adminOverview.get', 'adminOverview.activity'],
  'admin.users': [
    'adminUsers.list',
    'adminUsers.exportCsv',
    'adminUsers.get',
    'adminUsers.statement',
    'adminUsers.statementCsv',
    'adminUsers.adjust',
    'adminUsers.refund',
  ],
  'admin.servers': ['adminServers'],
  'admin.server.queue': ['adminServerQueue'],
  'admin.payments': ['adminPayments.list', 'adminPayments.get', 'adminPayments.problems'],
  'admin.economy': ['adminEconomy'],
  'admin.rewards.held': ['adminHeldRewards'],
  'admin.redeem.codes': ['adminRedeemCodes', 'adminCodeBatch'],
  'admin.store.items': ['adminStoreItems'],
  'admin.j4r.servers': ['adminJ4rServers'],
  'admin.locations': ['adminLocations'],
  'admin.nests': ['adminEggCategories'],
  'admin.egg': ['adminEggs'],
  'admin.departments': ['adminDepartments'],
};

const AREA_OF: ReadonlyMap<string, TokenArea> = new Map(
  Object.entries(ENDPOINTS_IN).flatMap(([area, names]) => names.map((name) => [name, area as TokenArea] as const)),
);

/** The scope that a token needs for an endpoint; null: no token may call it. */
export function scopeFor({ name, method }: { readonly name: string; readonly method: string }): TokenScope | null {
  const area = AREA_OF.get(name) ?? AREA_OF.get(name.split('.')[0] ?? '');
  return area ? `${area}:${method === 'GET' ? 'read' : 'write'}` : null;
}
