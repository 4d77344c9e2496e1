import type { People, PeopleCursor, PeopleSort, ListedUser, UserListQuery } from '#server/modules/people/index.ts';
import type { Handlers } from '#server/http/implement.types.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import type { adminUsers } from '#shared/contract/economy.ts';
import { fieldError } from '#shared/errors.ts';
import { can } from '#shared/permissions.ts';
import { pageOf } from '#shared/schemas/primitives.ts';
import { USER_CURSOR } from '#shared/schemas/people.ts';
import { iso } from '#shared/time.ts';
import { dayOfFile, mapParts, toCsvParts, type FileDay } from './csv.ts';

type ListHandlers = Pick<Handlers<typeof adminUsers>, 'list' | 'exportCsv'>;
type Query = Parameters<ListHandlers['list']>[1]['query'];
interface Services extends FileDay {
  readonly people: Pick<People, 'list' | 'exportAll'>;
}

const SORTS: Readonly<Record<string, PeopleSort>> = {
  username: 'username',
  credits: 'credits',
  created_at: 'created',
  seen_at: 'seen',
};
/** The columns of the file. */
const FIELDS = [
  'id',
  'username',
  'email',
  'verified',
  'role',
  'status',
  'credits',
  'debt',
  'spent',
  'factor',
  'created_at',
  'seen_at',
] as const;

/** The list of users and the same as a file (attacks T29). */
export function userListHandlers({ people, ...names }: Services): ListHandlers {
  return {
    async list(ctx, { query }) {
      const { rows, total, isMore, hasBefore, hasAfter, roles } = await people.list(toQuestion(ctx, query), ctx.signal);
      const paging = {
        per_page: pageOf(query).perPage,
        total,
        more: isMore,
        before: hasBefore ? cursorText(rows[0]) : null,
        after: hasAfter ? cursorText(rows.at(-1)) : null,
      };
      return { rows: rows.map(toRow), paging, roles };
    },
    async exportCsv(ctx, { query }) {
      const asked = { ...toQuestion(ctx, query), ids: query.ids?.split(',') };
      const parts = await people.exportAll(ctx, asked, ctx.signal);
      return {
        filename: `users-${dayOfFile(ctx, names)}.csv`,
        body: toCsvParts(
          FIELDS,
          mapParts(parts, (row) => ({ ...toRow(row), role: row.role.name })),
        ),
      };
    },
  };
}

/** The question of a query. Throws VALIDATION_FAILED at a cursor of another order. */
export function toQuestion(ctx: SignedIn, query: Query): UserListQuery {
  const text = query.sort ?? '-created_at';
  const sort = query.seen === undefined ? (SORTS[text.replace('-', '')] ?? 'created') : 'seen';
  return {
    search: query.q,
    byAddress: can(ctx.actor.permissions, 'admin.users.edit'),
    roleId: query.role,
    status: query.status,
    unverified: query.unverified === 'true',
    factor: query.factor === undefined ? undefined : query.factor === 'true',
    unspent: query.unspent === 'true',
    seen: query.seen,
    debt: query.debt === undefined ? undefined : query.debt === 'true',
    sort,
    dir: text.startsWith('-') ? 'desc' : 'asc',
    after: readCursor('after', query.after, sort),
    before: readCursor('before', query.before, sort),
    limit: pageOf(query).perPage,
  };
}

function readCursor(field: 'after' | 'before', text: string | undefined, sort: PeopleSort): PeopleCursor | undefined {
  const [, value = '', id] = USER_CURSOR.exec(text ?? '') ?? [];
  if (id === undefined) return undefined;
  if (sort === 'username') return { value, id };
  if (!/^-?\d{1,15}$/.test(value)) throw fieldError(field, 'INVALID');
  return { value: Number(value), id };
}

const cursorText = (row: ListedUser | undefined): string | null =>
  row ? `${row.cursor.value}~${row.cursor.id}` : null;

function toRow(row: ListedUser) {
  const { id, username, email, status, role, credits, debt } = row;
  return {
    id,
    username,
    email,
    status,
    role,
    credits,
    debt,
    verified: row.isVerified,
    factor: row.hasFactor,
    spent: row.hasSpent,
    created_at: iso(row.createdMs),
    seen_at: iso(row.seenMs),
  };
}
