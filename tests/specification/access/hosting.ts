import type { Part } from './part.types.ts';

/** What staff do about servers, panels and credits. */
export const HOSTING: readonly Part[] = [
  {
    says:
      'Staff, servers and queue: admin.servers edit, delete, list; admin.server.queue create, delete, list, ' +
      'view and logs.view (section 6). Comparing, adopting and suspending change servers.',
    endpoints: {
      'GET /api/admin/servers': 'admin.servers.list',
      'GET /api/admin/servers/export.csv': 'admin.servers.list',
      'GET /api/admin/servers/drift': 'admin.servers.list',
      'POST /api/admin/servers/reconcile': 'admin.servers.edit',
      'GET /api/admin/servers/adopt': 'admin.servers.edit',
      'POST /api/admin/servers/adopt': ['admin.servers.edit', 'idempotent', 'limit:create'],
      'GET /api/admin/servers/orphan': 'admin.servers.delete',
      'DELETE /api/admin/servers/orphan': 'admin.servers.delete',
      'GET /api/admin/servers/:id': 'admin.servers.list',
      'GET /api/admin/servers/:id/usage': ['admin.servers.list', 'limit:usage'],
      'POST /api/admin/servers/:id/suspend': 'admin.servers.edit',
      'POST /api/admin/servers/:id/unsuspend': 'admin.servers.edit',
      'POST /api/admin/servers/:id/reinstall': ['admin.servers.edit', 'idempotent'],
      'DELETE /api/admin/servers/:id': 'admin.servers.delete',
      'GET /api/admin/server-queue': 'admin.server.queue.list',
      'GET /api/admin/server-queue/export.csv': 'admin.server.queue.list',
      'GET /api/admin/server-queue/options': 'admin.server.queue.create',
      'POST /api/admin/server-queue': ['admin.server.queue.create', 'idempotent', 'limit:create'],
      'GET /api/admin/server-queue/logs': 'admin.server.queue.logs.view',
      'GET /api/admin/server-queue/:id': 'admin.server.queue.view',
      'POST /api/admin/server-queue/:id/retry': ['admin.server.queue.create', 'idempotent'],
      'POST /api/admin/server-queue/:id/cancel': ['admin.server.queue.delete', 'idempotent'],
      'GET /api/admin/server-queue/:id/delete': 'admin.server.queue.delete',
      'DELETE /api/admin/server-queue/:id': 'admin.server.queue.delete',
    },
  },
  {
    says: 'Staff, many redeem codes at once (ours): it is creating codes, and each is shown this once.',
    endpoints: {
      'GET /api/admin/redeem-codes/:id/redemptions': 'admin.redeem.codes.list',
      'POST /api/admin/redeem-codes/batch': ['admin.redeem.codes.create', 'idempotent', 'secret', 'limit:create'],
    },
  },
  {
    says: 'Staff, payments (ours): seeing the list, opening one, and moving money are three permissions.',
    endpoints: {
      'GET /api/admin/payments': 'admin.payments.list',
      'GET /api/admin/payments/export.csv': 'admin.payments.list',
      'GET /api/admin/payments/:id': 'admin.payments.view',
      'GET /api/admin/payments/problems': 'admin.payments.list',
      'POST /api/admin/payment-events/:id/retry': 'admin.payments.edit',
      'GET /api/admin/payment-events/:id': 'admin.payments.edit',
      'POST /api/admin/payment-events/:id/credit': ['admin.payments.edit', 'idempotent'],
      'POST /api/admin/payment-events/:id/dismiss': 'admin.payments.edit',
      'POST /api/admin/payments/:id/check': 'admin.payments.edit',
      'POST /api/admin/payments/:id/confirm': ['admin.payments.edit', 'idempotent'],
      'POST /api/admin/payments/:id/refund': ['admin.payments.edit', 'idempotent'],
    },
  },
  {
    says: 'Staff, game panels (ours): their keys open everything, so each verb is a permission of its own.',
    endpoints: {
      'GET /api/admin/panels': 'admin.panels.list',
      'POST /api/admin/panels': ['admin.panels.create', 'idempotent', 'limit:create'],
      'GET /api/admin/panels/:id': 'admin.panels.edit',
      'PATCH /api/admin/panels/:id': ['admin.panels.edit', 'idempotent'],
      'POST /api/admin/panels/:id/test': ['admin.panels.edit', 'limit:check'],
      'GET /api/admin/panels/:id/dependants': 'admin.panels.delete',
      'DELETE /api/admin/panels/:id': 'admin.panels.delete',
      'POST /api/admin/panels/:id/accounts': ['admin.panels.edit', 'limit:check'],
      'POST /api/admin/panels/:id/accounts/bind': ['admin.panels.edit', 'limit:create'],
      'POST /api/admin/panels/:id/sync': 'admin.panels.edit',
      'GET /api/admin/panels/:id/catalogue': 'admin.panels.edit',
      'POST /api/admin/panels/:id/take': ['admin.panels.edit', 'idempotent'],
      'POST /api/admin/panels/:id/turn-off': 'admin.panels.edit',
    },
  },
  {
    says: 'Staff, the economy and rewards on hold (ours): seeing and changing apart.',
    endpoints: {
      'GET /api/admin/held-rewards': 'admin.rewards.held.list',
      'POST /api/admin/held-rewards/:id/decide': ['admin.rewards.held.edit', 'idempotent'],
      'POST /api/admin/held-rewards/decide': ['admin.rewards.held.edit', 'idempotent'],
      'GET /api/admin/economy': 'admin.economy.view',
      'GET /api/admin/economy/export.csv': 'admin.economy.view',
      'POST /api/admin/economy/set-enabled': 'admin.economy.edit',
    },
  },
];
