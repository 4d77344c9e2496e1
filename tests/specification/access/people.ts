import type { Part } from './part.types.ts';

/** What staff do about users and their rights. */
export const PEOPLE: readonly Part[] = [
  {
    says:
      'Staff, users: admin.users list and edit (section 6); what changes a user’s credits or shows their ' +
      'statement is editing, and so is creating one, which has no right and no screen of its own.',
    endpoints: {
      'GET /api/admin/users': 'admin.users.list',
      'GET /api/admin/users/export.csv': 'admin.users.list',
      'GET /api/admin/users/find': 'admin.users.list',
      'POST /api/admin/users': ['admin.users.edit', 'idempotent', 'limit:create'],
      'GET /api/admin/users/:id': 'admin.users.edit',
      'GET /api/admin/users/:id/statement': 'admin.users.edit',
      'GET /api/admin/users/:id/statement.csv': 'admin.users.edit',
      'POST /api/admin/users/:id/adjust': ['admin.users.edit', 'idempotent'],
      'POST /api/admin/users/:id/purchases/:purchase/refund': ['admin.users.edit', 'idempotent'],
    },
  },
  {
    says:
      'Staff, bans, ways in, signals, activity, notes, deletion (behaviour 3.9, 8.3): they are parts of a user, so they are editing ' +
      '(section 6), reading them included, as they show addresses and what staff think; deleting has a right of its ' +
      'own. The PIN is one’s own.',
    endpoints: {
      'POST /api/admin/users/:id/ban': 'admin.users.edit',
      'POST /api/admin/users/:id/unban': 'admin.users.edit',
      'POST /api/admin/users/:id/verify': 'admin.users.edit',
      'POST /api/admin/users/:id/role': 'admin.users.edit',
      'POST /api/admin/users/set-role': 'admin.users.edit',
      'POST /api/admin/users/confirm': 'admin.users.edit',
      'POST /api/admin/users/write': ['admin.users.edit', 'idempotent'],
      'GET /api/admin/users/all/count': 'admin.users.edit',
      'POST /api/admin/users/all/set-role': ['admin.users.edit', 'idempotent'],
      'POST /api/admin/users/all/confirm': ['admin.users.edit', 'idempotent'],
      'POST /api/admin/users/all/write': ['admin.users.edit', 'idempotent'],
      'GET /api/admin/users/all/run': 'admin.users.edit',
      'POST /api/admin/users/all/run/:id/cancel': 'admin.users.edit',
      'GET /api/admin/users/:id/sessions': 'admin.users.edit',
      'POST /api/admin/users/:id/sessions/end': 'admin.users.edit',
      'GET /api/admin/users/:id/notes': 'admin.users.edit',
      'POST /api/admin/users/:id/notes': ['admin.users.edit', 'idempotent'],
      'DELETE /api/admin/users/:id/notes/:note': 'admin.users.edit',
      'GET /api/admin/users/:id/dependants': 'admin.users.delete',
      'DELETE /api/admin/users/:id': 'admin.users.delete',
      'PATCH /api/admin/users/:id/profile': 'admin.users.edit',
      'POST /api/admin/users/:id/email': 'admin.users.edit',
      'POST /api/admin/users/:id/username': 'admin.users.edit',
      'DELETE /api/admin/users/:id/passkeys/:passkey': 'admin.users.edit',
      'DELETE /api/admin/users/:id/linked/:link': 'admin.users.edit',
      'DELETE /api/admin/users/:id/two-factor': 'admin.users.edit',
      'POST /api/admin/users/:id/limits': 'admin.users.edit',
      'GET /api/admin/users/:id/signals': 'admin.users.edit',
      'GET /api/admin/users/:id/signals/:other': 'admin.users.edit',
      'GET /api/admin/users/:id/ways-in': 'admin.users.edit',
      'DELETE /api/admin/users/:id/tokens/:token': 'admin.users.edit',
      'GET /api/admin/users/:id/activity': 'admin.users.edit',
      'GET /api/account/support-pin': 'signed-in',
      'POST /api/account/support-pin': 'signed-in',
    },
  },
  {
    says:
      'Viewing as a user (behaviour 8.3) shows more than a list does, so it is editing; whoever views has no right of ' +
      'staff meanwhile, so ending it asks for none.',
    endpoints: {
      'POST /api/admin/users/:id/view-as': 'admin.users.edit',
      'POST /api/view-as/end': 'signed-in',
    },
  },
  {
    says: 'Staff, services to sign in with (behaviour 3.6): whoever may set one up may have it asked about itself.',
    endpoints: {
      'POST /api/admin/sso-providers/:id/test': ['admin.sso.providers.edit', 'limit:check'],
    },
  },
  {
    says:
      'Staff, roles: admin.roles create, edit, delete, list (section 6). Which role holds what is not among them: the ' +
      'admin sees the permission list and changes its rows by admin.permissions create, edit, delete, list.',
    endpoints: {
      'GET /api/admin/roles': 'admin.roles.list',
      'GET /api/admin/roles/export.csv': 'admin.roles.list',
      'GET /api/admin/roles/new': 'admin.roles.create',
      'POST /api/admin/roles': ['admin.roles.create', 'idempotent', 'limit:create'],
      'GET /api/admin/roles/:id': 'admin.roles.edit',
      'PATCH /api/admin/roles/:id': ['admin.roles.edit', 'idempotent'],
      'GET /api/admin/roles/:id/dependants': 'admin.roles.delete',
      'DELETE /api/admin/roles/:id': 'admin.roles.delete',
      'GET /api/admin/permissions': 'admin.permissions.list',
      'GET /api/admin/roles/:id/permissions': 'admin.permissions.list',
      'PATCH /api/admin/permissions': ['admin.permissions.edit', 'idempotent'],
      'POST /api/admin/roles/:id/permissions': 'admin.permissions.create',
      'DELETE /api/admin/roles/:id/permissions': 'admin.permissions.delete',
    },
  },
];
