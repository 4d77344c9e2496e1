import { WIRE } from './wire.ts';

const {
  session,
  auth,
  twoFactor,
  challenge,
  account: { get, update },
} = WIRE;

/**
 * The endpoints that the pages before the log-in ask, and the entry on every page. The whole table comes with the other
 * layouts (client/app/whole-api.ts), so that the first page of a visit loads without it. The client build puts the
 * finished table in the place of this module.
 */
export const START = { session, auth, twoFactor, challenge, account: { get, update } };
