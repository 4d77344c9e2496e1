/**
 * What a role of Discord is given for: a linked account, a server, or a role of the dashboard (`role:<id>`), while it
 * lasts.
 */
export type RoleSource = 'linked' | 'server' | `role:${string}`;
/** The two sources that every installation has. */
export const FIXED_SOURCES = ['linked', 'server'] as const satisfies readonly RoleSource[];

/**
 * Why the bot cannot do its work: its token is refused; it is not in the server; it may not manage roles; Discord did
 * not answer.
 */
export const BOT_FAULTS = ['token', 'unknownGuild', 'forbidden', 'unreachable'] as const;
export type BotFault = (typeof BOT_FAULTS)[number];

/** Roles of Discord that a person has at once by us. */
export const RULES_MAX = 50;
