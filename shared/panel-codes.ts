/** Codes that the parts around game panels put into words (behaviour 6.7). */

/** Kinds of panels over HTTP. */
export const PANEL_DIALECTS = ['pterodactyl', 'pelican'] as const;
export type PanelDialect = (typeof PANEL_DIALECTS)[number];

/** How the nodes of a location are chosen: by the greatest free share, or the fullest in which it still fits. */
export const PLACEMENTS = ['spread', 'pack'] as const;

/** What a panel's catalogue offers to be taken over, beside the nests that hold the eggs. */
export const OFFER_KINDS = ['location', 'egg'] as const;
export type OfferKind = (typeof OFFER_KINDS)[number];

/**
 * `fresh`: not taken over. `changed`: the panel changed it since. `current`: as it was taken over. `vanished`: the
 * panel has it no more.
 */
export const OFFER_STATES = ['fresh', 'changed', 'current', 'vanished'] as const;
export type OfferState = (typeof OFFER_STATES)[number];

/** Which part of an offer is different now. */
export const CHANGE_PARTS = ['name', 'description', 'startup', 'images', 'variable'] as const;
export type ChangePart = (typeof CHANGE_PARTS)[number];
export const CHANGE_KINDS = ['added', 'removed', 'changed'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** What became of a question to a panel, where it was not answered: the closed set of the panel's port without `ok`. */
export const PANEL_FAULTS = ['not_found', 'refused', 'conflict', 'unavailable', 'unknown'] as const;
export type PanelFault = (typeof PANEL_FAULTS)[number];

/**
 * Causes that are put into words: of a call that failed, and of a refusal. `right:<x>` and `status_<n>` have words of
 * their own; others are shown as they are.
 */
export const PANEL_CAUSES = [
  'timeout',
  'refused',
  'reset',
  'tls',
  'dns',
  'too_large',
  'not_json',
  'not_api',
  'redirect',
  'rate_limited',
  'budget',
  'circuit_open',
  'busy',
  'key',
  'key_owner',
  'key_address',
  'key_unreadable',
  'client_key',
] as const;

/** What a sync reads, in this order. */
export const SYNC_PARTS = ['locations', 'nodes', 'eggs', 'allocations'] as const;
export type SyncPart = (typeof SYNC_PARTS)[number];

/** What stands in a key at rest: one that cannot be opened has to be entered again. */
export const KEY_STATES = ['set', 'absent', 'unreadable'] as const;
export type KeyState = (typeof KEY_STATES)[number];

/** How an account of a panel with the address of one of our users stands (`panels:accountVerdict.<code>`). */
export const ACCOUNT_VERDICTS = ['match', 'unconfirmed', 'admin', 'taken'] as const;
export type AccountVerdict = (typeof ACCOUNT_VERDICTS)[number];

/** Why an account was not bound to a user (`panels:accountRefusal.<code>`). */
export const BIND_REFUSALS = ['unconfirmed', 'admin', 'taken', 'missing', 'refused', 'silent'] as const;
export type BindRefusal = (typeof BIND_REFUSALS)[number];
