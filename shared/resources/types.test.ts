import { describe, expect, test } from 'bun:test';
import * as z from 'zod/mini';
import type { Api } from '../contract/index.ts';
import { crudContract } from '../contract/crud.ts';
import { column, longText, name, onOff, position, readOnlyColumn } from './columns.ts';
import { defineResource } from './define.ts';
import { RESOURCES } from './index.ts';
import type { AnyResource } from './types.ts';

/** Fails to compile unless both types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(value: Same<A, B>): boolean => value;

type Listed = Awaited<ReturnType<Api['adminLocations']['list']>>['rows'][number];
type Created = Parameters<Api['adminRedeemCodes']['create']>[0]['body'];
type Updated = Parameters<Api['adminEggs']['update']>[0];

const base = {
  area: 'eggCategories',
  path: '/api/admin/egg-categories',
  table: 'egg_categories',
  permission: 'admin.nests',
  nav: { group: 'hosting', order: 1, icon: 'layers' },
  columns: { name: name(60), description: longText(0, 255), enabled: onOff(true), position: position() },
  groups: { basics: { fields: ['name', 'description', 'position', 'enabled'] } },
  title: 'name',
  search: ['name'],
  sort: 'position',
  bulk: {},
} as const;
const text = { store: { type: 'text' }, row: z.string(), input: z.string() } as const;

describe('a definition', () => {
  test('a definition types the client of its area', () => {
    expect(same<Listed['used_slots'], number>(true)).toBe(true);
    expect(same<Listed['online'], boolean>(true)).toBe(true);
    expect(same<Created['starts_at'], string | null>(true)).toBe(true);
    expect(same<Updated['body']['updated_at'], string>(true)).toBe(true);
    expect(same<Updated['params'], { id: string }>(true)).toBe(true);
  });

  test('a definition does not compile with a name that does not exist, or a value that does not fit', () => {
    const made = [
      () => defineResource(base),
      // @ts-expect-error -- a list with a column that there is not
      () => defineResource({ ...base, list: ['nmae'] }),
      // @ts-expect-error -- a format that does not fit the column's type
      () => readOnlyColumn({ store: { type: 'text' }, row: z.string(), list: { format: 'credits' } }),
      // @ts-expect-error -- an input without a field
      () => column(text),
      // @ts-expect-error -- an input that stands in no part of the form
      () => defineResource({ ...base, groups: { basics: { fields: ['name', 'description', 'position'] } } }),
      // @ts-expect-error -- a part of the form with a field that there is not
      () => defineResource({ ...base, groups: { ...base.groups, more: { fields: ['size'] } } }),
      // @ts-expect-error -- a field of a kind that does not fit its type
      () => column({ ...text, field: { kind: 'number' } }),
      // @ts-expect-error -- a search in a column that is not text
      () => defineResource({ ...base, search: ['position'] }),
      // @ts-expect-error -- an order by nothing
      () => defineResource({ ...base, sort: '-size' }),
      // @ts-expect-error -- a start of another type
      () => column({ ...text, field: { kind: 'text' }, start: 5 }),
      // @ts-expect-error -- a permission that is not in the catalogue
      () => defineResource({ ...base, permission: 'admin.nest' }),
      // @ts-expect-error -- an operation without a permission
      () => defineResource({ ...base, permission: 'admin.users' }),
      // @ts-expect-error -- a name of rows that is none of its columns
      () => defineResource({ ...base, title: 'username' }),
      // @ts-expect-error -- values that must be unique, of a column that there is not
      () => defineResource({ ...base, unique: [{ fields: ['code'], field: 'name', code: 'NAME_TAKEN' }] }),
      // @ts-expect-error -- a switch for several rows that is not a switch
      () => defineResource({ ...base, bulk: { switch: 'name' } }),
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

  test('only an area with a switch has the command that turns it', () => {
    expect(Object.keys(crudContract(defineResource(base)))).not.toContain('setEnabled');
    const { setEnabled: turn } = crudContract(defineResource({ ...base, bulk: { switch: 'enabled' } }));
    expect(turn.access).toBe('admin.nests.edit');
    // @ts-expect-error -- rows of this area have nothing to be turned
    expect(crudContract(defineResource(base)).turn).toBeUndefined();
  });

  test('unknown parts of an update are refused, and the moment the editor saw is asked for', () => {
    const { update } = crudContract(defineResource(base));
    const body = { name: 'Java', description: '', enabled: true, position: 1 };
    expect(z.safeParse(update.body, { ...body, updated_at: '2026-01-01T00:00:00.000Z' }).success).toBe(true);
    expect(z.safeParse(update.body, body).success).toBe(false);
    expect(z.safeParse(update.body, { ...body, updated_at: '', id: 'x' }).success).toBe(false);
  });

  test('a list that names a column which is not shown says so when it is defined', () => {
    expect(() => defineResource({ ...base, list: ['name', 'description'] })).toThrow('description');
  });
});

describe.each(Object.values<AnyResource>(RESOURCES).map((definition) => [definition.area, definition] as const))(
  'the definition of %s',
  (area, definition) => {
    test('the definition stands under its own name, and refers to areas and fields that there are', () => {
      expect(Object.keys(RESOURCES)).toContain(area);
      for (const target of Object.values(definition.references)) expect(Object.keys(RESOURCES)).toContain(target);
      for (const reference of Object.values(definition.names)) expect(definition.references).toHaveProperty(reference);
      for (const { of } of Object.values(definition.columns)) if (of) expect(definition.storage).toHaveProperty(of);
      for (const { link } of Object.values(definition.dependants)) {
        if (!link) continue;
        expect(Object.keys(RESOURCES)).toContain(link.area);
        expect(RESOURCES[link.area as keyof typeof RESOURCES].filters).toHaveProperty(link.filter);
      }
    });
  },
);
