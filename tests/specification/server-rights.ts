import type { SubuserRight } from '#shared/subusers.ts';

/**
 * What each endpoint of one server asks of its caller, typed by hand (attacks T24, T61): `owner`: to own it; `any`: to
 * own it or to work on it; a right: to own it, or to work on it with that right; `subuser`: to work on a server of
 * somebody else. Whoever works on it without the right is told so; to everybody else there is no such server.
 */
export const SERVER_RIGHTS: Readonly<Record<string, SubuserRight | 'owner' | 'any' | 'subuser'>> = {
  'GET /api/servers/:id': 'owner',
  'PATCH /api/servers/:id': 'owner',
  'DELETE /api/servers/:id': 'owner',
  'POST /api/servers/:id/reinstall': 'owner',
  'POST /api/servers/:id/licence': 'owner',
  'POST /api/servers/:id/renew': 'owner',
  'PUT /api/servers/:id/auto-renew': 'owner',
  'POST /api/servers/:id/cancel': 'owner',
  'POST /api/servers/:id/retry': 'owner',
  'POST /api/servers/:id/account': 'owner',
  'POST /api/servers/:id/account-code': 'owner',
  'POST /api/servers/:id/subusers': 'owner',
  'PUT /api/servers/:id/subusers/:user': 'owner',
  'DELETE /api/servers/:id/subusers/:user': 'owner',
  'GET /api/servers/:id/usage': 'any',
  'POST /api/servers/:id/power': 'power',
  'PATCH /api/servers/:id/variables': 'startup',
  'GET /api/servers/:id/console': 'readConsole',
  'POST /api/servers/:id/command': 'sendCommands',
  'GET /api/servers/:id/files': 'readFiles',
  'GET /api/servers/:id/files/text': 'readFiles',
  'GET /api/servers/:id/files/content': 'readFiles',
  'GET /api/servers/:id/file-bin': 'readFiles',
  'PUT /api/servers/:id/files/text': 'writeFiles',
  'POST /api/servers/:id/folders': 'writeFiles',
  'POST /api/servers/:id/files/move': 'writeFiles',
  'POST /api/servers/:id/files/delete': 'writeFiles',
  'GET /api/servers/:id/file-uploads/:upload': 'writeFiles',
  'PUT /api/servers/:id/file-uploads/:upload': 'writeFiles',
  'DELETE /api/servers/:id/file-uploads/:upload': 'writeFiles',
  'POST /api/servers/:id/file-bin/restore': 'writeFiles',
  'DELETE /api/servers/:id/file-bin': 'writeFiles',
  'GET /api/servers/:id/backups': 'backups',
  'PUT /api/servers/:id/backups/:backup': 'backups',
  'POST /api/servers/:id/backups/:backup/restore': 'backups',
  'PUT /api/servers/:id/backups/:backup/lock': 'backups',
  'DELETE /api/servers/:id/backups/:backup': 'backups',
  'GET /api/servers/:id/backups/:backup/content': 'backups',
  'GET /api/shared-servers/:id': 'subuser',
  'DELETE /api/shared-servers/:id': 'subuser',
};
