import type { Kysely, Selectable } from 'kysely';
import type { DB, UserBulkRuns } from '#server/data/schema.ts';
import type { BulkInput, BulkQuestion, BulkRun, BulkWork, UserBulkRepo } from '#server/modules/people/bulk-ports.ts';
import type { PeopleCursor } from '#server/modules/people/ports.ts';

const toRun = (row: Selectable<UserBulkRuns>): BulkRun => ({
  id: row.id,
  kind: row.kind,
  state: row.state,
  startedBy: row.started_by,
  total: row.total,
  done: row.done,
  refused: row.refused,
  createdMs: row.created_ms,
  finishedMs: row.finished_ms,
});

const toWork = (row: Selectable<UserBulkRuns>): BulkWork => ({
  ...toRun(row),
  question: JSON.parse(row.question) as BulkQuestion,
  input: JSON.parse(row.input) as BulkInput,
  position: row.position === null ? null : (JSON.parse(row.position) as PeopleCursor),
});

/** Commands on all users who fit a filter. */
export function createUserBulkRepo(db: Kysely<DB>): UserBulkRepo {
  return {
    async add({ id, kind, startedBy, question, input, total, createdMs }) {
      const added = await db
        .insertInto('user_bulk_runs')
        .values({
          id,
          kind,
          state: 'running',
          started_by: startedBy,
          question: JSON.stringify(question),
          input: JSON.stringify(input),
          total,
          done: 0,
          refused: 0,
          position: null,
          created_ms: createdMs,
          finished_ms: null,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .execute();
      return added.length > 0;
    },
    async find(id) {
      const row = await db.selectFrom('user_bulk_runs').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? toWork(row) : null;
    },
    async findLatest() {
      const row = await db
        .selectFrom('user_bulk_runs')
        .selectAll()
        .orderBy('created_ms', 'desc')
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row ? toRun(row) : null;
    },
    async advance(id, from, { position, outcome }) {
      const moved = await db
        .updateTable('user_bulk_runs')
        .set((eb) => ({
          position: JSON.stringify(position),
          ...(outcome === 'done' ? { done: eb('done', '+', 1) } : {}),
          ...(outcome === 'refused' ? { refused: eb('refused', '+', 1) } : {}),
        }))
        .where('id', '=', id)
        .where('state', '=', 'running')
        .where((eb) => eb(eb('done', '+', eb.ref('refused')), '=', from))
        .returning('id')
        .execute();
      return moved.length > 0;
    },
    async finish(id, state, atMs) {
      const ended = await db
        .updateTable('user_bulk_runs')
        .set({ state, question: '{}', input: '{}', finished_ms: atMs })
        .where('id', '=', id)
        .where('state', '=', 'running')
        .returning('id')
        .execute();
      return ended.length > 0;
    },
    async purge(beforeMs) {
      await db.deleteFrom('user_bulk_runs').where('finished_ms', '<', beforeMs).execute();
    },
  };
}
