/** States of an account. */
export const USER_STATES = ['active', 'banned', 'deleted'] as const;
/** Columns by which the list of users can be sorted. */
export const USER_SORTS = ['username', 'credits', 'created_at', 'seen_at'] as const;
/** When users were last seen: within 7 or 30 days, not for 90 days, on no occasion that is known. */
export const USER_SEEN = ['week', 'month', 'away', 'never'] as const;
/** A cursor of the list of users, as it stands in an address: `<what the order goes by>~<id>`. */
export const USER_CURSOR = /^([^~]{1,64})~([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/;
/** Ids of at most a hundred users, separated by commas. */
export const USER_IDS =
  /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?:,[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}){0,99}$/;
/** Days that the economy's page offers. */
export const ECONOMY_DAYS = [7, 14, 30, 90] as const;
