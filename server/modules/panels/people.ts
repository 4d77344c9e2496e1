import { DomainError } from '#shared/errors.ts';
import type { AccountVerdict, BindRefusal } from '#shared/panel-codes.ts';
import { writeAudit } from '../audit/index.ts';
import type { SignedIn } from '../kernel.ts';
import type { PanelAnswer, PanelCatalogue, PanelAccountDetails } from '../servers/index.ts';
import type { PanelsDeps } from './deps.ts';
import type { PanelRow, Person } from './ports.ts';

/** What binding an account to a user came to, where it was not done. */
type NotBound = Exclude<PanelAnswer<null>, { outcome: 'ok' }>;

/** The row of a panel in use and its calls. Throws NOT_FOUND, PANEL_DISABLED, PANEL_REFUSED (its key cannot be read). */
export async function reach(deps: PanelsDeps, id: string): Promise<{ row: PanelRow; catalogue: PanelCatalogue }> {
  const row = await deps.uow.read((tx) => tx.panels.find(id));
  if (!row) throw new DomainError('NOT_FOUND');
  if (!row.enabled) throw new DomainError('PANEL_DISABLED');
  const connection = deps.connections.to(row);
  if (!connection) throw new DomainError('PANEL_REFUSED');
  return { row, catalogue: connection.catalogue };
}

/** What the panel said, or why there is nothing. Throws PANEL_REFUSED, PANEL_UNAVAILABLE. */
export function said<T>(answer: PanelAnswer<T>): T {
  if (answer.outcome === 'ok') return answer.value;
  throw new DomainError(answer.outcome === 'refused' ? 'PANEL_REFUSED' : 'PANEL_UNAVAILABLE');
}

/** Whether an account may become a user's: administrators and accounts with another id never do (attacks T28). */
export function verdictOf(account: PanelAccountDetails, person: Person): AccountVerdict {
  if (account.admin) return 'admin';
  if (account.externalId !== null && account.externalId !== person.id) return 'taken';
  return person.confirmed ? 'match' : 'unconfirmed';
}

const panelUser = ({ id, username, email, firstName, lastName }: Person) => ({
  externalId: id,
  username,
  email,
  firstName,
  lastName,
});

/**
 * Gives an account of a panel our id. It is in the audit trail before the panel is asked, and once more when it is
 * done. In: a new password for the account, or null. Out: null where it is the user's now, else why not.
 */
export async function bindAccount(
  deps: PanelsDeps,
  ctx: SignedIn,
  panel: { id: string; catalogue: PanelCatalogue },
  person: Person,
  account: PanelAccountDetails,
  password: string | null,
): Promise<NotBound | null> {
  const facts = { panel: panel.id, account: account.username, email: account.email };
  await deps.uow.run((tx) =>
    writeAudit(tx, deps, ctx, { action: 'panels.bind_attempt', target: person.id, after: facts }),
  );
  const answer = await panel.catalogue.bindAccount(account.id, panelUser(person), password);
  if (answer.outcome !== 'ok') return answer;
  await deps.uow.run(async (tx) => {
    // Whatever was known of an account is asked for anew, by our id.
    await tx.panelLinks.deleteAccount(panel.id, person.id);
    await writeAudit(tx, deps, ctx, { action: 'panels.bind', target: person.id, after: facts });
    tx.touch(`servers:${person.id}`);
  });
  return null;
}

/**
 * Accounts of a panel with the address of one of our users that are not bound to that user yet, and what speaks against
 * it. Changes nothing. Throws NOT_FOUND, PANEL_DISABLED, PANEL_REFUSED, PANEL_UNAVAILABLE.
 */
export async function matchPeople(deps: PanelsDeps, id: string) {
  const { catalogue } = await reach(deps, id);
  const accounts = said(await catalogue.accounts());
  const people = await deps.uow.read((tx) => tx.panels.peopleByEmail(accounts.map(({ email }) => email)));
  const byEmail = new Map(people.map((person) => [person.email.toLowerCase(), person]));
  const boundIds = new Set(accounts.flatMap(({ externalId }) => (externalId === null ? [] : [externalId])));
  const rows = accounts.flatMap((account) => {
    const person = byEmail.get(account.email.toLowerCase());
    if (!person || account.externalId === person.id) return [];
    // Another account has this user's id already: one user, one account.
    const verdict: AccountVerdict = boundIds.has(person.id) ? 'taken' : verdictOf(account, person);
    return [{ user_id: person.id, username: person.username, email: person.email, account: account.username, verdict }];
  });
  return { accounts: accounts.length, bound: people.filter((person) => boundIds.has(person.id)).length, rows };
}

const REFUSALS: Readonly<Record<string, BindRefusal>> = { admin: 'admin', external_id: 'taken', email: 'missing' };
const refusalOf = (answer: NotBound): BindRefusal =>
  answer.outcome === 'refused'
    ? (REFUSALS[answer.reason] ?? 'refused')
    : answer.outcome === 'not_found'
      ? 'missing'
      : 'silent';

/**
 * Binds the panel's accounts of these users to them, each looked up and compared anew. `unconfirmed`: also where the
 * user has not proven the address. Out: how many, and who was not and why. Throws NOT_FOUND, PANEL_DISABLED,
 * PANEL_REFUSED.
 */
export async function bindPeople(
  deps: PanelsDeps,
  ctx: SignedIn,
  id: string,
  { users, unconfirmed }: { users: readonly string[]; unconfirmed: boolean },
) {
  const { catalogue } = await reach(deps, id);
  const refused: { user_id: string; username: string; why: BindRefusal }[] = [];
  let bound = 0;
  for (const userId of new Set(users)) {
    const person = await deps.uow.read((tx) => tx.panels.person(userId));
    const why = person ? await bindOne(deps, ctx, { id, catalogue }, person, unconfirmed) : 'missing';
    if (why === null) bound += 1;
    else refused.push({ user_id: userId, username: person?.username ?? '', why });
  }
  return { bound, refused };
}

async function bindOne(
  deps: PanelsDeps,
  ctx: SignedIn,
  panel: { id: string; catalogue: PanelCatalogue },
  person: Person,
  unconfirmed: boolean,
): Promise<BindRefusal | null> {
  const found = await panel.catalogue.accountByEmail(person.email);
  if (found.outcome !== 'ok') return refusalOf(found);
  if (!found.value) return 'missing';
  const verdict = verdictOf(found.value, person);
  if (verdict === 'admin' || verdict === 'taken' || (verdict === 'unconfirmed' && !unconfirmed)) return verdict;
  const failed = await bindAccount(deps, ctx, panel, person, found.value, null);
  return failed && refusalOf(failed);
}
