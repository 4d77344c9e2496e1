/** Standing of an account. */
export const USER_STATES = ['active', 'banned', 'deleted'] as const;
/** Columns of the list of users that it can be sorted by. */
export const USER_SORTS = ['username', 'credits', 'created_at'] as const;
/** Days that the economy's page offers. */
export const ECONOMY_DAYS = [7, 14, 30, 90] as const;
