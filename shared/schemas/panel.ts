import * as z from 'zod/mini';
import { OFFER_KINDS, PANEL_DIALECTS, type PanelDialect } from '../panel-codes.ts';
import { id, line, text } from './primitives.ts';

/** The origin of a panel's address, normalised by the URL parser. Null if the text is not such an address. */
export function panelOrigin(text: string): string | null {
  const url = URL.parse(text.trim());
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.hostname === '') return null;
  // A path, a query or credentials in it would be sent along with the key, or lost.
  if (
    url.pathname !== '/' ||
    url.search !== '' ||
    url.hash !== '' ||
    url.username !== '' ||
    url.password !== '' ||
    /[?#@]/.test(text)
  )
    return null;
  return url.origin;
}

/** The origin of a panel; empty where none is given and `min` is 0. */
const origin = (min: number) =>
  z.string().check(
    z.trim(),
    z.minLength(min),
    z.maxLength(300),
    z.refine((text) => text === '' || panelOrigin(text) !== null, 'INVALID'),
    z.overwrite((text) => panelOrigin(text) ?? text),
  );

/** A key of the panel: visible characters without spaces. Empty: none is given. */
const key = (min: number) =>
  z.string().check(z.trim(), z.minLength(min), z.maxLength(300), z.regex(/^[\x21-\x7e]*$/, 'INVALID'));
const APPLICATION = /^(ptla|papp)_/;
const CLIENT = /^(ptlc|pacc)_/;

/** Whether a key belongs to an account, by its prefix: those are not for the application API. */
export const isClientKey = (text: string): boolean => CLIENT.test(text);

/** Keys of accounts have all rights of their owner: the product requires one with only the rights it needs. */
const applicationKey = (min: number) => key(min).check(z.refine((text) => !isClientKey(text), 'CLIENT_KEY'));

/** Application keys cannot act on servers as their owners do (panel contract, section 1). */
const clientKey = key(0).check(z.refine((text) => !APPLICATION.test(text), 'INVALID'));

/** Where players open the panel, in their links; empty: at `url`. */
const publicUrl = origin(0);

/** Name and address of a panel. `dialect` `auto`: detected. */
const panelFields = {
  name: line(1, 60),
  url: origin(1),
  dialect: z.enum(['auto', ...PANEL_DIALECTS] satisfies ['auto', ...PanelDialect[]]),
  enabled: z.boolean(),
};
export const panelCreateInput = z.strictObject({
  ...panelFields,
  public_url: z.optional(publicUrl),
  key: applicationKey(1),
  client_key: clientKey,
});
/** Empty keys keep the stored ones; `drop_client_key` removes the client key. */
export const panelUpdateInput = z.strictObject({
  ...panelFields,
  public_url: publicUrl,
  key: applicationKey(0),
  client_key: clientKey,
  drop_client_key: z.boolean(),
});
/** The panel's name as typed, a guard against accidental deletion. */
export const panelDeleteInput = z.strictObject({ name: text(0, 200) });

/** Maximum offers per command. */
const OFFERS_MAX = 500;
const ref = text(1, 200);
const offers = z.array(z.strictObject({ kind: z.enum(OFFER_KINDS), ref })).check(z.maxLength(OFFERS_MAX, 'TOO_LARGE'));
/** What to import: single offers, and whole nests. */
export const importOffersInput = z.strictObject({
  offers,
  nests: z.array(text(0, 200)).check(z.maxLength(OFFERS_MAX, 'TOO_LARGE')),
});
/** Vanished offers whose imports are to be turned off. */
export const turnOffOffersInput = z.strictObject({ offers: offers.check(z.minLength(1, 'REQUIRED')) });

/** Maximum accounts per command: each is looked up and changed in the panel. */
export const BIND_MAX = 50;
/** Users to bind to their accounts in the panel. `unconfirmed`: also those without a confirmed address. */
export const bindInput = z.strictObject({
  users: z.array(id).check(z.minLength(1, 'REQUIRED'), z.maxLength(BIND_MAX, 'TOO_LARGE')),
  unconfirmed: z.boolean(),
});
/** A code as it was typed. */
export const accountCodeInput = z.strictObject({ code: line(1, 40) });

export const panelParams = z.object({ id });
