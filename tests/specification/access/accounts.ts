import type { Part } from './part.types.ts';

/** Who comes in, and one’s own account. */
export const ACCOUNTS: readonly Part[] = [
  {
    says:
      'Two levels of route access: login required versus public (specification, section 6). The session is what ' +
      'everybody asks for first; a guest is answered that there is none (section 4).',
    endpoints: {
      'GET /api/user/session': ['open', 'waiting'],
    },
  },
  {
    says:
      'Logging in, registering, confirming an address and a new password are for whoever is not logged in yet ' +
      '(section 2, auth styling); everything else about a second factor is one’s own (behaviour 3.5). Keys of ' +
      'commands belong to users: a guest has none, and codes that are shown once are not kept to be shown again.',
    endpoints: {
      'GET /api/auth/options': 'open',
      'POST /api/auth/register': ['open', 'limit:register'],
      'POST /api/auth/login': ['open', 'limit:login'],
      'POST /api/auth/logout': ['open', 'waiting'],
      'POST /api/auth/verify': ['open', 'limit:login'],
      'POST /api/auth/email/confirm': ['open', 'limit:login'],
      'POST /api/auth/email/undo': ['open', 'limit:login'],
      'POST /api/auth/verify/request': ['open', 'limit:reset'],
      'POST /api/auth/verify/resend': ['signed-in', 'settingUp', 'limit:mail'],
      'POST /api/auth/sso/start': ['open', 'limit:login'],
      'POST /api/auth/sso/finish': ['open', 'limit:login'],
      'GET /api/auth/sso/registration': ['open', 'secret'],
      'POST /api/auth/sso/register': ['open', 'limit:register'],
      'POST /api/auth/forgot': ['open', 'limit:reset'],
      'POST /api/auth/reset': ['open', 'limit:login'],
      'GET /api/auth/2fa': ['signed-in', 'settingUp', 'secret'],
      'GET /api/auth/2fa/waiting': ['open', 'waiting'],
      'POST /api/auth/2fa/verify': ['open', 'waiting', 'limit:login'],
      'POST /api/auth/2fa/setup': ['signed-in', 'verified', 'settingUp'],
      'POST /api/auth/2fa/setup/confirm': ['signed-in', 'verified', 'settingUp', 'secret'],
      'GET /api/auth/2fa/setup/kill': ['signed-in', 'settingUp'],
      'POST /api/auth/2fa/disable': 'signed-in',
      'POST /api/auth/2fa/recovery': ['signed-in', 'secret'],
    },
  },
  {
    says:
      'Passkeys are a way in, so asking for one is open, and a second factor, so a session that waits may show one ' +
      '(behaviour 3.5). Those of an account are its user’s own; who has not proven the address adds none, as the ' +
      'address’s owner would find a stranger’s key in the account (3.1). What is signed is counted apart from ' +
      'passwords and codes: wrong ones of others keep nobody out.',
    endpoints: {
      'GET /api/account/passkeys': 'signed-in',
      'POST /api/account/passkeys/options': ['signed-in', 'verified'],
      'POST /api/account/passkeys': ['signed-in', 'verified'],
      'PATCH /api/account/passkeys/:id': 'signed-in',
      'DELETE /api/account/passkeys/:id': 'signed-in',
      'POST /api/auth/passkey/options': ['open', 'limit:challenge'],
      'POST /api/auth/passkey': ['open', 'limit:passkey'],
      'POST /api/auth/2fa/passkey/options': ['open', 'waiting', 'limit:passkey'],
      'POST /api/auth/2fa/passkey': ['open', 'waiting', 'limit:passkey'],
      'POST /api/auth/confirm': 'signed-in',
      'POST /api/auth/confirm/passkey/options': 'signed-in',
      'POST /api/auth/confirm/passkey': 'signed-in',
    },
  },
  {
    says:
      'What a page needs before anybody logs in: settings that are public, the host’s own stylesheet and ' +
      'script, ads, legal pages (sections 2 and 7).',
    endpoints: {
      'GET /api/system/settings': 'open',
      'GET /api/system/custom.css': 'open',
      'GET /api/system/custom.js': 'open',
      'GET /api/system/plugins/:identifier/client.js': 'open',
      'GET /api/system/pictures/:id/:name': 'open',
      'GET /api/system/manifest.webmanifest': 'open',
      'GET /api/system/ga-ads': 'open',
      'GET /api/system/legal/:page': 'open',
    },
  },
  {
    says:
      'A user’s own account, sessions, statement and rewards on hold; pictures of users are shown to users ' +
      '(section 2, routes requiring login).',
    endpoints: {
      'GET /api/account': 'signed-in',
      'PATCH /api/account': 'signed-in',
      'POST /api/account/password': ['signed-in', 'limit:login'],
      'GET /api/account/deletion': 'signed-in',
      'POST /api/account/deletion': 'signed-in',
      'DELETE /api/account/deletion': 'signed-in',
      'GET /api/account/export': 'signed-in',
      'POST /api/account/export': ['signed-in', 'limit:create'],
      'GET /api/account/export.zip': 'signed-in',
      'GET /api/account/activity': 'signed-in',
      'GET /api/account/mails': 'signed-in',
      'GET /api/account/email': 'signed-in',
      'POST /api/account/email': ['signed-in', 'limit:mail'],
      'DELETE /api/account/email': 'signed-in',
      'GET /api/account/sessions': 'signed-in',
      'DELETE /api/account/sessions/:id': 'signed-in',
      'DELETE /api/account/sessions': 'signed-in',
      'GET /api/account/statement': 'signed-in',
      'GET /api/account/statement.csv': 'signed-in',
      'PUT /api/account/skin': ['signed-in', 'limit:upload', 'upload'],
      'DELETE /api/account/skin': 'signed-in',
      'GET /api/users/:id/skin.png': 'signed-in',
      'GET /api/notifications': 'signed-in',
      'POST /api/notifications/read': 'signed-in',
      'POST /api/notifications/:id/read': 'signed-in',
      'GET /api/account/notifications': 'signed-in',
      'PUT /api/account/notifications': 'signed-in',
      'DELETE /api/account/notifications': 'signed-in',
      'POST /api/account/push': 'signed-in',
      'DELETE /api/account/push/:id': 'signed-in',
      'POST /api/account/push/test': 'signed-in',
      'GET /api/events': ['signed-in', 'limit:stream'],
      'GET /api/dashboard': 'signed-in',
      'GET /api/account/held-rewards': 'signed-in',
      'POST /api/account/held-rewards/:id/note': 'signed-in',
      'GET /api/account/linked': 'signed-in',
      'POST /api/account/linked/discord/start': ['signed-in', 'verified', 'limit:create'],
      'POST /api/account/linked/discord': ['signed-in', 'verified', 'limit:create'],
      'DELETE /api/account/linked/:id': 'signed-in',
      'POST /api/account/linked/start': ['signed-in', 'verified', 'limit:create'],
      'POST /api/account/linked': ['signed-in', 'verified', 'limit:create'],
      'GET /api/account/privacy': 'signed-in',
      'PUT /api/account/privacy': 'signed-in',
      'GET /api/account/tokens': 'signed-in',
      'POST /api/account/tokens': ['signed-in', 'verified', 'limit:create', 'secret'],
      'DELETE /api/account/tokens/:id': 'signed-in',
      'DELETE /api/account/tokens': 'signed-in',
    },
  },
  {
    says:
      'Which e-mails of the host somebody wants (behaviour 7.5): in the account, and by the signed link of a mail, which ' +
      'needs no session. A mail program’s click comes without one, too.',
    endpoints: {
      'GET /api/account/mail-kinds': 'signed-in',
      'PATCH /api/account/mail-kinds': 'signed-in',
      'GET /api/unsubscribe/:token': 'open',
      'POST /api/unsubscribe/:token': 'open',
      'POST /api/webhooks/unsubscribe/:token': ['open', 'hook', 'limit:webhook', 'upload'],
      'GET /api/webhooks/unsubscribe/:token': 'open',
    },
  },
];
