import { describe, expect, test } from 'bun:test';
import * as z from 'zod/mini';
import type { Api } from '../contract/index.ts';
import { eggCategoryInput, eggCategoryRow } from '../schemas/egg-category.ts';
import { crudContract } from '../contract/crud.ts';
import { defineResource } from './types.ts';

/** Fails to compile unless both types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(value: Same<A, B>): boolean => value;

type Listed = Awaited<ReturnType<Api['adminLocations']['list']>>['rows'][number];
type Created = Parameters<Api['adminRedeemCodes']['create']>[0]['body'];
type Updated = Parameters<Api['adminEggs']['update']>[0];

const base = {
  area: 'eggCategories',
  path: '/api/admin/egg-categories',
  permission: 'admin.nests',
  operations: ['list', 'create', 'edit', 'delete'],
  row: eggCategoryRow,
  create: eggCategoryInput,
  update: eggCategoryInput,
  title: 'name',
  columns: { name: { format: 'text' } },
  groups: { basics: {} },
  fields: {
    name: { kind: 'text', group: 'basics' },
    description: { kind: 'textarea', group: 'basics' },
    position: { kind: 'number', group: 'basics' },
    enabled: { kind: 'switch', group: 'basics' },
  },
  defaults: {},
  filters: {},
  search: ['name'],
  sort: 'position',
  dependants: {},
  bulk: {},
} as const;

describe('a definition', () => {
  test('types the client of its area', () => {
    expect(same<Listed['used_slots'], number>(true)).toBe(true);
    expect(same<Listed['online'], boolean>(true)).toBe(true);
    expect(same<Created['starts_at'], string | null>(true)).toBe(true);
    expect(same<Updated['body']['updated_at'], string>(true)).toBe(true);
    expect(same<Updated['params'], { id: string }>(true)).toBe(true);
  });

  test('does not compile with a name that does not exist', () => {
    const { enabled: _, ...withoutEnabled } = base.fields;
    const made = [
      defineResource(base),
      // @ts-expect-error -- a column that the row does not have
      defineResource({ ...base, columns: { nmae: { format: 'text' } } }),
      // @ts-expect-error -- a format that does not fit the column's type
      defineResource({ ...base, columns: { name: { format: 'credits' } } }),
      // @ts-expect-error -- an input without a field
      defineResource({ ...base, fields: withoutEnabled }),
      // @ts-expect-error -- a field of a kind that does not fit its type
      defineResource({ ...base, fields: { ...base.fields, enabled: { kind: 'number', group: 'basics' } } }),
      // @ts-expect-error -- a field in a group that does not exist
      defineResource({ ...base, fields: { ...base.fields, enabled: { kind: 'switch', group: 'basic' } } }),
      // @ts-expect-error -- a search in a column that is not text
      defineResource({ ...base, search: ['position'] }),
      // @ts-expect-error -- a filter on nothing
      defineResource({ ...base, filters: { online: { options: 'switch' } } }),
      // @ts-expect-error -- an order by nothing
      defineResource({ ...base, sort: '-size' }),
      // @ts-expect-error -- a default of another type
      defineResource({ ...base, defaults: { enabled: 'yes' } }),
      // @ts-expect-error -- a permission that is not in the catalogue
      defineResource({ ...base, permission: 'admin.nest' }),
      // @ts-expect-error -- an operation without a permission
      defineResource({ ...base, permission: 'admin.users' }),
      // @ts-expect-error -- an area without pages
      defineResource({ ...base, area: 'users' }),
      // @ts-expect-error -- a link to a page that does not exist
      defineResource({ ...base, dependants: { users: { refuses: true, link: { area: 'users', filter: 'role' } } } }),
      // @ts-expect-error -- a switch for several rows that is not a switch
      defineResource({ ...base, bulk: { switch: 'name' } }),
    ];
    expect(made).toHaveLength(15);
  });

  test('an area with fewer operations has fewer endpoints, also for the compiler', () => {
    const few = crudContract(defineResource({ ...base, operations: ['list', 'delete'] }));
    expect(Object.keys(few).sort()).toEqual(['dependants', 'export', 'list', 'remove', 'removeMany']);
    expect(few.list.access).toBe('admin.nests.list');
    // @ts-expect-error -- rows of this area cannot be created
    expect(few.create).toBeUndefined();
  });

  test('unknown parts of an update are refused, and the moment the editor saw is asked for', () => {
    const { update } = crudContract(defineResource(base));
    const body = { name: 'Java', description: '', enabled: true, position: 1 };
    expect(z.safeParse(update.body, { ...body, updated_at: '2026-01-01T00:00:00.000Z' }).success).toBe(true);
    expect(z.safeParse(update.body, body).success).toBe(false);
    expect(z.safeParse(update.body, { ...body, updated_at: '', id: 'x' }).success).toBe(false);
  });
});
