/** Codes around game panels that have texts (behaviour 6.7). */

/** Kinds of panels over HTTP. */
export const PANEL_DIALECTS = ['pterodactyl', 'pelican'] as const;
export type PanelDialect = (typeof PANEL_DIALECTS)[number];

/**
 * How a node of a location is chosen: the one with the greatest free share, or the fullest in which the server still
 * fits.
 */
export const PLACEMENTS = ['spread', 'pack'] as const;

/** What can be imported from a panel's catalogue, besides the nests that hold the eggs. */
export const OFFER_KINDS = ['location', 'egg'] as const;
export type OfferKind = (typeof OFFER_KINDS)[number];

/**
 * `fresh`: not imported. `changed`: changed in the panel since. `current`: as imported. `vanished`: gone from the
 * panel.
 */
export const OFFER_STATES = ['fresh', 'changed', 'current', 'vanished'] as const;
export type OfferState = (typeof OFFER_STATES)[number];

/** Which part of an offer has changed. */
export const CHANGE_PARTS = ['name', 'description', 'startup', 'images', 'variable'] as const;
export type ChangePart = (typeof CHANGE_PARTS)[number];
export const CHANGE_KINDS = ['added', 'removed', 'changed'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** The outcomes of a failed call to a panel: those of the panel's port without `ok`. */
export const PANEL_FAULTS = ['not_found', 'refused', 'conflict', 'unavailable', 'unknown'] as const;
export type PanelFault = (typeof PANEL_FAULTS)[number];

/**
 * Causes with texts: of a failed call, and of a refusal. `right:<x>` and `status_<n>` have texts of their own; others
 * are shown as they are.
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

/** The state of a stored key: one that cannot be decrypted has to be entered again. */
export const KEY_STATES = ['set', 'absent', 'unreadable'] as const;
export type KeyState = (typeof KEY_STATES)[number];

/** Verdicts on an account of a panel with the address of one of our users (`panels:accountVerdict.<code>`). */
export const ACCOUNT_VERDICTS = ['match', 'unconfirmed', 'admin', 'taken'] as const;
export type AccountVerdict = (typeof ACCOUNT_VERDICTS)[number];

/** Why an account was not bound to a user (`panels:accountRefusal.<code>`). */
export const BIND_REFUSALS = ['unconfirmed', 'admin', 'taken', 'missing', 'refused', 'silent'] as const;
export type BindRefusal = (typeof BIND_REFUSALS)[number];
