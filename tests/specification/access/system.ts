import type { Part } from './part.types.ts';

/** What staff do about the installation. */
export const SYSTEM: readonly Part[] = [
  {
    says:
      'Plugins (behaviour 8.8): staff by the permissions of section 6. The status page is for everybody where staff ' +
      'turned it on, and so are the endpoints of plugins that were granted them.',
    endpoints: {
      'GET /api/admin/plugins': 'admin.plugins.list',
      'GET /api/admin/plugins/:identifier': 'admin.plugins.edit',
      'PUT /api/admin/plugins/:identifier/on': 'admin.plugins.edit',
      'PATCH /api/admin/plugins/:identifier': ['admin.plugins.edit', 'idempotent'],
      'DELETE /api/admin/plugins/:identifier': 'admin.plugins.edit',
      'POST /api/admin/plugin-uploads': ['admin.plugins.edit', 'ceiling:image', 'limit:upload', 'upload'],
      'GET /api/admin/plugin-uploads/:id': 'admin.plugins.edit',
      'POST /api/admin/plugin-uploads/:id/install': ['admin.plugins.edit', 'limit:create', 'idempotent'],
      'DELETE /api/admin/plugin-uploads/:id': 'admin.plugins.edit',
      'GET /api/admin/discord-roles': 'admin.plugins.edit',
      'PUT /api/admin/discord-roles': ['admin.plugins.edit', 'idempotent'],
      'POST /api/admin/discord-roles/check': ['admin.plugins.edit', 'limit:check'],
      'GET /api/plugin/:identifier/:name': ['open', 'limit:guestRead'],
      'POST /api/plugin/:identifier/:name': ['open', 'limit:guestRead'],
      'GET /api/status': 'open',
    },
  },
  {
    says: 'Staff, dashboard: admin.dashboard.view, and its components each by its own permission (section 6).',
    endpoints: {
      'GET /api/admin/overview': 'admin.dashboard.view',
      'PUT /api/admin/overview/layout': 'admin.dashboard.view',
      'GET /api/admin/attention': 'admin.dashboard.view',
      'GET /api/admin/search': ['admin.dashboard.view', 'secret'],
      'PUT /api/admin/attention/snooze': 'admin.dashboard.view',
      'PUT /api/admin/attention/unsnooze': 'admin.dashboard.view',
      'GET /api/admin/overview/activity': 'admin.dashboard.components.activity.view',
      'GET /api/admin/updates': 'admin.dashboard.components.system.updates',
      'POST /api/admin/updates/check': ['admin.dashboard.components.system.updates', 'limit:check'],
      'GET /api/admin/updates/repository': 'admin.dashboard.components.githubrepo.view',
    },
  },
  {
    says:
      'Staff, settings: admin.settings view and edit (section 6). Looking at what a change would do, and at a text ' +
      'that is being written, belongs to editing.',
    endpoints: {
      'GET /api/admin/settings': 'admin.settings.view',
      'POST /api/admin/settings/review': 'admin.settings.edit',
      'POST /api/admin/settings/preview': 'admin.settings.edit',
      'PATCH /api/admin/settings': ['admin.settings.edit', 'idempotent'],
      'POST /api/admin/pictures/:kind': ['admin.settings.edit', 'limit:upload', 'upload', 'ceiling:image'],
      'GET /api/admin/settings/history': 'admin.settings.view',
      'GET /api/admin/settings/history/:id': 'admin.settings.view',
      'POST /api/admin/settings/history/:id/undo': ['admin.settings.edit', 'idempotent'],
      'GET /api/admin/settings/export': 'admin.settings.view',
      'POST /api/admin/settings/test/:service': ['admin.settings.edit', 'limit:create'],
    },
  },
  {
    says:
      'Staff, what the product’s e-mails say: admin.mail.templates edit, delete, list (section 6). A look at what is ' +
      'being written and a test of it are editing; back to the original is deleting.',
    endpoints: {
      'GET /api/admin/mail-templates': 'admin.mail.templates.list',
      'GET /api/admin/mail-templates/:id': 'admin.mail.templates.edit',
      'GET /api/admin/mail-templates/:id/changes': 'admin.mail.templates.delete',
      'PATCH /api/admin/mail-templates/:id': ['admin.mail.templates.edit', 'idempotent'],
      'POST /api/admin/mail-templates/:id/preview': 'admin.mail.templates.edit',
      'POST /api/admin/mail-templates/:id/test': ['admin.mail.templates.edit', 'idempotent', 'limit:mail'],
      'DELETE /api/admin/mail-templates/:id': 'admin.mail.templates.delete',
    },
  },
  {
    says:
      'Staff, the host’s own e-mails (ours): written by whoever may edit templates; writing to users needs the right to ' +
      'edit them.',
    endpoints: {
      'GET /api/admin/own-mails': 'admin.mail.templates.list',
      'POST /api/admin/own-mails': ['admin.mail.templates.create', 'idempotent', 'limit:create'],
      'GET /api/admin/own-mails/:id': 'admin.mail.templates.edit',
      'PATCH /api/admin/own-mails/:id': ['admin.mail.templates.edit', 'idempotent'],
      'POST /api/admin/own-mails/:id/preview': 'admin.mail.templates.edit',
      'POST /api/admin/own-mails/:id/test': ['admin.mail.templates.edit', 'idempotent', 'limit:mail'],
      'GET /api/admin/own-mails/:id/dependants': 'admin.mail.templates.delete',
      'DELETE /api/admin/own-mails/:id': 'admin.mail.templates.delete',
      'GET /api/admin/own-mails/:id/campaigns': 'admin.users.edit',
      'POST /api/admin/own-mails/:id/count': 'admin.users.edit',
      'POST /api/admin/own-mails/:id/send': ['admin.users.edit', 'idempotent'],
      'POST /api/admin/own-mails/campaigns/:id/cancel': ['admin.users.edit', 'idempotent'],
    },
  },
  {
    says: 'Staff, the outbox of e-mails (ours): reading what was written to users, and sending it again, are two rights.',
    endpoints: {
      'GET /api/admin/mails': 'admin.mails.list',
      'GET /api/admin/mails/:id': 'admin.mails.list',
      'POST /api/admin/mails/:id/cancel': ['admin.mails.edit', 'idempotent'],
      'POST /api/admin/mails/:id/resend': ['admin.mails.edit', 'idempotent'],
      'POST /api/admin/mails/resend': ['admin.mails.edit', 'idempotent'],
    },
  },
  {
    says:
      'Staff, the log and the audit log: the components of the dashboard that show them (section 6), the audit log as far ' +
      'as the caller may list what it is about. The level of the log is a setting until the next start.',
    endpoints: {
      'GET /api/admin/logs': 'admin.dashboard.components.system.logs',
      'POST /api/admin/logs/level': 'admin.settings.edit',
      'GET /api/admin/audit': 'admin.dashboard.components.activity.view',
      'GET /api/admin/audit/export.csv': 'admin.dashboard.components.activity.view',
    },
  },
  {
    says:
      'Staff, backups: admin.backups create, delete, list (section 6). A file is as much as whoever opens it can read, so ' +
      'fetching one is for those who make them; what replaces everything, and the key that opens everything, is the owner’s.',
    endpoints: {
      'GET /api/admin/backups': 'admin.backups.list',
      'POST /api/admin/backups': ['admin.backups.create', 'limit:create'],
      'POST /api/admin/backups/locked': ['admin.root', 'limit:create'],
      'POST /api/admin/backups/:id/verify': ['admin.backups.create', 'limit:create'],
      'PUT /api/admin/backup-uploads/:upload': ['admin.root', 'ceiling:backupPart', 'upload'],
      'POST /api/admin/backups/:id/send': ['admin.backups.create', 'limit:create'],
      'POST /api/admin/backups/:id/fetch': ['admin.backups.create', 'limit:create'],
      'DELETE /api/admin/backups/:id/remote': 'admin.backups.delete',
      'POST /api/admin/backups/:id/prepare': 'admin.backups.create',
      'GET /api/admin/backups/:id/file': 'admin.backups.create',
      'DELETE /api/admin/backups/:id': 'admin.backups.delete',
      'POST /api/admin/backups/key': ['admin.root', 'secret'],
      'GET /api/admin/backups/:id/comparison': 'admin.root',
      'POST /api/admin/backups/:id/restore': ['admin.root', 'limit:create'],
    },
  },
  {
    says:
      'Staff, coming over from another dashboard: an import makes users, gives roles and opens balances, and its way back ' +
      'deletes accounts, so all of it is the owner’s.',
    endpoints: {
      'GET /api/admin/imports': 'admin.root',
      'POST /api/admin/imports': ['admin.root', 'limit:create'],
      'GET /api/admin/imports/:id': 'admin.root',
      'GET /api/admin/imports/:id/notes': 'admin.root',
      'GET /api/admin/imports/:id/report.csv': 'admin.root',
      'PUT /api/admin/import-uploads/:upload': ['admin.root', 'ceiling:backupPart', 'upload'],
      'POST /api/admin/imports/:id/apply': ['admin.root', 'limit:create'],
      'POST /api/admin/imports/:id/undo': ['admin.root', 'limit:create'],
      'DELETE /api/admin/imports/:id': 'admin.root',
    },
  },
  {
    says:
      'Staff, health: admin.health.view (section 6). Checking anew and proving the ledger change nothing of what staff ' +
      'set, so they belong to seeing; each costs the machine something.',
    endpoints: {
      'GET /api/admin/health': 'admin.health.view',
      'POST /api/admin/health/check': ['admin.health.view', 'limit:create'],
      'POST /api/admin/health/prove-ledger': ['admin.health.view', 'limit:create'],
    },
  },
  {
    says:
      'Staff, this machine (ours): seeing it is part of health. Stopping every server for maintenance changes what ' +
      'players have, so it takes the right to change settings, as the limits and accepted risks of the page do.',
    endpoints: {
      'POST /api/admin/egg-files/read': ['admin.egg.create', 'limit:create'],
      'POST /api/admin/egg-files': ['admin.egg.create', 'limit:create'],
      'GET /api/admin/machine': 'admin.health.view',
      'POST /api/admin/machine/stop': ['admin.settings.edit', 'limit:create'],
      'POST /api/admin/machine/start': ['admin.settings.edit', 'limit:create'],
    },
  },
  {
    says:
      'The set-up guide is for owners: among what it asks for are keys of payments and the mail server, which nobody ' +
      'else may change. Checking a step asks other services, and sends a mail to the caller.',
    endpoints: {
      'GET /api/admin/setup': 'admin.root',
      'POST /api/admin/setup/:step/complete': ['admin.root', 'limit:create'],
      'POST /api/admin/setup/:step/skip': 'admin.root',
      'POST /api/admin/setup/sample': 'admin.root',
    },
  },
];
