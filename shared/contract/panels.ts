import * as z from 'zod/mini';
import {
  ACCOUNT_VERDICTS,
  BIND_REFUSALS,
  CHANGE_KINDS,
  CHANGE_PARTS,
  KEY_STATES,
  OFFER_KINDS,
  OFFER_STATES,
  PANEL_DIALECTS,
  PANEL_FAULTS,
  SYNC_PARTS,
} from '../panel-codes.ts';
import {
  accountCodeInput,
  bindInput,
  panelCreateInput,
  panelDeleteInput,
  panelParams,
  panelUpdateInput,
  importOffersInput,
  turnOffOffersInput,
} from '../schemas/panel.ts';
import { text, isoTime } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';

const count = z.int();
/** A key is never sent back: only whether there is one, and its last characters. */
const keyView = z.object({ state: z.enum(KEY_STATES), last4: z.nullable(z.string()) });
const fault = z.object({ fault: z.enum(PANEL_FAULTS), cause: z.nullable(z.string()) });

/** The last connection test: what is missing, or why it failed. */
const check = z.object({
  at: isoTime,
  fault: z.nullable(fault),
  dialect: z.nullable(z.enum(PANEL_DIALECTS)),
  rights: z.array(z.object({ right: z.string(), level: z.enum(['read', 'write']), granted: z.boolean() })),
  client_key: z.nullable(z.enum(['ok', 'absent', 'refused'])),
});
/** The last sync of the catalogue. `failed`: nothing was changed. `nodes_failed`: nodes whose ports could not be read. */
const sync = z.object({
  at: isoTime,
  state: z.enum(['ok', 'partial', 'failed']),
  part: z.nullable(z.enum(SYNC_PARTS)),
  fault: z.nullable(fault),
  nodes_failed: z.array(z.string()),
});
/** The panel's health, as the responding process sees it; null if it is disabled. */
const health = z.object({
  circuit: z.enum(['closed', 'open', 'trying']),
  opens_again_at: z.nullable(isoTime),
  budget: z.object({ limit: count, left: count, resets_at: isoTime }),
  last_answer_at: z.nullable(isoTime),
  last_failure: z.nullable(z.string()),
});

const row = z.object({
  id: z.string(),
  name: z.string(),
  dialect: z.enum(PANEL_DIALECTS),
  url: z.string(),
  /** Where players open it; null: at `url`. */
  public_url: z.nullable(z.string()),
  /** Reached without encryption: over a private network only. */
  insecure: z.boolean(),
  enabled: z.boolean(),
  key: keyView,
  client_key: keyView,
  health: z.nullable(health),
  checked: z.nullable(check),
  synced: z.nullable(sync),
  /** A sync of the catalogue was requested and is not finished. */
  syncing: z.boolean(),
  uses: z.object({ servers: count, locations: count, eggs: count }),
  /** What the last sync found and nobody has handled: new, changed, vanished. */
  news: z.object({ fresh: count, changed: count, vanished: count }),
  created_at: isoTime,
  updated_at: isoTime,
});
export type PanelView = z.infer<typeof row>;
export type PanelCheckView = z.infer<typeof check>;
export type PanelSyncView = z.infer<typeof sync>;

const change = z.object({
  part: z.enum(CHANGE_PARTS),
  kind: z.enum(CHANGE_KINDS),
  /** Key of the variable. */
  subject: z.nullable(z.string()),
  before: z.nullable(z.string()),
  after: z.nullable(z.string()),
  /** Staff changed this part here: importing would overwrite it. */
  own: z.boolean(),
});
export type OfferChange = z.infer<typeof change>;

const offer = z.object({
  kind: z.enum(OFFER_KINDS),
  ref: z.string(),
  name: z.string(),
  description: z.string(),
  nest: z.nullable(z.object({ ref: z.string(), name: z.string() })),
  state: z.enum(OFFER_STATES),
  /** What it was imported as: a location or an egg. */
  ours: z.nullable(z.object({ id: z.string(), name: z.string(), on: z.boolean() })),
  changes: z.array(change),
  /** Rules of variables that only the panel checks: key of the variable and the rule. */
  left: z.array(z.object({ env: z.string(), rule: z.string() })),
  first_at: isoTime,
  vanished_at: z.nullable(isoTime),
});
export type OfferView = z.infer<typeof offer>;

const node = z.object({
  id: z.string(),
  name: z.string(),
  fqdn: z.string(),
  /** Names of the panel's locations, or tags. */
  places: z.array(z.string()),
  public: z.boolean(),
  maintenance: z.boolean(),
  /** MB that may be allocated, over-allocation included; null: no limit. */
  memory: z.nullable(count),
  disk: z.nullable(count),
  memory_used: count,
  disk_used: count,
  ports: count,
  ports_free: count,
  vanished_at: z.nullable(isoTime),
});
export type NodeView = z.infer<typeof node>;

const one = { params: panelParams } as const;
const read = { ...one, path: '/api/admin/panels/:id' } as const;

/** Game panels over HTTP: rows, keys, connection test, and what their catalogues offer (behaviour 6.7). */
export const adminPanels = group({
  list: {
    method: 'GET',
    path: '/api/admin/panels',
    summary: 'List panels',
    access: 'admin.panels.list',
    errors: [],
    response: z.object({ panels: z.array(row), driver: z.string() }),
  },
  create: {
    method: 'POST',
    path: '/api/admin/panels',
    summary: 'Connect a panel',
    body: panelCreateInput,
    access: 'admin.panels.create',
    limit: 'create',
    idempotent: true,
    errors: ['VALIDATION_FAILED', 'PANEL_UNAVAILABLE'],
    response: z.object({ id: z.string() }),
  },
  get: {
    ...read,
    method: 'GET',
    summary: 'Get a panel',
    versioned: true,
    access: 'admin.panels.edit',
    errors: ['NOT_FOUND'],
    response: z.object({ panel: row }),
  },
  update: {
    ...read,
    method: 'PATCH',
    summary: 'Change a panel',
    versioned: true,
    body: z.extend(panelUpdateInput, { updated_at: text(0, 40) }),
    access: 'admin.panels.edit',
    idempotent: true,
    errors: ['NOT_FOUND', 'CONFLICT', 'VALIDATION_FAILED', 'PANEL_UNAVAILABLE'],
    response: z.object({ id: z.string() }),
  },
  test: {
    ...one,
    method: 'POST',
    path: '/api/admin/panels/:id/test',
    summary: 'Test a panel',
    description: 'Tries what its keys may do and stores the result.',
    access: 'admin.panels.edit',
    limit: 'check',
    errors: ['NOT_FOUND'],
    response: z.object({ checked: check }),
  },
  dependants: {
    ...one,
    method: 'GET',
    path: '/api/admin/panels/:id/dependants',
    summary: 'Get what hangs on a panel',
    access: 'admin.panels.delete',
    errors: ['NOT_FOUND'],
    response: z.object({ panel: row, refused: z.boolean() }),
  },
  remove: {
    ...read,
    method: 'DELETE',
    summary: 'Delete a panel',
    body: panelDeleteInput,
    access: 'admin.panels.delete',
    errors: ['NOT_FOUND', 'IN_USE', 'NAME_MISMATCH'],
  },
  sync: {
    ...one,
    method: 'POST',
    path: '/api/admin/panels/:id/sync',
    summary: 'Read a panel’s catalogue',
    description: 'By a job.',
    access: 'admin.panels.edit',
    errors: ['NOT_FOUND', 'PANEL_DISABLED'],
  },
  catalogue: {
    ...one,
    method: 'GET',
    path: '/api/admin/panels/:id/catalogue',
    summary: 'Get a panel’s catalogue',
    access: 'admin.panels.edit',
    errors: ['NOT_FOUND'],
    response: z.object({
      panel: row,
      offers: z.array(offer),
      /** `category`: the egg category that stands for it here. `waiting`: its eggs that are new or changed. */
      nests: z.array(
        z.object({
          ref: z.string(),
          name: z.string(),
          eggs: count,
          waiting: count,
          category: z.nullable(z.object({ id: z.string(), name: z.string() })),
        }),
      ),
      nodes: z.array(node),
    }),
  },
  accounts: {
    ...one,
    method: 'POST',
    path: '/api/admin/panels/:id/accounts',
    summary: 'Find accounts of a panel',
    description:
      'Accounts with the address of a user that are not bound yet, and what speaks against binding them. Changes nothing.',
    access: 'admin.panels.edit',
    limit: 'check',
    errors: ['NOT_FOUND', 'PANEL_DISABLED', 'PANEL_REFUSED', 'PANEL_UNAVAILABLE'],
    response: z.object({
      accounts: count,
      bound: count,
      rows: z.array(
        z.object({
          user_id: z.string(),
          username: z.string(),
          email: z.string(),
          account: z.string(),
          verdict: z.enum(ACCOUNT_VERDICTS),
        }),
      ),
    }),
  },
  bindAccounts: {
    ...one,
    method: 'POST',
    path: '/api/admin/panels/:id/accounts/bind',
    summary: 'Bind accounts of a panel to users',
    description: 'Each is checked again first.',
    body: bindInput,
    access: 'admin.panels.edit',
    limit: 'create',
    errors: ['NOT_FOUND', 'VALIDATION_FAILED', 'PANEL_DISABLED', 'PANEL_REFUSED'],
    response: z.object({
      bound: count,
      refused: z.array(z.object({ user_id: z.string(), username: z.string(), why: z.enum(BIND_REFUSALS) })),
    }),
  },
  take: {
    ...one,
    method: 'POST',
    path: '/api/admin/panels/:id/take',
    summary: 'Import from a panel’s catalogue',
    description: 'Creates or updates locations, egg categories and eggs.',
    body: importOffersInput,
    access: 'admin.panels.edit',
    idempotent: true,
    errors: ['NOT_FOUND', 'VALIDATION_FAILED'],
    response: z.object({ created: count, updated: count, skipped: count }),
  },
  turnOff: {
    ...one,
    method: 'POST',
    path: '/api/admin/panels/:id/turn-off',
    summary: 'Turn off what a panel no longer has',
    body: turnOffOffersInput,
    access: 'admin.panels.edit',
    errors: ['NOT_FOUND', 'VALIDATION_FAILED'],
    response: z.object({ done: count }),
  },
});

/** A player proves that the account in the panel with their address is theirs, when it blocks a build (behaviour 6.7). */
export const panelAccount = group({
  sendCode: {
    ...one,
    method: 'POST',
    path: '/api/servers/:id/account-code',
    summary: 'Send a code for a panel account',
    description: 'To your e-mail address.',
    access: 'signed-in',
    limit: 'mail',
    errors: [
      'NOT_FOUND',
      'CONFLICT',
      'RATE_LIMITED',
      'ACCOUNT_NOT_YOURS',
      'PANEL_DISABLED',
      'PANEL_REFUSED',
      'PANEL_UNAVAILABLE',
    ],
  },
  prove: {
    ...one,
    method: 'POST',
    path: '/api/servers/:id/account',
    summary: 'Prove that a panel account is yours',
    body: accountCodeInput,
    access: 'signed-in',
    limit: 'check',
    errors: [
      'NOT_FOUND',
      'CONFLICT',
      'VALIDATION_FAILED',
      'ACCOUNT_NOT_YOURS',
      'PANEL_DISABLED',
      'PANEL_REFUSED',
      'PANEL_UNAVAILABLE',
    ],
  },
});
