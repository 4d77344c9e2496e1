import type { Kysely } from 'kysely';
import type { DB } from '#server/data/schema.ts';
import type { SetupRepo } from '#server/modules/setup-guide/ports.ts';
import { SETUP_STEPS } from '#shared/setup-guide.ts';

/** The steps of the set-up guide that somebody completed or left out. */
export function createSetupRepo(db: Kysely<DB>): SetupRepo {
  return {
    async list() {
      const rows = await db.selectFrom('setup_steps').selectAll().execute();
      return rows.flatMap(({ step, state, evidence, at_ms: atMs }) => {
        const known = SETUP_STEPS.find((each) => each === step);
        return known
          ? [{ step: known, state: state === 'done' ? ('done' as const) : ('skipped' as const), evidence, atMs }]
          : [];
      });
    },
    async save({ step, state, evidence, atMs }) {
      await db
        .insertInto('setup_steps')
        .values({ step, state, evidence, at_ms: atMs })
        .onConflict((conflict) => conflict.column('step').doUpdateSet({ state, evidence, at_ms: atMs }))
        .execute();
    },
  };
}
