import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sortableColumns } from '#shared/resources/sortable.ts';
import type { Permission } from '#shared/permissions.ts';
import type { AreaName } from '#shared/resources/index.ts';
import type { Resource } from '#shared/resources/types.ts';
import { testIds } from '#tests/support/clock.ts';
import type { Engine } from '#tests/support/db.ts';
import { crudChanges } from './crud-changes.ts';
import {
  openSetting,
  tableOf,
  UNKNOWN_ID,
  type caller,
  type Factory,
  type Json,
  type Setting,
} from './crud-support.ts';

export type { Factory } from './crud-support.ts';

/** Everything an admin area promises, tried over HTTP in memory on one engine. */
export function crudSuite(definition: Resource<AreaName>, factory: Factory, engine: Engine = 'sqlite'): void {
  crudQuestions(definition, factory, engine);
  crudChanges(definition, factory, engine);

  test(`T10 ${definition.area} on ${engine}: a fault after the row was written rolls it back`, async () => {
    const ids = testIds();
    let faulty = false;
    const { api, audit, input, world } = await openSetting(definition, factory, engine, {
      ids: { ...ids, uuid: () => (faulty && new Error().stack?.includes('writeAudit') ? fail() : ids.uuid()) },
    });
    const fail = (): never => {
      throw new Error('the trail cannot be written');
    };
    faulty = true;
    expect((await api.call('POST', '', input(1))).status).toBe(500);
    faulty = false;
    expect((await api.list()).rows).toEqual([]);
    expect(await audit()).toEqual([]);
    await world.close();
  });
}

/** What a list, an export and a look at one row promise. */
function crudQuestions(definition: Resource<AreaName>, factory: Factory, engine: Engine): void {
  const { area, title } = definition;
  let setting: Setting;
  let api: ReturnType<typeof caller>;
  const input = (n: number): Json => setting.input(n);

  describe(`${area} on ${engine}: questions`, () => {
    const ids: string[] = [];
    beforeAll(async () => {
      setting = await openSetting(definition, factory, engine);
      api = setting.api;
      for (let n = 1; n <= 7; n++) {
        ids.push(await api.create(input(n)));
        setting.world.clock.advance(1000);
      }
    });
    afterAll(() => setting.world.close());

    test('a list has pages that do not overlap and leave nothing out', async () => {
      const pages = await Promise.all([1, 2, 3, 4].map((page) => api.list(`?per_page=2&page=${page}`)));
      expect(pages.map(({ rows }) => rows.length)).toEqual([2, 2, 2, 1]);
      expect(pages.map(({ total }) => total)).toEqual([7, 7, 7, 7]);
      expect(new Set(pages.flatMap(({ rows }) => rows.map((row) => row.id)))).toEqual(new Set(ids));
      expect((await api.list('?page=99')).rows).toEqual([]);
    });

    test.each(sortableColumns(definition))('the list sorts by %s, both ways', async (column) => {
      const key = (row: Json) =>
        typeof row[column] === 'string' ? row[column].toLowerCase() : (row[column] as number | null);
      const filled = (rows: Json[]) => rows.map(key).filter((value) => value !== null);
      const up = filled((await api.list(`?sort=${column}`)).rows);
      const down = filled((await api.list(`?sort=-${column}`)).rows);
      expect(up).toEqual([...up].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
      expect(down).toEqual(up.toReversed());
    });

    test('rows without a value come last, whichever way', async () => {
      for (const column of sortableColumns(definition)) {
        for (const sort of [column, `-${column}`]) {
          const empty = (await api.list(`?sort=${sort}`)).rows.map((row) => row[column] === null);
          expect(empty).toEqual([...empty].sort((a, b) => Number(a) - Number(b)));
        }
      }
    });

    test('T53 a search finds words, and takes wildcards, quotes and SQL as they are', async () => {
      const name = String((await api.row(ids[0] ?? ''))[title]);
      expect((await api.list(`?q=${encodeURIComponent(name.toLowerCase())}`)).rows.map((row) => row.id)).toContain(
        ids[0],
      );
      for (const text of ['%', '_', '!', "' OR 1=1 --", '"', '\\', ');DELETE FROM audit;--']) {
        const { rows } = await api.list(`?q=${encodeURIComponent(text)}`);
        for (const row of rows) expect(definition.search.some((field) => String(row[field]).includes(text))).toBe(true);
      }
      expect((await api.list()).total).toBe(7);
    });

    test('T53 T52 an order, a filter or a page size that does not exist is refused', async () => {
      for (const query of [
        '?sort=password',
        '?sort=id;drop',
        `?sort=${title})`,
        '?per_page=101',
        '?per_page=0',
        '?per_page=1e3',
        '?page=0',
        '?page=-1',
        `?q=${'a'.repeat(101)}`,
      ]) {
        expect({ query, status: (await api.call('GET', query)).status }).toEqual({ query, status: 422 });
      }
      for (const name of Object.keys(definition.filters)) {
        expect((await api.call('GET', `?${name}=${encodeURIComponent("x' OR '1'='1")}`)).status).toBe(422);
      }
    });

    test('filters narrow the list, and both values of a switch make the whole', async () => {
      for (const [name, { options }] of Object.entries(definition.filters)) {
        if (options === 'answer') continue;
        const values = options === 'switch' ? ['true', 'false'] : options;
        const parts = await Promise.all(values.map((value) => api.list(`?${name}=${value}&per_page=100`)));
        for (const [index, { rows }] of parts.entries())
          for (const row of rows) expect(String(row[name])).toBe(values[index] ?? '');
        expect(parts.reduce((sum, { total }) => sum + total, 0)).toBe(7);
      }
    });

    test('T29 an export holds every row, and no cell that a spreadsheet would run', async () => {
      const trap = await api.create({ ...input(8), [factory.text]: '=HYPERLINK("http://x","y")' });
      const response = await setting.world.http(api.all, `${definition.path}/export.csv`);
      const text = await response.text();
      expect(response.headers.get('content-type')).toContain('text/csv');
      expect(response.headers.get('content-disposition')).toContain('attachment');
      const [head, ...lines] = text.replace('\uFEFF', '').trimEnd().split('\r\n');
      // Money is written as people write it, and so is its name.
      expect(head).toBe(
        Object.keys(definition.row.shape)
          .map((field) => field.replace(/_minor$/, ''))
          .join(','),
      );
      expect(lines).toHaveLength(8);
      expect(text).toContain('"\'=HYPERLINK(""http://x"",""y"")"');
      expect(text).not.toMatch(/(^|,)"?[=+@]/m);
      const filtered = await (await setting.world.http(api.all, `${definition.path}/export.csv?q=hyperlink`)).text();
      expect(filtered.trimEnd().split('\r\n')).toHaveLength(2);
      await setting.world.db.sql(`DELETE FROM ${tableOf(area)} WHERE id = ? RETURNING id`, [trap]);
    });

    test('T24 an id that is not there, or is no id, is not found', async () => {
      for (const id of [UNKNOWN_ID, 'x', '1', '..%2f..', "'--", '%00', 'null']) {
        for (const [method, path, body] of [
          ['GET', `/${id}`, undefined],
          ['GET', `/${id}/dependants`, undefined],
          ['DELETE', `/${id}`, { name: 'x' }],
          ['PATCH', `/${id}`, { ...input(1), updated_at: '2026-01-01T00:00:00.000Z' }],
        ] as const) {
          const { status, json } = await api.call(method, path, body);
          expect({ id, method, status, code: json.error_code }).toEqual({ id, method, status: 404, code: 'NOT_FOUND' });
        }
      }
    });

    test('every endpoint asks for its own permission and for nothing else', async () => {
      const [id = ''] = ids;
      type Case = [method: string, path: string, body: unknown, verb: string];
      const cases: Case[] = [
        ['GET', '', undefined, 'list'],
        ['GET', '/export.csv', undefined, 'list'],
        ['GET', '/new', undefined, 'create'],
        ['POST', '', {}, 'create'],
        ['GET', `/${id}`, undefined, 'edit'],
        ['PATCH', `/${id}`, {}, 'edit'],
        ...(definition.bulk.switch === undefined ? [] : ([['POST', '/set-enabled', {}, 'edit']] satisfies Case[])),
        ['GET', `/${id}/dependants`, undefined, 'delete'],
        ['DELETE', `/${id}`, {}, 'delete'],
        ['POST', '/delete', {}, 'delete'],
      ];
      for (const [method, path, body, verb] of cases) {
        const own = `${definition.permission}.${verb}` as Permission;
        const others = [
          ...api.all.filter((permission) => permission !== own),
          'admin.dashboard.view',
          'admin.users.list',
        ] as Permission[];
        const init = {
          method,
          ...(body === undefined
            ? {}
            : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
        };
        const status = async (as: readonly Permission[]) =>
          (await setting.world.http(as, definition.path + path, init)).status;
        expect({ method, path, guest: await status([]), others: await status(others) }).toEqual({
          method,
          path,
          guest: 401,
          others: 403,
        });
        expect([200, 422]).toContain(await status([own]));
        expect([200, 422]).toContain(await status(['admin.root']));
      }
    });
  });
}
