import type { Ceiling } from '#shared/ceilings.ts';
import type { Access } from '#shared/contract/endpoint.ts';
import { ENDPOINTS } from '#shared/contract/index.ts';
import { EARNING_SOURCES, SOURCE_NAMES, type EarningSource, type FeatureSwitch } from '#shared/earning-sources.ts';
import type { LimitName } from '#shared/limits.ts';
import { AREAS, PLAIN_AREAS } from './areas.ts';

/**
 * What else stands between a caller and the handler, or around its answer. `verified`: asks for a verified address;
 * `waiting`: may be called while the second factor is waited for; `settingUp`: may be called by who has to set one up
 * first; `idempotent`: accepts an Idempotency-Key; `secret`: its answer is shown once; `hook`: called by another
 * service that proves itself; `limit:`: a rate limit of its own; `flag:`: the switch that has to be on; `ceiling:` and
 * `upload`: what its body may carry.
 */
export type Guard =
  | 'verified'
  | 'waiting'
  | 'settingUp'
  | 'idempotent'
  | 'secret'
  | 'hook'
  | 'upload'
  | `limit:${LimitName}`
  | `flag:${FeatureSwitch}`
  | `ceiling:${Ceiling}`;

interface Part {
  /** What the specification says, or why it is so where it is silent. */
  readonly says: string;
  /** Method and path → who may call, and what else is asked. */
  readonly endpoints: Readonly<Record<string, Access | readonly [Access, ...Guard[]]>>;
}

/**
 * Who may call what, typed by hand beside the sentences it follows from, and never taken from the contract (attacks
 * T61): a permission that is loosened there by mistake fails here. A new endpoint gets its row in the same change, by
 * somebody who has thought about it; an area of the admin pages follows a rule (areas.ts), and so does an earning
 * source of which nothing is written here (below).
 */
export const ACCESS: readonly Part[] = [
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
    says: 'A user’s own servers, from making to deleting (behaviour 6).',
    endpoints: {
      'GET /api/servers/options': ['signed-in', 'flag:allow_servers'],
      'GET /api/servers/availability': ['signed-in', 'flag:allow_servers'],
      'POST /api/server-waits': ['signed-in', 'verified', 'idempotent', 'flag:allow_servers'],
      'DELETE /api/server-waits/:id': 'signed-in',
      'GET /api/servers': 'signed-in',
      'POST /api/servers': ['signed-in', 'verified', 'idempotent', 'limit:create', 'flag:allow_servers'],
      'GET /api/servers/:id': 'signed-in',
      'GET /api/servers/:id/usage': ['signed-in', 'limit:usage'],
      'POST /api/servers/:id/power': ['signed-in', 'limit:power'],
      'POST /api/servers/:id/reinstall': ['signed-in', 'idempotent', 'limit:power'],
      'PATCH /api/servers/:id': ['signed-in', 'idempotent'],
      'POST /api/servers/:id/renew': ['signed-in', 'idempotent', 'flag:server_renew_enabled'],
      'POST /api/servers/renew-due': ['signed-in', 'idempotent', 'flag:server_renew_enabled'],
      'PUT /api/servers/:id/auto-renew': 'signed-in',
      'DELETE /api/servers/:id': 'signed-in',
      'POST /api/servers/:id/account': ['signed-in', 'limit:check'],
      'POST /api/servers/:id/account-code': ['signed-in', 'limit:mail'],
      'POST /api/servers/:id/cancel': ['signed-in', 'idempotent'],
      'POST /api/servers/:id/retry': ['signed-in', 'verified', 'idempotent', 'flag:allow_servers'],
    },
  },
  {
    says:
      'Everything that earns credits (behaviour 4); the challenge also guards logging in, so it is open. Who has no ' +
      'verified address neither earns nor creates (3.1). A beat answers its challenge once and needs no key beside it.',
    endpoints: {
      'GET /api/earn/afk': ['signed-in', 'flag:afk_enabled'],
      'POST /api/earn/afk/start': ['signed-in', 'verified', 'idempotent', 'limit:afk', 'flag:afk_enabled'],
      'GET /api/earn/afk/:id/stream': ['signed-in', 'limit:stream', 'flag:afk_enabled'],
      'POST /api/earn/afk/:id/beat': ['signed-in', 'limit:afk', 'flag:afk_enabled'],
      'POST /api/earn/afk/stop': ['signed-in', 'flag:afk_enabled'],
      'GET /api/challenge': ['open', 'limit:challenge'],
      'GET /api/ads/banner-ad.txt': 'signed-in',
      'POST /api/earn/ad-check': 'signed-in',
      'GET /api/earn/redeem': ['signed-in', 'flag:code_redemption_enabled'],
      'POST /api/earn/redeem': ['signed-in', 'verified', 'idempotent', 'flag:code_redemption_enabled'],
      'GET /api/earn/j4r': ['signed-in', 'flag:j4r_enabled'],
      'POST /api/earn/j4r/:id/claim': ['signed-in', 'verified', 'idempotent', 'limit:create', 'flag:j4r_enabled'],
      'GET /api/earn/referrals': ['signed-in', 'flag:referrals_enabled'],
      'POST /api/earn/referrals/code': ['signed-in', 'verified', 'idempotent', 'flag:referrals_enabled'],
      'GET /api/earn/links': ['signed-in', 'flag:links_enabled'],
      'POST /api/earn/links/start': ['signed-in', 'verified', 'idempotent', 'limit:create', 'flag:links_enabled'],
      'POST /api/earn/links/finish': ['signed-in', 'verified', 'idempotent', 'limit:create', 'flag:links_enabled'],
    },
  },
  {
    says: 'The store, gifts, the leaderboard and profiles (behaviour 5 and 7.1, 7.2).',
    endpoints: {
      'GET /api/store': ['signed-in', 'flag:store_enabled'],
      'POST /api/store/buy': ['signed-in', 'verified', 'idempotent', 'flag:store_enabled'],
      'GET /api/leaderboard': ['signed-in', 'flag:leaderboard_enabled'],
      'GET /api/profiles/:id': ['signed-in', 'flag:allow_public_profiles'],
      'GET /api/lookup': ['signed-in', 'limit:lookup', 'flag:allow_public_profiles'],
      'GET /api/gifts/:id': ['signed-in', 'flag:allow_coins_sharing'],
      'POST /api/gifts': ['signed-in', 'verified', 'idempotent', 'flag:allow_coins_sharing'],
    },
  },
  {
    says: 'Pictures of the host’s own: staff add and delete them, everybody sees them (behaviour 7.4, 8.4).',
    endpoints: {
      'GET /api/admin/images': 'admin.images.list',
      'GET /api/admin/images/:id': 'admin.images.delete',
      'POST /api/admin/images/:id/pictures/:kind': ['admin.images.list', 'limit:upload'],
      'POST /api/admin/images': ['admin.images.create', 'limit:imageUpload', 'upload', 'ceiling:image'],
      'DELETE /api/admin/images/:id': 'admin.images.delete',
    },
  },
  {
    says:
      'Images of users (behaviour 5.5): one’s own with a session, uploads of programs by an upload key, which the handler ' +
      'reads. Anybody sees an image, or deletes it by the address that came with its upload.',
    endpoints: {
      'GET /api/images': ['signed-in', 'flag:image_hosting_enabled'],
      'POST /api/images': [
        'signed-in',
        'verified',
        'limit:imageUpload',
        'upload',
        'ceiling:image',
        'flag:image_hosting_enabled',
      ],
      'POST /api/images/upload': [
        'open',
        'limit:imageUpload',
        'upload',
        'ceiling:imageForm',
        'flag:image_hosting_enabled',
      ],
      'POST /api/images/delete': ['signed-in', 'flag:image_hosting_enabled'],
      'GET /api/images/archive': ['signed-in', 'limit:imageArchive'],
      'GET /api/images/config': ['signed-in', 'flag:image_hosting_enabled'],
      'POST /api/images/key': ['signed-in', 'verified', 'secret', 'flag:image_hosting_enabled'],
      'DELETE /api/images/key': ['signed-in', 'flag:image_hosting_enabled'],
      'PUT /api/images/embed': ['signed-in', 'flag:image_hosting_enabled'],
      'GET /api/images/:id': ['open', 'flag:image_hosting_enabled'],
      'POST /api/images/:id/delete': 'open',
      'GET /api/image-files/:name': ['open', 'limit:imageFile'],
    },
  },
  {
    says:
      'Plugins (behaviour 8.8): staff by the permissions of section 6. The status page is for everybody where staff ' +
      'turned it on.',
    endpoints: {
      'GET /api/admin/plugins': 'admin.plugins.list',
      'GET /api/admin/plugins/:identifier': 'admin.plugins.edit',
      'PUT /api/admin/plugins/:identifier/on': 'admin.plugins.edit',
      'PATCH /api/admin/plugins/:identifier': ['admin.plugins.edit', 'idempotent'],
      'GET /api/status': 'open',
    },
  },
  {
    says:
      'Reports of images (behaviour 5.5): anybody makes them, with some work to it, also while hosting is off; what ' +
      'became of one reads who knows its id. Staff by the permissions of section 6; banning takes that of users as well.',
    endpoints: {
      'GET /api/admin/webhooks': 'admin.plugins.list',
      'GET /api/webhook-events': 'open',
      'GET /api/admin/webhooks/new': 'admin.plugins.edit',
      'GET /api/admin/webhooks/:id/edit': 'admin.plugins.edit',
      'POST /api/admin/webhooks': ['admin.plugins.edit', 'limit:create', 'secret'],
      'GET /api/admin/webhooks/:id': 'admin.plugins.list',
      'PATCH /api/admin/webhooks/:id': ['admin.plugins.edit', 'secret'],
      'POST /api/admin/webhooks/:id/rotate': ['admin.plugins.edit', 'limit:create', 'secret'],
      'DELETE /api/admin/webhooks/:id': 'admin.plugins.edit',
      'POST /api/admin/webhooks/:id/test': ['admin.plugins.edit', 'limit:create'],
      'GET /api/admin/webhooks/:id/deliveries': 'admin.plugins.list',
      'GET /api/admin/webhook-deliveries/:id': 'admin.plugins.list',
      'POST /api/admin/webhook-deliveries/:id/resend': ['admin.plugins.edit', 'limit:create'],
      'POST /api/admin/webhooks/:id/resend': ['admin.plugins.edit', 'limit:create'],
      'POST /api/image-reports': ['open', 'limit:imageReport'],
      'GET /api/image-reports/:id': 'open',
      'GET /api/admin/image-reports': 'admin.image.reports.list',
      'GET /api/admin/image-reports/:id': 'admin.image.reports.view',
      'GET /api/admin/image-reports/:id/picture/:form': 'admin.image.reports.view',
      'POST /api/admin/image-reports/:id/decide': 'admin.image.reports.edit',
      'POST /api/admin/image-reports/decide': 'admin.image.reports.edit',
      'POST /api/admin/image-reports/:id/ban': 'admin.image.reports.edit',
      'PUT /api/admin/image-reports/:id/note': 'admin.image.reports.edit',
      'POST /api/admin/image-reports/:id/allow': 'admin.image.reports.edit',
      'DELETE /api/admin/image-reports/:id': 'admin.image.reports.delete',
    },
  },
  {
    says:
      'Tickets: one’s own, also of whoever has not confirmed an address yet, who may need help with just that ' +
      '(behaviour 7.3). Closing, reopening and reading twice is the same as once.',
    endpoints: {
      'GET /api/tickets': ['signed-in', 'flag:allow_tickets'],
      'GET /api/tickets/form': ['signed-in', 'flag:allow_tickets'],
      'POST /api/tickets': ['signed-in', 'idempotent', 'limit:ticket', 'flag:allow_tickets'],
      // Staff write as well, whether players may or not.
      'POST /api/tickets/preview': 'signed-in',
      'POST /api/ticket-attachments': [
        'signed-in',
        'upload',
        'ceiling:attachments',
        'limit:attachment',
        'flag:allow_tickets',
      ],
      'GET /api/ticket-attachments/:id': ['signed-in', 'flag:allow_tickets'],
      'GET /api/tickets/:id': ['signed-in', 'flag:allow_tickets'],
      'POST /api/tickets/:id/messages': ['signed-in', 'idempotent', 'limit:ticket', 'flag:allow_tickets'],
      'POST /api/tickets/:id/close': ['signed-in', 'flag:allow_tickets'],
      'POST /api/tickets/:id/reopen': ['signed-in', 'limit:ticket', 'flag:allow_tickets'],
      'POST /api/tickets/:id/read': ['signed-in', 'flag:allow_tickets'],
      'PUT /api/tickets/:id/rating': ['signed-in', 'limit:ticket', 'flag:allow_tickets'],
      'GET /api/tickets/:id/writers': ['signed-in', 'flag:allow_tickets'],
      'POST /api/tickets/:id/typing': ['signed-in', 'limit:typing', 'flag:allow_tickets'],
      // Staff: who opens tickets answers them (the catalogue has no other right for it).
      'GET /api/admin/tickets': 'admin.tickets.list',
      'GET /api/admin/tickets/:id': 'admin.tickets.view',
      'POST /api/admin/ticket-attachments': ['admin.tickets.view', 'upload', 'ceiling:attachments'],
      'GET /api/admin/ticket-attachments/:id': 'admin.tickets.view',
      'POST /api/admin/tickets/:id/messages': ['admin.tickets.view', 'idempotent'],
      'PATCH /api/admin/tickets/:id': 'admin.tickets.view',
      'POST /api/admin/tickets/:id/merge': ['admin.tickets.view', 'idempotent'],
      'POST /api/admin/tickets/:id/split': ['admin.tickets.view', 'idempotent'],
      'PUT /api/admin/tickets/:id/block': 'admin.tickets.view',
      'DELETE /api/admin/tickets/:id/block': 'admin.tickets.view',
      'POST /api/admin/tickets/:id/read': 'admin.tickets.view',
      'GET /api/admin/tickets/:id/writers': 'admin.tickets.view',
      'POST /api/admin/tickets/:id/typing': ['admin.tickets.view', 'limit:typing'],
      'GET /api/admin/tickets/reports': 'admin.tickets.list',
      'GET /api/admin/tickets/reports/export.csv': 'admin.tickets.list',
      'GET /api/admin/tickets/canned-replies': 'admin.tickets.view',
      'POST /api/admin/tickets/change': 'admin.tickets.view',
      'GET /api/admin/tickets/summary': 'admin.dashboard.components.support.view',
    },
  },
  {
    says:
      'Adding credits: one’s own orders and receipts (behaviour 5.3). Gateways have no session: they prove ' +
      'themselves by their signature. Asking one about an order pays under the gateway’s own event, without a key.',
    endpoints: {
      'GET /api/payments/offer': ['signed-in', 'flag:credits_recharge_enabled'],
      'POST /api/payments/orders': [
        'signed-in',
        'verified',
        'idempotent',
        'limit:create',
        'flag:credits_recharge_enabled',
      ],
      'GET /api/payments/orders': 'signed-in',
      'GET /api/payments/orders/:id': 'signed-in',
      'POST /api/payments/orders/:id/check': ['signed-in', 'limit:check'],
      'POST /api/payments/orders/:id/cancel': 'signed-in',
      'GET /api/payments/orders/:id/receipt': 'signed-in',
      'GET /api/payments/orders/:id/receipt.pdf': 'signed-in',
      'POST /api/webhooks/stripe': ['open', 'hook', 'limit:webhook', 'upload'],
      'POST /api/webhooks/paypal': ['open', 'hook', 'limit:webhook', 'upload'],
      'POST /api/webhooks/tickets': ['open', 'hook', 'limit:ticketMail', 'upload', 'ceiling:attachments'],
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
      'Staff, users: admin.users list and edit (section 6); what changes a user’s credits or shows their ' +
      'statement is editing.',
    endpoints: {
      'GET /api/admin/users': 'admin.users.list',
      'GET /api/admin/users/export.csv': 'admin.users.list',
      'GET /api/admin/users/find': 'admin.users.list',
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
    says:
      'Staff, servers and queue: admin.servers edit, delete, list; admin.server.queue create, delete, list, ' +
      'view and logs.view (section 6). Comparing, adopting and suspending change servers.',
    endpoints: {
      'GET /api/admin/servers': 'admin.servers.list',
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
      'POST /api/admin/redeem-codes/batch': ['admin.redeem.codes.create', 'idempotent', 'secret', 'limit:create'],
    },
  },
  {
    says: 'Staff, payments (ours): seeing the list, opening one, and moving money are three permissions.',
    endpoints: {
      'GET /api/admin/payments': 'admin.payments.list',
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
    says: 'Staff, services to sign in with (behaviour 3.6): whoever may set one up may have it asked about itself.',
    endpoints: {
      'POST /api/admin/sso-providers/:id/test': ['admin.sso.providers.edit', 'limit:check'],
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
    says:
      'Announcements (behaviour 7.4): whoever is signed in reads those that are for them, and marks and answers them for ' +
      'themselves alone. Visitors read those for everybody where the host wants that, which the service knows.',
    endpoints: {
      'GET /api/announcements': 'signed-in',
      'GET /api/announcements/:id': 'signed-in',
      'POST /api/announcements/:id/read': 'signed-in',
      'POST /api/announcements/read': 'signed-in',
      'POST /api/announcements/:id/reactions': 'signed-in',
      'GET /api/news': 'open',
      'GET /api/news/:id': 'open',
      'GET /api/news/feed.atom': 'open',
      'GET /api/admin/announcements': 'admin.announcements.list',
      'GET /api/admin/announcements/options': 'admin.announcements.create',
      'GET /api/admin/announcements/audience': 'admin.announcements.create',
      'POST /api/admin/announcements/:id/send-preview': ['admin.announcements.edit', 'limit:mail'],
      'POST /api/admin/announcements': ['admin.announcements.create', 'idempotent', 'limit:create'],
      'GET /api/admin/announcements/:id': 'admin.announcements.edit',
      'PATCH /api/admin/announcements/:id': ['admin.announcements.edit', 'idempotent'],
      'POST /api/admin/announcements/:id/restore': ['admin.announcements.edit', 'idempotent'],
      'GET /api/admin/announcements/:id/dependants': 'admin.announcements.delete',
      'DELETE /api/admin/announcements/:id': 'admin.announcements.delete',
      'POST /api/admin/announcements/preview': 'admin.announcements.list',
      'POST /api/admin/announcements/pictures': ['admin.announcements.edit', 'limit:upload', 'upload', 'ceiling:image'],
    },
  },
  {
    says:
      'Redirect links (behaviour 7.6): whoever has one may follow it, the service knows for whom it is; staff who see ' +
      'the links see their clicks.',
    endpoints: {
      'GET /api/redirect-links/:slug': 'open',
      'GET /api/admin/redirect-links/:id/days': 'admin.redirect.links.list',
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
      'POST /api/admin/backups/:id/verify': ['admin.backups.create', 'limit:create'],
      'PUT /api/admin/backup-uploads/:upload': ['admin.root', 'ceiling:backupPart', 'upload'],
      'POST /api/admin/backups/:id/send': ['admin.backups.create', 'limit:create'],
      'POST /api/admin/backups/:id/fetch': ['admin.backups.create', 'limit:create'],
      'DELETE /api/admin/backups/:id/remote': 'admin.backups.delete',
      'POST /api/admin/backups/:id/prepare': 'admin.backups.create',
      'GET /api/admin/backups/:id/file': 'admin.backups.create',
      'DELETE /api/admin/backups/:id': 'admin.backups.delete',
      'POST /api/admin/backups/key': ['admin.root', 'secret'],
      'POST /api/admin/backups/:id/restore': ['admin.root', 'limit:create'],
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
      'The set-up guide is for owners: among what it asks for are keys of payments and the mail server, which nobody ' +
      'else may change. Checking a step asks other services, and sends a mail to the caller.',
    endpoints: {
      'GET /api/admin/setup': 'admin.root',
      'POST /api/admin/setup/:step/complete': ['admin.root', 'limit:create'],
      'POST /api/admin/setup/:step/skip': 'admin.root',
      'POST /api/admin/setup/sample': 'admin.root',
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

/** An endpoint as it is written down by hand. */
export interface Row {
  readonly method: string;
  readonly path: string;
  readonly access: string;
  readonly guards: readonly string[];
}

/** What an area is made of. A form’s defaults belong to its command; many at once are the same command. */
function areaRows(area: string, permission: string, hasSwitch = true): Row[] {
  const row = (method: string, path: string, verb: string, ...guards: Guard[]): Row => ({
    method,
    path: `/api/admin/${area}${path}`,
    access: `${permission}.${verb}`,
    guards,
  });
  return [
    row('GET', '', 'list'),
    row('GET', '/export.csv', 'list'),
    row('GET', '/new', 'create'),
    row('POST', '', 'create', 'idempotent', 'limit:create'),
    row('GET', '/:id', 'edit'),
    row('PATCH', '/:id', 'edit', 'idempotent'),
    ...(hasSwitch ? [row('POST', '/set-enabled', 'edit')] : []),
    row('GET', '/:id/dependants', 'delete'),
    row('DELETE', '/:id', 'delete'),
    row('POST', '/delete', 'delete'),
  ];
}

const BY_HAND: readonly Row[] = ACCESS.flatMap(({ endpoints }) =>
  Object.entries(endpoints).map(([name, value]) => {
    const [method = '', path = ''] = name.split(' ');
    const [access, ...guards] = typeof value === 'string' ? [value] : value;
    return { method, path, access, guards };
  }),
);

/**
 * The rule of a plain earning source (behaviour 4), typed by hand: its reward is claimed at `POST /api/earn/<source>`
 * by whoever is logged in, has a verified address and sends a key, while its switch is on. What it shows at the same
 * address asks for less, and needs not be there.
 */
export const plainSourceRows = (source: string, enabled: FeatureSwitch, shows: boolean): readonly Row[] => [
  ...(shows
    ? [{ method: 'GET', path: `/api/earn/${source}`, access: 'signed-in', guards: [`flag:${enabled}`] } as const]
    : []),
  {
    method: 'POST',
    path: `/api/earn/${source}`,
    access: 'signed-in',
    guards: ['verified', 'idempotent', `flag:${enabled}`],
  },
];

/** Sources that a task pays: nobody asks for their reward, and their page is the dashboard. */
const PAID_BY_TASK: readonly EarningSource[] = ['early_supporters'];

/** Sources of which nothing is written above: all that is taken from elsewhere is whether there is something to show. */
const PLAIN_SOURCES: readonly Row[] = SOURCE_NAMES.filter(
  (source) =>
    !PAID_BY_TASK.includes(source) &&
    !BY_HAND.some(({ guards }) => guards.includes(`flag:${EARNING_SOURCES[source].enabled}`)),
).flatMap((source) =>
  plainSourceRows(
    source,
    EARNING_SOURCES[source].enabled,
    ENDPOINTS.some(({ method, path }) => method === 'GET' && path === `/api/earn/${source}`),
  ),
);

/** Every endpoint that is written down by hand. */
export const ROWS: readonly Row[] = [
  ...BY_HAND,
  ...PLAIN_SOURCES,
  ...Object.entries(AREAS).flatMap(([area, permission]) => areaRows(area, permission)),
  ...PLAIN_AREAS.flatMap(({ area, permission, hasSwitch }) => areaRows(area, permission, hasSwitch)),
];
