import type { Kysely, Selectable } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import { findRow } from '#server/data/row.ts';
import type { DB, PanelAccounts } from '#server/data/schema.ts';
import type { PanelAccount, PanelLinksRepo } from '#server/modules/servers/panel/links.ts';

/** Rows written in one statement. */
const CHUNK = 200;

const toAccount = (
  row: Pick<Selectable<PanelAccounts>, 'panel_id' | 'user_id' | 'account' | 'synced'>,
): PanelAccount => ({
  panel: row.panel_id,
  userId: row.user_id,
  account: row.account,
  synced: row.synced,
});

type AccountsPart = Pick<
  PanelLinksRepo,
  | 'findAccount'
  | 'findDeletedOwner'
  | 'accountIds'
  | 'listAccounts'
  | 'listAccountsAfter'
  | 'saveAccount'
  | 'deleteAccount'
>;
function accountsPart(db: Kysely<DB>, raw: Raw): AccountsPart {
  const of = () => db.selectFrom('panel_accounts').selectAll('panel_accounts');
  return {
    async findAccount(panel, userId) {
      const row = await findRow(raw, 'panel_accounts', { panel_id: panel, user_id: userId });
      return row ? toAccount(row) : null;
    },
    async findDeletedOwner(panel, account) {
      const row = await of()
        .innerJoin('users', 'users.id', 'panel_accounts.user_id')
        .where('panel_accounts.panel_id', '=', panel)
        .where('panel_accounts.account', '=', account)
        .where('users.status', '=', 'deleted')
        .executeTakeFirst();
      return row?.user_id ?? null;
    },
    async accountIds(panel, userIds) {
      if (userIds.length === 0) return new Map();
      const rows = await of()
        .where('panel_id', '=', panel)
        .where('user_id', 'in', [...userIds])
        .execute();
      return new Map(rows.map((row) => [row.user_id, row.account]));
    },
    async listAccounts(userId) {
      return (await of().where('user_id', '=', userId).orderBy('panel_id').execute()).map(toAccount);
    },
    async listAccountsAfter(after, limit) {
      let query = of()
        .innerJoin('panels', 'panels.id', 'panel_accounts.panel_id')
        .innerJoin('users', 'users.id', 'panel_accounts.user_id')
        .select(['users.username', 'users.email', 'users.first_name', 'users.last_name'])
        .where('panels.enabled', '=', 1);
      if (after)
        query = query.where((eb) =>
          eb(
            eb.refTuple('panel_accounts.panel_id', 'panel_accounts.user_id'),
            '>',
            eb.tuple(after.panel, after.userId),
          ),
        );
      const rows = await query
        .orderBy('panel_accounts.panel_id')
        .orderBy('panel_accounts.user_id')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        ...toAccount(row),
        username: row.username,
        email: row.email,
        firstName: row.first_name,
        lastName: row.last_name,
      }));
    },
    async saveAccount({ panel, userId, account, synced }, atMs) {
      await db
        .insertInto('panel_accounts')
        .values({ panel_id: panel, user_id: userId, account, synced, at_ms: atMs })
        .onConflict((conflict) =>
          conflict.columns(['panel_id', 'user_id']).doUpdateSet({ account, synced, at_ms: atMs }),
        )
        .execute();
    },
    async deleteAccount(panel, userId) {
      await db.deleteFrom('panel_accounts').where('panel_id', '=', panel).where('user_id', '=', userId).execute();
    },
  };
}

type EggsPart = Pick<PanelLinksRepo, 'findOfferedEgg' | 'findPanelEgg' | 'boundEggs' | 'bindings'>;
function eggsPart(db: Kysely<DB>, raw: Raw): EggsPart {
  const of = () => db.selectFrom('egg_bindings');
  /** Bindings whose egg is not gone from the panel's catalogue. */
  const offered = () =>
    of().where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('panel_offers')
            .select('panel_offers.ref')
            .whereRef('panel_offers.panel_id', '=', 'egg_bindings.panel_id')
            .where('panel_offers.kind', '=', 'egg')
            .whereRef('panel_offers.ref', '=', 'egg_bindings.panel_egg')
            .where('panel_offers.vanished_ms', 'is not', null),
        ),
      ),
    );
  return {
    async findPanelEgg(eggId, panel) {
      return (await findRow(raw, 'egg_bindings', { egg_id: eggId, panel_id: panel }))?.panel_egg ?? null;
    },
    async findOfferedEgg(eggId, panel) {
      const row = await offered()
        .select('egg_bindings.panel_egg')
        .where('egg_bindings.egg_id', '=', eggId)
        .where('egg_bindings.panel_id', '=', panel)
        .executeTakeFirst();
      return row?.panel_egg ?? null;
    },
    async boundEggs(panel) {
      const rows = await of()
        .select(['egg_id', 'panel_egg'])
        .where('panel_id', '=', panel)
        .orderBy('created_ms', 'desc')
        .orderBy('egg_id')
        .execute();
      return new Map(rows.map((row) => [row.panel_egg, row.egg_id]));
    },
    async bindings() {
      const rows = await offered().select(['egg_bindings.egg_id', 'egg_bindings.panel_id']).execute();
      return rows.map((row) => ({ eggId: row.egg_id, panel: row.panel_id }));
    },
  };
}

type DriftPart = Pick<PanelLinksRepo, 'saveDrift' | 'deleteStaleDrift'>;
function driftPart(db: Kysely<DB>): DriftPart {
  return {
    async saveDrift(panel, rows, atMs) {
      for (let at = 0; at < rows.length; at += CHUNK) {
        await db
          .insertInto('panel_drift')
          .values(
            rows.slice(at, at + CHUNK).map((row) => ({
              panel,
              kind: row.kind,
              ref: row.ref,
              server_id: row.serverId,
              name: row.name,
              detail: row.detail,
              first_ms: atMs,
              seen_ms: atMs,
            })),
          )
          .onConflict((conflict) =>
            conflict.columns(['panel', 'kind', 'ref']).doUpdateSet((eb) => ({
              server_id: eb.ref('excluded.server_id'),
              name: eb.ref('excluded.name'),
              detail: eb.ref('excluded.detail'),
              seen_ms: atMs,
            })),
          )
          .execute();
      }
    },
    async deleteStaleDrift(panel, beforeMs) {
      await db.deleteFrom('panel_drift').where('panel', '=', panel).where('seen_ms', '<', beforeMs).execute();
    },
  };
}

/** Accounts, eggs and drift of panels in the database. */
export function createPanelLinksRepo(db: Kysely<DB>, raw: Raw): PanelLinksRepo {
  return { ...accountsPart(db, raw), ...eggsPart(db, raw), ...driftPart(db) };
}
