import type { AccountsDeps } from './deps.ts';
import type { PanelAccount, PanelLinksRepo } from '../panel/index.ts';
import { PanelCallFailed } from '../panel/index.ts';
import type { PanelAnswer, PanelUser } from '../panel/ports.ts';

/** Accounts compared in one go. */
const BATCH = 200;
/** `synced` of an account whose new address or names the panel has refused: it is not asked again for the same ones. */
const REFUSED = 'refused:';

interface AccountOwner {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
}

function toPanelUser({ id, username, email, firstName, lastName }: AccountOwner): PanelUser {
  return { externalId: id, username, email, firstName, lastName };
}
/** What the panel should know of a user, as a hash: the clear text stands in the users' own row only. */
function hashOf(deps: AccountsDeps, { username, email, firstName, lastName }: Omit<AccountOwner, 'id'>): string {
  return deps.ids.hash(JSON.stringify([username, email, firstName, lastName]));
}

/**
 * The account of a user at a panel: the one we know of, else the panel is asked to find it by our id or to make it
 * (attacks T28: never by an address or a name). The embedded panel is asked each time, it costs nothing there.
 */
export async function ensureAccount(
  deps: AccountsDeps,
  panel: string | null,
  user: AccountOwner,
): Promise<PanelAnswer<string>> {
  const known = panel === null ? null : await deps.uow.read((tx) => tx.panelLinks.findAccount(panel, user.id));
  if (known) return { outcome: 'ok', value: known.account };
  const answer = await deps.callPanel(panel, 'ensureUser', (it) => it.ensureUser(toPanelUser(user)));
  if (answer.outcome !== 'ok' || panel === null) return answer;
  // An account that was found may have an old address: the sweep compares and brings it up to date.
  await deps.uow.run((tx) =>
    tx.panelLinks.saveAccount({ panel, userId: user.id, account: answer.value, synced: '' }, deps.clock.now()),
  );
  return answer;
}

/** Forgets an account that the panel does not have any more, so that the next call makes it again. */
export async function forgetAccount(deps: AccountsDeps, panel: string | null, userId: string): Promise<void> {
  if (panel !== null) await deps.uow.run((tx) => tx.panelLinks.deleteAccount(panel, userId));
}

/** Brings one account to the address and names of now. Throws PanelCallFailed where the panel did not do it. */
async function syncAccount(deps: AccountsDeps, known: PanelAccount, user: AccountOwner): Promise<void> {
  const wanted = hashOf(deps, user);
  if (known.synced === wanted || known.synced === REFUSED + wanted) return;
  const answer = await deps.callPanel(known.panel, 'updateUser', (panel) =>
    panel.updateUser(known.account, toPanelUser(user)),
  );
  if (answer.outcome === 'not_found') return forgetAccount(deps, known.panel, user.id);
  const clear = answer.outcome === 'refused' || answer.outcome === 'conflict';
  if (answer.outcome !== 'ok' && !clear) throw new PanelCallFailed(answer.outcome);
  if (clear) deps.log.warn('servers.account_refused', { panel: known.panel, user: user.id });
  await deps.uow.run((tx) =>
    tx.panelLinks.saveAccount({ ...known, synced: clear ? REFUSED + wanted : wanted }, deps.clock.now()),
  );
}

/**
 * Brings all panel accounts of a user to the user's address and names (behaviour 6.7). Throws PanelCallFailed where a
 * panel did not do it.
 */
export async function syncAccounts(deps: AccountsDeps, userId: string): Promise<void> {
  const { user, accounts } = await deps.uow.read(async (tx) => ({
    user: await tx.identity.findUser(userId),
    accounts: await tx.panelLinks.listAccounts(userId),
  }));
  if (!user) return;
  let later: unknown = null;
  for (const known of accounts) await syncAccount(deps, known, user).catch((error: unknown) => (later ??= error));
  if (later) throw later as Error;
}

/** Finds accounts that are out of date, whoever changed the user, and asks for a job for each. Out: how many. */
export async function enqueueStaleAccounts(deps: AccountsDeps): Promise<number> {
  const stale = new Set<string>();
  for (let after: { panel: string; userId: string } | null = null; ;) {
    const from: { panel: string; userId: string } | null = after;
    const page: Awaited<ReturnType<PanelLinksRepo['listAccountsAfter']>> = await deps.uow.read((tx) =>
      tx.panelLinks.listAccountsAfter(from, BATCH),
    );
    for (const each of page) {
      const wanted = hashOf(deps, each);
      if (each.synced !== wanted && each.synced !== REFUSED + wanted) stale.add(each.userId);
    }
    after = page.at(-1) ?? null;
    if (!after || page.length < BATCH) break;
  }
  for (const userId of stale) await deps.uow.run((tx) => deps.jobs.enqueueAccount(tx, userId));
  return stale.size;
}
