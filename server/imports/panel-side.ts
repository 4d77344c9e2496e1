import type { ImportReason } from '#shared/imports.ts';
import { DomainError } from '#shared/errors.ts';
import type { Ctx } from '../modules/kernel.ts';
import type { Panel, PanelCatalogue, Servers } from '../modules/servers/index.ts';
import type { ApplyDeps } from './apply.ts';
import { Stopped } from './apply.ts';
import { ImportFault } from './fault.ts';
import type { ServerRecord, UserRecord } from './model.ts';
import { RECORD_BATCH, type RecordStore, type StoredRecord } from './records.ts';
import type { PlannedUser } from './plan.ts';

/** The game panel that both dashboards stand before. */
export interface ImportPanel {
  readonly id: string;
  readonly panel: Pick<Panel, 'listServers'>;
  readonly catalogue: Pick<PanelCatalogue, 'accounts' | 'bindAccount'>;
}
interface PanelSideDeps extends ApplyDeps {
  readonly adopt: Servers['adopt'];
  /** What is left to renew a server in, at least, in ms; null: servers have no end here. */
  readonly graceMs: number | null;
}

/** The command line, or a page on behalf of which it runs: nobody's session. */
const SYSTEM: Ctx = { actor: null, requestId: 'import', locale: 'en', address: '', userAgent: '', idempotency: null };

/**
 * Reads the panel's servers and accounts into the working file, and gives users without a name or an address those of
 * their account there. Throws ImportFault `panel` where it does not answer.
 */
export async function readPanel(store: RecordStore, { panel, catalogue }: ImportPanel): Promise<void> {
  const accounts = await catalogue.accounts();
  if (accounts.outcome !== 'ok')
    throw new ImportFault('panel', `The panel did not list its accounts (${accounts.outcome}).`);
  for (const { id, email, username } of accounts.value)
    store.staging.run(
      'INSERT INTO panel_users (id, email, username) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
      id,
      email,
      username,
    );
  for (let page: number | null = 1; page !== null;) {
    const answer: Awaited<ReturnType<Panel['listServers']>> = await panel.listServers(page);
    if (answer.outcome !== 'ok')
      throw new ImportFault('panel', `The panel did not list its servers (${answer.outcome}).`);
    for (const server of answer.value.servers)
      store.staging.run(
        'INSERT INTO panel_servers (panel_id, identifier, external_id, owner, name, suspended) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
        server.panelId,
        server.identifier,
        server.externalId,
        server.userId,
        server.name,
        server.suspended ? 1 : 0,
      );
    page = answer.value.next;
  }
}

/**
 * Fills in what a store without names leaves out: names and addresses, and servers, from the panel. `paidUntil` says
 * when what was paid for a server ends, in UTC ms; null: nothing says so.
 */
export function completeFromPanel(
  store: RecordStore,
  paidUntil: (server: { readonly panelId: string; readonly identifier: string | null }) => number | null,
): void {
  for (let after = 0; ;) {
    const batch = store.list<UserRecord>('user', 'new', after);
    for (const { seq, id, data } of batch) {
      if (data.panelUser === null) continue;
      const account = store.staging.one('SELECT email, username FROM panel_users WHERE id = ?', data.panelUser);
      if (account && data.email === '') {
        const name = data.name || (account['username'] ?? '');
        const named = { ...data, email: account['email'] ?? '', name, firstName: data.firstName || name };
        store.staging.run('UPDATE records SET data = ? WHERE seq = ?', JSON.stringify(named), seq);
      }
      for (const server of store.staging.rows(
        'SELECT panel_id, identifier, name, external_id FROM panel_servers WHERE owner = ? ORDER BY panel_id',
        data.panelUser,
      )) {
        const panelId = server['panel_id'] ?? '';
        // Who shares the account of another gets none of its servers.
        if (
          !store.add('server', panelId, {
            user: id,
            name: server['name'] ?? '',
            panelId,
            externalId: null,
            expiresMs: paidUntil({ panelId, identifier: server['identifier'] ?? null }),
          })
        )
          store.note('server', panelId, server['name'] ?? '', 'id_twice');
      }
    }
    after = batch.at(-1)?.seq ?? after;
    if (batch.length < RECORD_BATCH) return;
  }
}

interface Found {
  readonly panelId: string;
  readonly externalId: string | null;
  readonly suspended: boolean;
}
/** The panel's server that a record means; null where the panel has none. */
function findServer({ staging }: RecordStore, { panelId, externalId }: ServerRecord): Found | null {
  const [column, value] = panelId === null ? ['external_id', externalId] : ['panel_id', panelId];
  const row =
    value === null
      ? null
      : staging.one(`SELECT panel_id, external_id, suspended FROM panel_servers WHERE ${column} = ?`, value);
  if (!row || row['panel_id'] == null) return null;
  return {
    panelId: row['panel_id'],
    externalId: row['external_id'] ?? null,
    suspended: Number(row['suspended']) === 1,
  };
}

/** Says which servers come: those whose owner comes and that the panel has. */
export function planServers(store: RecordStore, panel: ImportPanel | null): void {
  for (let after = 0; ;) {
    const batch = store.list<ServerRecord>('server', 'new', after);
    for (const { seq, id, data } of batch) {
      const owner = store.staging.one("SELECT state FROM records WHERE kind = 'user' AND id = ?", data.user);
      const found = panel && findServer(store, data);
      const reason: ImportReason | null =
        owner === null || owner['state'] === 'left' ? 'owner_missing' : found ? null : 'server_missing';
      if (reason !== null) store.note('server', id, data.name, reason);
      else if (found?.suspended) store.note('server', id, data.name, 'suspended');
      store.setState(seq, reason === null ? 'ready' : 'left');
    }
    after = batch.at(-1)?.seq ?? after;
    if (batch.length < RECORD_BATCH) break;
  }
  store.staging.commit();
}

/**
 * Gives every account of the panel whose user came our id: then what the user makes here is made for it. An account of
 * an administrator, of somebody else, or with another address is left as it is and listed.
 */
export async function bindAccounts(deps: PanelSideDeps, { id: panelId, catalogue }: ImportPanel): Promise<void> {
  const { store, uow } = deps;
  let done = 0;
  for (let after = 0; ;) {
    const batch = store.list<PlannedUser>('user', 'done', after);
    deps.onStep('bind', done);
    done += batch.length;
    for (const { id, data } of batch) {
      if (deps.isStopped()) throw new Stopped('the import was stopped');
      const account = accountOf(store, data);
      if (account === null) continue;
      const userId = (await uow.read((tx) => tx.imports.listRows(deps.origin, 'user', [id]))).get(id)?.targetId;
      const user = userId === undefined ? null : await uow.read((tx) => tx.identity.findUser(userId));
      if (!user || (await uow.read((tx) => tx.panelLinks.findAccount(panelId, user.id)))) continue;
      const { username, email, firstName, lastName } = user;
      // An import that was undone has left its user's id there: nobody else is known by it any more.
      const former = await uow.read((tx) => tx.panelLinks.findDeletedOwner(panelId, account));
      const answer = await catalogue.bindAccount(
        account,
        { externalId: user.id, username, email, firstName, lastName },
        null,
        former,
      );
      if (answer.outcome === 'ok')
        await uow.run(async (tx) => {
          if (former !== null) await tx.panelLinks.deleteAccount(panelId, former);
          await tx.panelLinks.saveAccount({ panel: panelId, userId: user.id, account, synced: '' }, deps.clock.now());
        });
      else store.note('user', id, username, 'account_refused');
    }
    after = batch.at(-1)?.seq ?? after;
    if (batch.length < RECORD_BATCH) return;
  }
}

/** The account that is somebody's by the source's own id, or where it has none by the address. */
function accountOf({ staging }: RecordStore, { panelUser, email }: PlannedUser): string | null {
  if (panelUser !== null) return staging.one('SELECT id FROM panel_users WHERE id = ?', panelUser)?.['id'] ?? null;
  return staging.one('SELECT id FROM panel_users WHERE email = ? COLLATE NOCASE', email)?.['id'] ?? null;
}

/** Takes the servers over, each as staff would: nothing is made or deleted at the panel. */
export async function applyServers(deps: PanelSideDeps, panel: ImportPanel): Promise<void> {
  const { store } = deps;
  let done = 0;
  for (let after = 0; ;) {
    const batch = store.list<ServerRecord>('server', 'ready', after);
    for (const record of batch) {
      if (deps.isStopped()) throw new Stopped('the import was stopped');
      const reason = await applyServer(deps, panel, record);
      if (reason !== null) store.note('server', record.id, record.data.name, reason);
      store.setState(record.seq, reason === null ? 'done' : 'left');
      done += 1;
    }
    store.staging.commit();
    deps.onStep('server', done);
    after = batch.at(-1)?.seq ?? after;
    if (batch.length < RECORD_BATCH) return;
  }
}

async function applyServer(
  deps: PanelSideDeps,
  panel: ImportPanel,
  { id, data }: StoredRecord<ServerRecord>,
): Promise<ImportReason | null> {
  const { uow, origin, store } = deps;
  const found = findServer(store, data);
  if (!found) return 'server_missing';
  const known = await uow.read(async (tx) => ({
    before: (await tx.imports.listRows(origin, 'server', [id])).has(id),
    userId: (await tx.imports.listRows(origin, 'user', [data.user])).get(data.user)?.targetId,
  }));
  if (known.before) return null;
  const { userId } = known;
  if (userId === undefined) return 'owner_missing';
  let refused: ImportReason | null = null;
  try {
    await deps.adopt(SYSTEM, {
      panel: panel.id,
      panelId: found.panelId,
      userId,
      expiresMs: expiryOf(deps, data),
      locationId: null,
      eggId: null,
      raisesLimits: true,
    });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    refused =
      error.code === 'NOT_FOUND' ? 'server_missing' : error.code === 'CONFLICT' ? 'server_taken' : 'server_refused';
  }
  return uow.run(async (tx) => {
    // Also where a run that was killed had taken it over already: then it is the same user's.
    const row = await tx.servers.findByPanelId(panel.id, found.panelId);
    if (row?.userId !== userId || row.adoptedMs === null) return refused ?? 'server_refused';
    await tx.imports.addRow(origin, {
      kind: 'server',
      sourceId: id,
      runId: deps.runId,
      targetId: row.id,
      made: true,
      credits: 0,
      undo: JSON.stringify({ external_id: found.externalId }),
    });
    return null;
  });
}

/** From when on a server ends: never sooner than the time of grace from now on. */
function expiryOf({ graceMs, clock }: PanelSideDeps, { expiresMs }: ServerRecord): number | null {
  if (graceMs === null) return null;
  return Math.max(expiresMs ?? 0, clock.now() + graceMs);
}
