import { nodeOf, NO_CONTENT, rowOf, type Answer, type Call, type Route } from './context.ts';

/**
 * Suspends or resumes. What it is already is a 204 without a word to the machine; a failure takes the status back (5),
 * but not with Pelican (8).
 */
async function setSuspended({ state, params, daemons }: Call, suspended: boolean): Promise<Answer> {
  const row = rowOf(state.servers, params[0]);
  if ((row.status === 'suspended') === suspended) return NO_CONTENT;
  const before = row.status;
  // Resuming makes it null, whatever it was before it was suspended (5).
  row.status = suspended ? 'suspended' : null;
  row.updatedMs = state.now();
  try {
    await daemons.sync(nodeOf(state, row), row);
  } catch (error) {
    if (state.dialect === 'pterodactyl') row.status = before;
    throw error;
  }
  return NO_CONTENT;
}
/** Lifts a suspension: there is one column for the state (5). Also while it installs. */
async function reinstall({ state, params, daemons }: Call): Promise<Answer> {
  const row = rowOf(state.servers, params[0]);
  const before = { status: row.status, installingSinceMs: row.installingSinceMs };
  row.status = 'installing';
  row.installingSinceMs = state.now();
  row.updatedMs = state.now();
  try {
    await daemons.reinstall(nodeOf(state, row), row);
  } catch (error) {
    Object.assign(row, before);
    throw error;
  }
  return NO_CONTENT;
}
export const ACTION_ROUTES: readonly Route[] = [
  { method: 'POST', path: '/servers/{name}/suspend', right: 'servers', work: (call) => setSuspended(call, true) },
  { method: 'POST', path: '/servers/{name}/unsuspend', right: 'servers', work: (call) => setSuspended(call, false) },
  { method: 'POST', path: '/servers/{name}/reinstall', right: 'servers', work: reinstall },
];
