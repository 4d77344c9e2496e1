import { PLUGINS_PAGE } from './plugin-guide.ts';

// The reference is in one language: server/decisions/076-the-api-is-for-everybody.md.

/** A part of a page of words. Text has `code` between backticks. */
export type Block =
  | { readonly text: string }
  | { readonly heading: string }
  /** `file`: it is the whole content of that file. */
  | { readonly code: string; readonly file?: string }
  | { readonly list: readonly string[] }
  | { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };
export interface GuidePage {
  readonly slug: string;
  readonly title: string;
  readonly blocks: readonly Block[];
}

const START: GuidePage = {
  slug: 'start',
  title: 'Start',
  blocks: [
    { text: 'Everything that the pages of this installation do goes through this API, and a token may do most of it.' },
    {
      list: [
        'Make a token under Account, API tokens. Give it the scopes it needs and no more.',
        'Send it with every call: `Authorization: Bearer sp_live_…`.',
        'Answers are JSON. `success` says whether it worked; if not, `error_code` says why.',
      ],
    },
    { code: `curl '{origin}/api/account' \\\n  -H "Authorization: Bearer $SPAWNPOINT_TOKEN"` },
    { heading: 'The document' },
    {
      text: 'The whole API as OpenAPI 3.1 is at `/api/openapi.json`. Generators make clients of it; `openapi-typescript` is tried with every change. The examples in Python need its standard library only.',
    },
    { heading: 'The TypeScript client' },
    { text: 'The program writes a typed client: two files that need nothing but `fetch`.' },
    { code: './spawnpoint sdk spawnpoint-sdk' },
    {
      code: `import { createSpawnpoint, SpawnpointError } from './spawnpoint-sdk/client.ts';

const api = createSpawnpoint({ url: '{origin}', token: process.env.SPAWNPOINT_TOKEN ?? '' });
for await (const user of api.each('adminUsers.list', {})) console.log(user.username, user.credits);`,
    },
    {
      text: 'It throws `SpawnpointError` with the code, the fields and the request id; it sends a command again after a lost answer, under the same key.',
    },
  ],
};

const TOKENS: GuidePage = {
  slug: 'tokens',
  title: 'Tokens',
  blocks: [
    {
      text: 'A token acts for its user and never can do more than they can. A scope is an area and whether it may read or change there: `servers:read`, `admin.users:write`. Changing includes reading.',
    },
    {
      list: [
        'It is shown once. We keep a hash of it.',
        'It may end by itself, and may be limited to addresses and networks.',
        'A new password revokes every token of the account. A ban stops them.',
        'A token never holds `admin.root`: what only owners may do, no token does.',
      ],
    },
    { heading: 'What no token may call' },
    {
      list: [
        'Log-in, passwords, sessions, second factors, passkeys, tokens, upload keys, linked accounts, addresses, support PIN, export and deletion of an account, and viewing as a user.',
        'E-mails that were sent, which may have links to log in by.',
        'Roles, permissions and sign-in providers.',
        'Installing, updating and removing plugins, which are granted rights, and choosing who gets which role in Discord.',
        'What asks who you are a moment before: downloads, uploads and restores of backups, a user’s address, name and ways to log in.',
        'Earning credits: AFK, codes, links, referrals, Discord servers. What was earned can be read.',
        'Streams of events, which belong to a browser.',
      ],
    },
    {
      text: 'What a token made goes on without it: a webhook sends until somebody turns it off or deletes it, also after the token was revoked.',
    },
    {
      text: 'Such a call answers 403 with `TOKEN_SCOPE_MISSING`. The pages of these calls say that they are for browsers.',
    },
  ],
};

const ERRORS_PAGE: GuidePage = {
  slug: 'errors',
  title: 'Errors',
  blocks: [
    { text: 'A failed call has a status from 400 on and this body. Go by `error_code`: codes stay, texts change.' },
    {
      code: `{
  "success": false,
  "error_code": "VALIDATION_FAILED",
  "fields": { "amount": ["TOO_SMALL"] },
  "request_id": "01890000-0000-7000-8000-000000000000"
}`,
    },
    {
      head: ['Status', 'Means', 'What to do'],
      rows: [
        ['400', 'It could not be read', 'Mend the program'],
        ['401', 'No token, or one that ended', 'Make another'],
        ['403', 'The token or its user may not', 'Read the code'],
        ['404', 'It is not there, or not yours', ''],
        ['409', 'It cannot be done as things are', 'Read the code; ask again later where that makes sense'],
        ['422', 'Fields are wrong', 'Mend those in `fields`'],
        ['424', 'A service elsewhere did not answer', 'Try again later'],
        ['429', 'Too many calls', 'Wait `Retry-After` seconds'],
        ['500, 503', 'Ours', 'Try again with the same key; tell support the request id'],
      ],
    },
    {
      text: 'The only answer with 200 that may have failed is that of `GET /api/user/session`: look at its `success`.',
    },
    { heading: 'Codes' },
  ],
};

const PAGING: GuidePage = {
  slug: 'paging',
  title: 'Paging',
  blocks: [
    {
      text: 'Most lists have numbered pages: `page` from 1, `per_page` up to 100, 25 if absent. The answer has `paging` with `page`, `per_page` and `total`; `more` says that rows were counted up to `total` only.',
    },
    { text: 'Long lists have cursors. Send what the answer gave you and nothing you made up:' },
    {
      head: ['List', 'Next page'],
      rows: [
        ['Users', '`paging.after` as `after`'],
        ['Credit movements', '`paging.older` as `before`'],
        ['Logs, audit, history, announcements, redemptions, deliveries', '`older` as `before`'],
        ['Images', '`older` as `after`'],
      ],
    },
    {
      text: 'No cursor, or null: that was the last page. `sort` is a column, with `-` in front for descending; `q` searches.',
    },
    { text: 'The TypeScript client does all of it: `for await (const row of api.each(name, input))`.' },
  ],
};

const IDEMPOTENCY: GuidePage = {
  slug: 'idempotency',
  title: 'Retry safely',
  blocks: [
    {
      text: 'A lost answer does not mean that nothing happened. Commands that move credits or make things take an `Idempotency-Key` of 8 to 200 characters, made up by you.',
    },
    {
      list: [
        'The same key with the same input gives the first answer again. Nothing happens twice, also when both arrive at once.',
        'The same key with another input is refused with `IDEMPOTENCY_MISMATCH`.',
        'Keys belong to the user of the token and are kept for a day.',
      ],
    },
    {
      text: 'Credits take a `reference` besides: an order, an invoice. It is kept for good, so an order is credited once even if your shop sends it again next year.',
    },
    {
      code: `curl -X POST '{origin}/api/admin/users/USER/adjust' \\
  -H "Authorization: Bearer $SPAWNPOINT_TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{ "direction": "in", "amount": 500, "reason": "Order 1001", "reference": "shop:1001" }'`,
    },
    { heading: 'Where two may edit' },
    {
      text: 'What several people edit is refused with `CONFLICT` when it changed since you read it. Areas of staff, roles and panels take the `updated_at` that you read; their answers have it as `ETag` too, which you may send as `If-Match` in its place. Settings take the `revision` of each.',
    },
  ],
};

const LIMITS_PAGE: GuidePage = {
  slug: 'limits',
  title: 'Limits',
  blocks: [
    {
      text: 'Calls are counted for each user, whichever token or browser they come from; without a token, for each address. The page of a call says how many it takes in which time; most read 600 and change 120 a minute.',
    },
    {
      text: 'One too many answers 429 with `RATE_LIMITED` and `Retry-After` in seconds. It was not counted: wait, and send it again.',
    },
    { text: 'A body may have 1 MB unless the page of a call says otherwise.' },
  ],
};

const STABILITY: GuidePage = {
  slug: 'stability',
  title: 'What may change',
  blocks: [
    { text: 'Programs written today work with later releases. These changes may come with any release:' },
    {
      list: [
        'New calls, new optional parameters and fields of a body.',
        'New fields in answers, in any order.',
        'New error codes of a status that a call already has, and new values where a field names kinds, states or reasons.',
        'Looser bounds of what is taken, and other limits of calls.',
        'Texts, summaries and descriptions.',
      ],
    },
    { text: 'These do not, but with a new major version, and they are listed in its notes:' },
    {
      list: [
        'A call, a field of an answer or a value that is taken goes away or gets another type.',
        'Something becomes required that was not.',
        'A call takes another scope.',
      ],
    },
    {
      text: 'A test compares the document of every release with that of the one before, and fails where it finds one of these.',
    },
  ],
};

const BOTS: GuidePage = {
  slug: 'bots',
  title: 'Bots and shops',
  blocks: [
    {
      text: 'A bot or a shop needs a token of somebody of staff with `admin.users:write`, and `admin.servers:write` or `admin.redeem.codes:write` for servers and codes.',
    },
    {
      list: [
        'Find who somebody is: `GET /api/admin/users/find?discord_id=…` or `?login=…`.',
        'Give or take credits once an order: `POST /api/admin/users/{id}/adjust` with a `reference`.',
        'Create an account for a customer: `POST /api/admin/users`. Without a password they set one by the link of a forgotten one.',
        'Their servers: `GET /api/admin/servers?owner={id}`.',
        'Be told of what happens: `POST /api/admin/webhooks`, with `admin.webhooks:write`. Only this answer has the secret.',
      ],
    },
    { heading: 'From CtrlPanel' },
    {
      head: ['There', 'Here'],
      rows: [
        ['`GET /api/users`', '`GET /api/admin/users`'],
        ['`GET /api/users/{id or Discord id}`', '`GET /api/admin/users/find`, then `GET /api/admin/users/{id}`'],
        [
          '`PATCH /api/users/{id}`',
          '`PATCH /api/admin/users/{id}/profile`, `POST …/limits`; address and role in the browser',
        ],
        [
          '`PATCH /api/users/{id}/increment`, `/decrement` (credits)',
          '`POST /api/admin/users/{id}/adjust` with `direction` `in` or `out`',
        ],
        ['`PATCH /api/users/{id}/increment` (server_limit)', '`POST /api/admin/users/{id}/limits`'],
        ['`DELETE /api/users/{id}`', '`DELETE /api/admin/users/{id}`'],
        ['`POST /api/users`', '`POST /api/admin/users`, then `POST …/{id}/verify` where the address is known'],
        ['`GET /api/servers`, `/{id}`', '`GET /api/admin/servers`, `/{id}`'],
        ['`PATCH /api/servers/{id}/suspend`, `/unsuspend`', '`POST /api/admin/servers/{id}/suspend`, `/unsuspend`'],
        ['`DELETE /api/servers/{id}`', '`DELETE /api/admin/servers/{id}`'],
        [
          '`GET, POST, PATCH, DELETE /api/vouchers`',
          '`GET, POST, PATCH, DELETE /api/admin/redeem-codes`; many at once: `POST …/batch`',
        ],
        ['Who used a voucher', '`GET /api/admin/redeem-codes/{id}/redemptions`'],
        ['`POST /api/notifications`', '`POST /api/admin/users/write` (an e-mail)'],
        ['`GET, DELETE /api/notifications/{user}`', 'None: notifications are read by their user'],
      ],
    },
    { heading: 'From MythicalDash' },
    {
      head: ['There', 'Here'],
      rows: [
        ['`/api/admin/user/list`', '`GET /api/admin/users`'],
        ['`/api/admin/user/info`', '`GET /api/admin/users/find`, then `GET /api/admin/users/{id}`'],
        ['`/api/admin/user/resources/add` (coins)', '`POST /api/admin/users/{id}/adjust`'],
        ['`/api/admin/user/resources/add`, `/set` (others)', '`POST /api/admin/users/{id}/limits`'],
        ['`/api/admin/user/ban`, `/unban`', '`POST /api/admin/users/{id}/ban`, `/unban`'],
        ['`/api/admin/user/reset-password`', 'None: the user asks for a link, or `spawnpoint user password`'],
        ['`/api/admin/redeem/create`, `/info`, `/delete`', '`POST, GET, DELETE /api/admin/redeem-codes`'],
        ['`/api/admin/settings/get`, `/set`', '`GET, PATCH /api/admin/settings`'],
        ['`/api/admin/statistics`', '`GET /api/admin/overview`, `GET /api/admin/economy`'],
        ['`/api/client/user/info`', '`GET /api/account`, `GET /api/dashboard`'],
        [
          'Version 4: `GET /api/admin/users`, `POST /api/admin/user/{uuid}/update`, `/ban`, `/delete`',
          '`GET /api/admin/users`, and the calls above',
        ],
        [
          'Version 4: `/api/admin/servers/list`, `/toggle-suspend/{id}`, `/delete/{id}`',
          '`GET /api/admin/servers`, `POST …/suspend`, `/unsuspend`, `DELETE …`',
        ],
      ],
    },
  ],
};

/** The pages of words, in their order. `errors` gets the table of codes behind its text. */
export const GUIDE: readonly GuidePage[] = [
  START,
  TOKENS,
  ERRORS_PAGE,
  PAGING,
  IDEMPOTENCY,
  LIMITS_PAGE,
  STABILITY,
  BOTS,
  PLUGINS_PAGE,
];
