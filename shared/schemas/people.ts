/** Standing of an account. */
export const USER_STATES = ['active', 'banned', 'deleted'] as const;
/** Columns of the list of users that it can be sorted by. */
export const USER_SORTS = ['username', 'credits', 'created_at'] as const;
/** Sources of earning that can be stopped (behaviour 4). */
export const EARN_SOURCES = ['afk', 'redeem', 'j4r', 'referral', 'link'] as const;
/** Days that the economy's page offers. */
export const ECONOMY_DAYS = [7, 14, 30, 90] as const;
