import type { Part } from './part.types.ts';

/** What players do: servers, earning, spending, adding credits. */
export const PLAYERS: readonly Part[] = [
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
      'GET /api/servers/:id/console': ['signed-in', 'limit:stream'],
      'POST /api/servers/:id/command': ['signed-in', 'limit:command'],
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
];
