/**
 * What the owner of a server lets a sub-user do there (`servers:right.<key>`). Nothing of it reaches the owner's
 * credits, limits or account: renewing, resizing, deleting and sharing stay the owner's.
 */
export const SUBUSER_RIGHTS = [
  'readConsole',
  'sendCommands',
  'power',
  'readFiles',
  'writeFiles',
  'backups',
  'startup',
] as const;
export type SubuserRight = (typeof SUBUSER_RIGHTS)[number];

/** Rights that mean nothing without another one. */
const NEEDS: Partial<Record<SubuserRight, SubuserRight>> = {
  sendCommands: 'readConsole',
  writeFiles: 'readFiles',
};

/** Sub-users that a server has at most. */
export const MOST_SUBUSERS = 20;
/** Servers of others that one user works on at most. */
export const MOST_SHARED_SERVERS = 100;

/** Rights with those that they need, each once, in the order of the list. */
export function withNeededRights(rights: readonly SubuserRight[]): SubuserRight[] {
  const all = new Set(rights);
  for (const right of rights) {
    const needed = NEEDS[right];
    if (needed) all.add(needed);
  }
  return SUBUSER_RIGHTS.filter((right) => all.has(right));
}
