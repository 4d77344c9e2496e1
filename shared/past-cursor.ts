/** A place in a list of what lies behind, as it stands in an address: `<time in ms>.<id>`. */
export const PAST_CURSOR = /^(\d{1,15})\.([\w-]{1,64})$/;
