import type { Kysely } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import type { DB } from '#server/data/schema.ts';
import type { PeopleRepo } from '#server/modules/people/ports.ts';
import { countPeople, listPeople } from './people-list.ts';
import { notesPart } from './user-notes.ts';

/** Ids asked for in one statement. */
const STEP = 500;

/** Users in the database, as staff ask for them. */
export function createPeopleRepo(db: Kysely<DB>, raw: Raw): PeopleRepo {
  return {
    ...notesPart(db),
    list: (query) => listPeople(raw, query),
    count: (query) => countPeople(raw, query),
    async names(ids) {
      const names = new Map<string, string>();
      const wanted = [...new Set(ids)];
      for (let start = 0; start < wanted.length; start += STEP) {
        const part = wanted.slice(start, start + STEP);
        const rows = await db.selectFrom('users').select(['id', 'username']).where('id', 'in', part).execute();
        for (const { id, username } of rows) names.set(id, username);
      }
      return names;
    },
    async seen(userId) {
      const row = await db.selectFrom('users').select('seen_ms').where('id', '=', userId).executeTakeFirst();
      return row?.seen_ms || null;
    },
    roles: () => db.selectFrom('roles').select(['id', 'name']).orderBy('rank').orderBy('name').execute(),
  };
}
