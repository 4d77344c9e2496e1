import type { Kysely, Selectable } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import { insertRow, lockRow } from '#server/data/row.ts';
import { isArchivedUnder } from '#server/data/repos/ledger-blocks.ts';
import type { DB, ImportedPayments, ImportedRows, ImportRuns } from '#server/data/schema.ts';
import type { ImportedRow, ImportOrigin, ImportRun, ImportsRepo, TakenUser } from '#server/modules/imports/ports.ts';
import type { ImportFaultCode, ImportProduct } from '#shared/imports.ts';

const toRun = (row: Selectable<ImportRuns>): ImportRun => ({
  id: row.id,
  product: row.product,
  instance: row.instance,
  state: row.state,
  // Only `addRun` and `updateRun` write this column.
  fault: row.fault as ImportFaultCode | null,
  options: row.options,
  summary: row.summary,
  startedBy: row.started_by,
  createdMs: row.created_ms,
  updatedMs: row.updated_ms,
});
const toRow = (row: Selectable<ImportedRows>): ImportedRow => ({
  kind: row.kind,
  sourceId: row.source_id,
  runId: row.run_id,
  targetId: row.target_id,
  made: row.made === 1,
  credits: row.credits,
  undo: row.undo,
});
/** Ids that are asked for at once. */
const HERE_BATCH = 200;
const marks = (values: readonly unknown[]) => values.map(() => '?').join(', ');

/** What was brought from other dashboards, in the database. */
export function createImportsRepo(db: Kysely<DB>, raw: Raw): ImportsRepo {
  return {
    ...runsPart(db),
    ...rowsPart(raw),
    ...forgetPart(raw),
    addPayment: (payment) =>
      insertRow(raw, 'imported_payments', {
        id: payment.id,
        run_id: payment.runId,
        user_id: payment.userId,
        gateway: payment.gateway,
        reference: payment.reference,
        status: payment.status,
        amount: payment.amount,
        currency: payment.currency,
        credits: payment.credits,
        paid_ms: payment.paidMs,
      }),
    async listPaymentsOf(userId, limit) {
      const rows = await raw.all<Selectable<ImportedPayments> & { product: ImportProduct }>(
        `SELECT p.*, r.product FROM imported_payments p JOIN import_runs r ON r.id = p.run_id
          WHERE p.user_id = ? ORDER BY COALESCE(p.paid_ms, 0) DESC, p.id LIMIT ?`,
        [userId, limit],
      );
      return rows.map(({ id, gateway, reference, status, amount, currency, credits, paid_ms: paidMs, product }) => ({
        id,
        gateway,
        reference,
        status,
        amount,
        currency,
        credits,
        paidMs,
        product,
      }));
    },
    addCodeUse: (codeId, userId) => insertRow(raw, 'imported_code_uses', { code_id: codeId, user_id: userId }),
    async isTouched(userId, runId) {
      const found = await raw.one(
        `SELECT 1 AS found WHERE EXISTS (SELECT 1 FROM users WHERE id = ? AND seen_ms > 0)
          OR EXISTS (SELECT 1 FROM sessions WHERE user_id = ?) OR EXISTS (SELECT 1 FROM known_devices WHERE user_id = ?)
          OR EXISTS (SELECT 1 FROM ledger_postings WHERE source IN (?, ?) AND kind NOT IN ('import', 'reversal'))
          OR EXISTS (SELECT 1 FROM ledger_postings WHERE destination IN (?, ?) AND kind NOT IN ('import', 'reversal'))
          OR EXISTS (SELECT 1 FROM ledger_blocks WHERE user_id = ?)
          OR EXISTS (SELECT 1 FROM servers WHERE user_id = ? AND NOT EXISTS (SELECT 1 FROM imported_rows WHERE target_id = servers.id AND run_id = ?))
          OR EXISTS (SELECT 1 FROM imported_rows WHERE target_id = ? AND run_id <> ?)`,
        [
          userId,
          userId,
          userId,
          `user:${userId}`,
          `hold:${userId}`,
          `user:${userId}`,
          `hold:${userId}`,
          userId,
          userId,
          runId,
          userId,
          runId,
        ],
      );
      return found !== undefined;
    },
    async listRowsOfOwner(runId, userId) {
      const rows = await raw.all<Selectable<ImportedRows>>(
        `SELECT * FROM imported_rows WHERE run_id = ? AND kind IN ('server', 'ticket', 'payment') AND target_id IN (${OWNED})`,
        [runId, userId, userId, userId],
      );
      return rows.map(toRow);
    },
    async isOfComer(runId, targetId) {
      const found = await raw.one(
        `SELECT 1 AS found FROM imported_rows WHERE run_id = ? AND kind = 'user' AND target_id IN (
          SELECT user_id FROM servers WHERE id = ? UNION ALL SELECT user_id FROM tickets WHERE id = ?
          UNION ALL SELECT user_id FROM imported_payments WHERE id = ?)`,
        [runId, targetId, targetId, targetId],
      );
      return found !== undefined;
    },
  };
}

/** Ids of what a user has of what runs bring for users. */
const OWNED = `SELECT id FROM servers WHERE user_id = ? UNION ALL SELECT id FROM tickets WHERE user_id = ?
  UNION ALL SELECT id FROM imported_payments WHERE user_id = ?`;

function runsPart(db: Kysely<DB>): Pick<ImportsRepo, 'addRun' | 'updateRun' | 'findRun' | 'removeRun' | 'listRuns'> {
  return {
    async addRun(run) {
      const { id, product, instance, state, fault, options, summary, startedBy, createdMs, updatedMs } = run;
      await db
        .insertInto('import_runs')
        .values({
          id,
          product,
          instance,
          state,
          fault,
          options,
          summary,
          started_by: startedBy,
          created_ms: createdMs,
          updated_ms: updatedMs,
        })
        .execute();
    },
    async updateRun(id, change, nowMs) {
      await db
        .updateTable('import_runs')
        .set({ ...change, updated_ms: nowMs })
        .where('id', '=', id)
        .execute();
    },
    async findRun(id) {
      const row = await db.selectFrom('import_runs').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? toRun(row) : null;
    },
    async removeRun(id) {
      await db.deleteFrom('import_runs').where('id', '=', id).execute();
    },
    async listRuns(limit) {
      const rows = await db
        .selectFrom('import_runs')
        .selectAll()
        .orderBy('created_ms', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(toRun);
    },
  };
}

type RowsPart = Pick<
  ImportsRepo,
  'listTaken' | 'listHere' | 'listRows' | 'addRow' | 'listRowsOf' | 'deleteRow' | 'sums'
>;

function rowsPart(raw: Raw): RowsPart {
  return {
    async listTaken({ names, emails }) {
      const taken = new Map<string, TakenUser>();
      for (const [column, keys] of [
        ['username_key', names],
        ['email_key', emails],
      ] as const) {
        if (keys.length === 0) continue;
        const rows = await raw.all<{
          id: string;
          username_key: string;
          email_key: string;
          verified_ms: number | null;
          status: string;
        }>(
          `SELECT id, username_key, email_key, verified_ms, status FROM users WHERE ${column} IN (${marks(keys)})`,
          keys,
        );
        for (const row of rows)
          taken.set(row.id, {
            id: row.id,
            usernameKey: row.username_key,
            emailKey: row.email_key,
            verified: row.verified_ms !== null,
            active: row.status === 'active',
          });
      }
      return [...taken.values()];
    },
    async listHere(userIds) {
      const here = new Set<string>();
      for (let from = 0; from < userIds.length; from += HERE_BATCH) {
        const some = userIds.slice(from, from + HERE_BATCH);
        const rows = await raw.all<{ id: string }>(
          `SELECT id FROM users WHERE status <> 'deleted' AND id IN (${marks(some)})`,
          some,
        );
        for (const { id } of rows) here.add(id);
      }
      return here;
    },
    async listRows({ product, instance }, kind, sourceIds) {
      if (sourceIds.length === 0) return new Map();
      const rows = await raw.all<Selectable<ImportedRows>>(
        `SELECT * FROM imported_rows WHERE product = ? AND instance = ? AND kind = ? AND source_id IN (${marks(sourceIds)})`,
        [product, instance, kind, ...sourceIds],
      );
      return new Map(rows.map((row) => [row.source_id, toRow(row)]));
    },
    addRow: ({ product, instance }, { kind, sourceId, runId, targetId, made, credits, undo }) =>
      insertRow(raw, 'imported_rows', {
        product,
        instance,
        kind,
        source_id: sourceId,
        run_id: runId,
        target_id: targetId,
        made: made ? 1 : 0,
        credits,
        undo,
      }),
    async listRowsOf(runId, kind, afterSourceId, limit) {
      const rows = await raw.all<Selectable<ImportedRows>>(
        'SELECT * FROM imported_rows WHERE run_id = ? AND kind = ? AND source_id > ? ORDER BY source_id LIMIT ?',
        [runId, kind, afterSourceId, limit],
      );
      return rows.map(toRow);
    },
    async deleteRow({ product, instance }, kind, sourceId) {
      await raw.run('DELETE FROM imported_rows WHERE product = ? AND instance = ? AND kind = ? AND source_id = ?', [
        product,
        instance,
        kind,
        sourceId,
      ]);
    },
    async sums(origin) {
      const rows = await raw.one<{ sum: number }>(
        "SELECT CAST(COALESCE(SUM(credits), 0) AS BIGINT) AS sum FROM imported_rows WHERE product = ? AND instance = ? AND kind = 'user'",
        [origin.product, origin.instance],
      );
      return { rows: rows?.sum ?? 0, ledger: await ledgerSum(raw, origin) };
    },
  };
}

/** What came under the references of an origin and was not taken back, by the ledger alone. */
async function ledgerSum(raw: Raw, { product, instance }: ImportOrigin): Promise<number> {
  const begin = `import:${product}:${instance}:`;
  const row = await raw.one<{ sum: number }>(
    `SELECT CAST(COALESCE(SUM(p.amount), 0) AS BIGINT) AS sum FROM ledger_transactions t JOIN ledger_postings p ON p.tx_id = t.id
     WHERE t.reference >= ? AND t.reference < ? AND t.kind = 'import'
       AND NOT EXISTS (SELECT 1 FROM ledger_transactions r WHERE r.reverses = t.id)`,
    [begin, `${begin.slice(0, -1)};`],
  );
  return row?.sum ?? 0;
}

function forgetPart(raw: Raw): Pick<ImportsRepo, 'forgetServer' | 'forget'> {
  return {
    async forgetServer(serverId) {
      await lockRow(raw, 'servers', { id: serverId });
      const begin = `renew:${serverId}:`;
      const paid = await raw.one('SELECT 1 AS paid FROM ledger_transactions WHERE reference >= ? AND reference < ?', [
        begin,
        `${begin.slice(0, -1)};`,
      ]);
      if (paid) return false;
      const owner = await raw.one<{ user_id: string }>('SELECT user_id FROM servers WHERE id = ?', [serverId]);
      if (owner && (await isArchivedUnder(raw, owner.user_id, begin))) return false;
      await raw.run('UPDATE node_allocations SET server_id = NULL WHERE server_id = ?', [serverId]);
      for (const table of [
        'server_queue_log',
        'server_queue',
        'server_events',
        'server_subusers',
        'server_reminders',
        'capacity_reservations',
      ])
        await raw.run(`DELETE FROM ${table} WHERE server_id = ?`, [serverId]);
      await raw.run('DELETE FROM servers WHERE id = ?', [serverId]);
      return true;
    },
    async forget(kind, id) {
      if (kind === 'code') {
        await lockRow(raw, 'redeem_codes', { id });
        if (await raw.one('SELECT 1 AS used FROM redeem_uses WHERE code_id = ?', [id])) return false;
        await raw.run('DELETE FROM imported_code_uses WHERE code_id = ?', [id]);
        await raw.run('DELETE FROM redeem_codes WHERE id = ?', [id]);
      } else if (kind === 'package') {
        if (await raw.one('SELECT 1 AS sold FROM payment_orders WHERE package_id = ?', [id])) return false;
        await raw.run('DELETE FROM credit_packages WHERE id = ?', [id]);
      } else if (kind === 'payment') await raw.run('DELETE FROM imported_payments WHERE id = ?', [id]);
      else await raw.run('DELETE FROM tickets WHERE id = ?', [id]);
      return true;
    },
  };
}
