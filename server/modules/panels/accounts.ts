import { DomainError } from '#shared/errors.ts';
import type { AccountVerdict, BindRefusal } from '#shared/panel-codes.ts';
import { writeAudit } from '../audit/index.ts';
import type { SignedIn } from '../kernel.ts';
import type { PanelAnswer, PanelCatalogue, PanelAccountDetails } from '../servers/index.ts';
import type { PanelsDeps } from './deps.ts';
import type { PanelRow, AccountUser } from './ports.ts';

/** What binding an account to a user came to, where it was not done. */
type NotBound = Exclude<PanelAnswer<null>, { outcome: 'ok' }>;

/** The row of a panel in use and its calls. Throws NOT_FOUND, PANEL_DISABLED, PANEL_REFUSED (its key cannot be read). */
export async function getReachablePanel(
  deps: PanelsDeps,
  id: string,
): Promise<{ row: PanelRow; catalogue: PanelCatalogue }> {
  const row = await deps.uow.read((tx) => tx.panels.find(id));
  if (!row) throw new DomainError('NOT_FOUND');
  if (!row.enabled) throw new DomainError('PANEL_DISABLED');
  const connection = deps.registry.findConnection(row);
  if (!connection) throw new DomainError('PANEL_REFUSED');
  return { row, catalogue: connection.catalogue };
}

/** What the panel said, or why there is nothing. Throws PANEL_REFUSED, PANEL_UNAVAILABLE. */
export function unwrapAnswer<T>(answer: PanelAnswer<T>): T {
  if (answer.outcome === 'ok') return answer.value;
  throw new DomainError(answer.outcome === 'refused' ? 'PANEL_REFUSED' : 'PANEL_UNAVAILABLE');
}

/** Whether an account may become a user's: administrators and accounts with another id never do (attacks T28). */
export function verdictOf(account: PanelAccountDetails, user: AccountUser): AccountVerdict {
  if (account.admin) return 'admin';
  if (account.externalId !== null && account.externalId !== user.id) return 'taken';
  return user.confirmed ? 'match' : 'unconfirmed';
}

const panelUser = ({ id, username, email, firstName, lastName }: AccountUser) => ({
  externalId: id,
  username,
  email,
  firstName,
  lastName,
});

/**
 * Gives an account of a panel our id. It is in the audit log before the panel is asked, and once more when it is done.
 * In: a new password for the account, or null. Out: null where it is the user's now, else why not.
 */
export async function bindAccount(
  deps: PanelsDeps,
  ctx: SignedIn,
  panel: { id: string; catalogue: PanelCatalogue },
  user: AccountUser,
  account: PanelAccountDetails,
  password: string | null,
): Promise<NotBound | null> {
  const facts = { panel: panel.id, account: account.username, email: account.email };
  await deps.uow.run((tx) =>
    writeAudit(tx, deps, ctx, { action: 'panels.bind_attempt', target: user.id, after: facts }),
  );
  const answer = await panel.catalogue.bindAccount(account.id, panelUser(user), password);
  if (answer.outcome !== 'ok') return answer;
  await deps.uow.run(async (tx) => {
    // Whatever was known of an account is asked for again, by our id.
    await tx.panelLinks.deleteAccount(panel.id, user.id);
    await writeAudit(tx, deps, ctx, { action: 'panels.bind', target: user.id, after: facts });
    tx.touch(`servers:${user.id}`);
  });
  return null;
}

/**
 * Accounts of a panel with the address of one of our users that are not bound to that user yet, and what speaks against
 * it. Changes nothing. Throws NOT_FOUND, PANEL_DISABLED, PANEL_REFUSED, PANEL_UNAVAILABLE.
 */
export async function matchAccounts(deps: PanelsDeps, id: string) {
  const { catalogue } = await getReachablePanel(deps, id);
  const accounts = unwrapAnswer(await catalogue.accounts());
  const users = await deps.uow.read((tx) => tx.panels.listUsersByEmail(accounts.map(({ email }) => email)));
  const byEmail = new Map(users.map((user) => [user.email.toLowerCase(), user]));
  const boundIds = new Set(accounts.flatMap(({ externalId }) => (externalId === null ? [] : [externalId])));
  const rows = accounts.flatMap((account) => {
    const user = byEmail.get(account.email.toLowerCase());
    if (!user || account.externalId === user.id) return [];
    // Another account has this user's id already: one user, one account.
    const verdict: AccountVerdict = boundIds.has(user.id) ? 'taken' : verdictOf(account, user);
    return [{ userId: user.id, username: user.username, email: user.email, account: account.username, verdict }];
  });
  return { accounts: accounts.length, bound: users.filter((user) => boundIds.has(user.id)).length, rows };
}

const REFUSALS: Readonly<Record<string, BindRefusal>> = { admin: 'admin', external_id: 'taken', email: 'missing' };
const refusalOf = (answer: NotBound): BindRefusal =>
  answer.outcome === 'refused'
    ? (REFUSALS[answer.reason] ?? 'refused')
    : answer.outcome === 'not_found'
      ? 'missing'
      : 'silent';

/**
 * Binds the panel's accounts of these users to them, each looked up and compared again. `unconfirmed`: also where the
 * user has not proven the address. Out: how many, and who was not and why. Throws NOT_FOUND, PANEL_DISABLED,
 * PANEL_REFUSED.
 */
export async function bindAccounts(
  deps: PanelsDeps,
  ctx: SignedIn,
  id: string,
  { users, unconfirmed }: { users: readonly string[]; unconfirmed: boolean },
) {
  const { catalogue } = await getReachablePanel(deps, id);
  const refused: { userId: string; username: string; why: BindRefusal }[] = [];
  let bound = 0;
  for (const userId of new Set(users)) {
    const user = await deps.uow.read((tx) => tx.panels.findUser(userId));
    const why = user ? await bindUserAccount(deps, ctx, { id, catalogue }, user, unconfirmed) : 'missing';
    if (why === null) bound += 1;
    else refused.push({ userId, username: user?.username ?? '', why });
  }
  return { bound, refused };
}

async function bindUserAccount(
  deps: PanelsDeps,
  ctx: SignedIn,
  panel: { id: string; catalogue: PanelCatalogue },
  user: AccountUser,
  unconfirmed: boolean,
): Promise<BindRefusal | null> {
  const found = await panel.catalogue.accountByEmail(user.email);
  if (found.outcome !== 'ok') return refusalOf(found);
  if (!found.value) return 'missing';
  const verdict = verdictOf(found.value, user);
  if (verdict === 'admin' || verdict === 'taken' || (verdict === 'unconfirmed' && !unconfirmed)) return verdict;
  const failed = await bindAccount(deps, ctx, panel, user, found.value, null);
  return failed && refusalOf(failed);
}
