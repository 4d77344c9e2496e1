/**
 * Names of actions in earlier versions, and today’s. The log is append-only: old rows keep the name they were written
 * under.
 */
const CURRENT: ReadonlyMap<string, string> = new Map([
  ['panels.take', 'panels.import'],
  ['servers.look', 'servers.reconcile'],
]);

/** Today’s name of an action as stored. */
export const currentAction = (stored: string): string => CURRENT.get(stored) ?? stored;

/** All names of the renamed actions of which one holds a text: whoever looks for one finds the rows of both. */
export const renamedActionsWith = (text: string): string[] =>
  [...CURRENT].filter((names) => names.some((name) => name.includes(text.toLowerCase()))).flat();
