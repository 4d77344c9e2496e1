/** What stands for something of the ticket in a canned reply, as `{{name}}`. */
export const CANNED_VARIABLES = ['user', 'number', 'subject', 'department', 'server', 'staff', 'host'] as const;
export type CannedVariable = (typeof CANNED_VARIABLES)[number];

/** Longest canned reply: with its variables filled in it still fits into a message. */
export const CANNED_TEXT_MAX = 2500;
/** Canned replies that are offered. */
export const CANNED_OFFERED = 200;

/**
 * A canned reply with its variables filled in, once: what a value holds in braces is text. In: the reply, and what the
 * variables stand for.
 */
export const fillCannedReply = (text: string, values: Readonly<Record<CannedVariable, string>>): string =>
  text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => {
    const known = CANNED_VARIABLES.find((each) => each === name);
    return known === undefined ? whole : values[known];
  });
