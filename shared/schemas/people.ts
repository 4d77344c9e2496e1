/** States of an account. */
export const USER_STATES = ['active', 'banned', 'deleted'] as const;
/** Columns by which the list of users can be sorted. */
export const USER_SORTS = ['username', 'credits', 'created_at'] as const;
/** Days that the economy's page offers. */
export const ECONOMY_DAYS = [7, 14, 30, 90] as const;
