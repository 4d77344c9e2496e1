import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sortable } from '#shared/contract/crud.ts';
import type { FieldCode } from '#shared/errors.ts';
import type { Permission } from '#shared/permissions.ts';
import type { AreaName } from '#shared/resources/index.ts';
import type { AnyResource, Resource } from '#shared/resources/types.ts';
import { ACTOR_ID, openWorld, type World } from './admin/world.ts';
import type { Engine } from '#tests/support/db.ts';
import { testIds } from '#tests/support/clock.ts';

/** What the suite has to be told of an area. */
export interface Factory {
  /** A good input; `n` makes it another row. `world.note` may hold ids that `prepare` made. */
  input(n: number, world: World, made: ReadonlyMap<string, string>): Record<string, unknown>;
  /** Makes what rows need (a category for eggs): name → id. */
  prepare?(world: World): Promise<ReadonlyMap<string, string>>;
  /** A change that is good for every row. */
  change: Record<string, unknown>;
  /** Refused: a change of the input, the field that is told, its code. */
  bad: readonly (readonly [Record<string, unknown>, string, FieldCode])[];
  /** A value that no two rows may share, by field. */
  unique: { readonly field: string; readonly code: FieldCode };
  /** Makes something that depends on a row, by kind. */
  depend: Readonly<Record<string, (world: World, id: string, made: ReadonlyMap<string, string>) => Promise<unknown>>>;
  /** A text field of free text, to look for traps in. */
  text: string;
}

type Json = Record<string, unknown>;
const UNKNOWN_ID = '01890000-0000-7000-8000-000000000000';
/** What is no whole number within any bounds (attacks T4). */
const NO_NUMBERS: readonly unknown[] = [-1, -1000, 1.5, 1e300, Number.MAX_SAFE_INTEGER + 2, '5', '1e9', '0x10', '', null, true, [5], { n: 5 }, 'NaN'];
/** What is no line of text. */
const NO_TEXTS: readonly unknown[] = [5, null, true, ['a'], { a: 1 }, 'a\u0000b', 'a\u0007b'];

/** Calls of one area, as JSON. */
function caller(definition: AnyResource, world: World) {
  const all = (['list', 'create', 'edit', 'delete'] as const).map((verb) => `${definition.permission}.${verb}` as Permission);
  async function call(method: string, path: string, body?: unknown, options: { as?: readonly Permission[]; key?: string } = {}): Promise<{ status: number; json: Json }> {
    const headers: Record<string, string> = { 'Content-Type': 'application/json', ...(options.key ? { 'Idempotency-Key': options.key } : {}) };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await world.http(options.as ?? all, definition.path + path, init);
    return { status: response.status, json: (await response.json()) as Json };
  }
  return {
    all,
    call,
    create: async (input: Json): Promise<string> => {
      const { status, json } = await call('POST', '', input);
      expect({ status, json }).toMatchObject({ status: 200, json: { success: true } });
      return String(json.id);
    },
    row: async (id: string): Promise<Json> => (await call('GET', `/${id}`)).json.row as Json,
    list: async (query = ''): Promise<{ rows: Json[]; total: number }> => {
      const { status, json } = await call('GET', query);
      expect(status).toBe(200);
      return { rows: json.rows as Json[], total: (json.paging as { total: number }).total };
    },
  };
}

/** Everything an admin area promises, tried over HTTP in memory on one engine. */
export function crudSuite(definition: Resource<AreaName>, factory: Factory, engine: Engine = 'sqlite'): void {
  const { area, title } = definition;
  let world: World;
  let made: ReadonlyMap<string, string>;
  let api: ReturnType<typeof caller>;
  const open = async (options?: Parameters<typeof openWorld>[1]) => {
    world = await openWorld(engine, options);
    await world.user('mirela');
    made = (await factory.prepare?.(world)) ?? new Map();
    api = caller(definition, world);
  };
  const input = (n: number) => factory.input(n, world, made);
  const audit = () => world.db.sql<{ action: string; actor_id: string; target: string; before: string | null; after: string | null }>("SELECT * FROM audit WHERE action LIKE ? ORDER BY at_ms, id", [`${area}.%`]);

  describe(`${area} on ${engine}: questions`, () => {
    const ids: string[] = [];
    beforeAll(async () => {
      await open();
      for (let n = 1; n <= 7; n++) {
        ids.push(await api.create(input(n)));
        world.clock.advance(1000);
      }
    });
    afterAll(() => world.close());

    test('a list has pages that do not overlap and leave nothing out', async () => {
      const pages = await Promise.all([1, 2, 3, 4].map((page) => api.list(`?per_page=2&page=${page}`)));
      expect(pages.map(({ rows }) => rows.length)).toEqual([2, 2, 2, 1]);
      expect(pages.map(({ total }) => total)).toEqual([7, 7, 7, 7]);
      expect(new Set(pages.flatMap(({ rows }) => rows.map((row) => row.id)))).toEqual(new Set(ids));
      expect((await api.list('?page=99')).rows).toEqual([]);
    });

    test.each(sortable(definition))('sorts by %s, both ways', async (column) => {
      const key = (row: Json) => (typeof row[column] === 'string' ? row[column].toLowerCase() : (row[column] as number | null));
      const filled = (rows: Json[]) => rows.map(key).filter((value) => value !== null);
      const up = filled((await api.list(`?sort=${column}`)).rows);
      const down = filled((await api.list(`?sort=-${column}`)).rows);
      expect(up).toEqual([...up].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
      expect(down).toEqual(up.toReversed());
    });

    test('rows without a value come last, whichever way', async () => {
      for (const column of sortable(definition)) {
        for (const sort of [column, `-${column}`]) {
          const empty = (await api.list(`?sort=${sort}`)).rows.map((row) => row[column] === null);
          expect(empty).toEqual([...empty].sort((a, b) => Number(a) - Number(b)));
        }
      }
    });

    test('T53 a search finds words, and takes wildcards, quotes and SQL as they are', async () => {
      const name = String((await api.row(ids[0] ?? ''))[title]);
      expect((await api.list(`?q=${encodeURIComponent(name.toLowerCase())}`)).rows.map((row) => row.id)).toContain(ids[0]);
      for (const text of ['%', '_', '!', "' OR 1=1 --", '"', '\\', ');DELETE FROM audit;--']) {
        const { rows } = await api.list(`?q=${encodeURIComponent(text)}`);
        for (const row of rows) expect(definition.search.some((field) => String(row[field]).includes(text))).toBe(true);
      }
      expect((await api.list()).total).toBe(7);
    });

    test('T53 T52 an order, a filter or a page size that does not exist is refused', async () => {
      for (const query of ['?sort=password', '?sort=id;drop', `?sort=${title})`, '?per_page=101', '?per_page=0', '?per_page=1e3', '?page=0', '?page=-1', `?q=${'a'.repeat(101)}`]) {
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
        for (const [index, { rows }] of parts.entries()) for (const row of rows) expect(String(row[name])).toBe(values[index] ?? '');
        expect(parts.reduce((sum, { total }) => sum + total, 0)).toBe(7);
      }
    });

    test('T29 an export holds every row, and no cell that a spreadsheet would run', async () => {
      const trap = await api.create({ ...input(8), [factory.text]: '=HYPERLINK("http://x","y")' });
      const response = await world.http(api.all, `${definition.path}/export.csv`);
      const text = await response.text();
      expect(response.headers.get('content-type')).toContain('text/csv');
      expect(response.headers.get('content-disposition')).toContain('attachment');
      const [head, ...lines] = text.replace('\uFEFF', '').trimEnd().split('\r\n');
      expect(head).toBe(Object.keys(definition.row.shape).join(','));
      expect(lines).toHaveLength(8);
      expect(text).toContain('"\'=HYPERLINK(""http://x"",""y"")"');
      expect(text).not.toMatch(/(^|,)"?[=+@]/m);
      const filtered = await (await world.http(api.all, `${definition.path}/export.csv?q=hyperlink`)).text();
      expect(filtered.trimEnd().split('\r\n')).toHaveLength(2);
      await world.db.sql(`DELETE FROM ${tableOf(area)} WHERE id = ? RETURNING id`, [trap]);
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
      const cases: [string, string, unknown, string][] = [
        ['GET', '', undefined, 'list'], ['GET', '/export.csv', undefined, 'list'], ['GET', '/new', undefined, 'create'], ['POST', '', {}, 'create'],
        ['GET', `/${id}`, undefined, 'edit'], ['PATCH', `/${id}`, {}, 'edit'], ['POST', '/turn', {}, 'edit'],
        ['GET', `/${id}/dependants`, undefined, 'delete'], ['DELETE', `/${id}`, {}, 'delete'], ['POST', '/delete', {}, 'delete'],
      ];
      for (const [method, path, body, verb] of cases) {
        const own = `${definition.permission}.${verb}` as Permission;
        const others = [...api.all.filter((permission) => permission !== own), 'admin.dashboard.view', 'admin.users.list'] as Permission[];
        const init = { method, ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }) };
        const status = async (as: readonly Permission[]) => (await world.http(as, definition.path + path, init)).status;
        expect({ method, path, guest: await status([]), others: await status(others) }).toEqual({ method, path, guest: 401, others: 403 });
        expect([200, 422]).toContain(await status([own]));
        expect([200, 422]).toContain(await status(['admin.root']));
      }
    });
  });

  describe(`${area} on ${engine}: changes`, () => {
    beforeAll(() => open());
    afterAll(() => world.close());

    test('what is created can be read, and stands in the audit trail', async () => {
      const values = input(1);
      const id = await api.create(values);
      expect(await api.row(id)).toMatchObject({ ...values, id, created_at: new Date(world.clock.now()).toISOString(), updated_at: new Date(world.clock.now()).toISOString() });
      const [entry] = await audit();
      expect(entry).toMatchObject({ action: `${area}.create`, actor_id: ACTOR_ID, target: id, before: null });
      expect(JSON.parse(entry?.after ?? '')).toMatchObject(values);
    });

    test('the same key creates once; with another input it is refused', async () => {
      const before = (await api.list()).total;
      const answers = await Promise.all(Array.from({ length: 10 }, () => api.call('POST', '', input(2), { key: `${area}-key-1` })));
      expect(new Set(answers.map(({ json }) => json.id)).size).toBe(1);
      expect((await api.list()).total).toBe(before + 1);
      const { status, json } = await api.call('POST', '', input(3), { key: `${area}-key-1` });
      expect({ status, code: json.error_code }).toEqual({ status: 409, code: 'IDEMPOTENCY_MISMATCH' });
    });

    test('T4 T22 a number that is none, or out of bounds, is refused at its field', async () => {
      for (const [field, { kind }] of Object.entries(definition.fields)) {
        if (kind !== 'number') continue;
        for (const value of NO_NUMBERS) {
          const { status, json } = await api.call('POST', '', { ...input(4), [field]: value });
          expect({ field, value, status, told: Object.keys((json.fields as Json | undefined) ?? {}) }).toEqual({ field, value, status: 422, told: [field] });
        }
      }
    });

    test('a text that is none, too long or holds control characters is refused at its field', async () => {
      for (const [field, { kind }] of Object.entries(definition.fields)) {
        if (!['text', 'textarea', 'code'].includes(kind)) continue;
        for (const value of [...NO_TEXTS, 'a'.repeat(3000)]) {
          const { status, json } = await api.call('POST', '', { ...input(4), [field]: value });
          expect({ field, value, status, told: Object.keys((json.fields as Json | undefined) ?? {}) }).toEqual({ field, value, status: 422, told: [field] });
        }
      }
    });

    test('T40 nothing is set that is not an input', async () => {
      for (const field of ['id', 'created_at', 'updated_at', 'created_by', 'uses_count', 'used_slots', 'servers', '__proto__x', 'permissions']) {
        const { status, json } = await api.call('POST', '', { ...input(4), [field]: 1 });
        expect({ field, status, fields: json.fields }).toEqual({ field, status: 422, fields: { [field]: ['UNKNOWN'] } });
      }
    });

    test('T41 T53 markup and SQL in a text are text', async () => {
      const text = `<img src=x onerror="alert(1)"> '); DROP TABLE ${tableOf(area)};--`;
      const id = await api.create({ ...input(5), [factory.text]: text });
      expect((await api.row(id))[factory.text]).toBe(text);
    });

    test.each(factory.bad.map((entry) => [JSON.stringify(entry[0]), ...entry] as const))('%s is refused', async (_, change, field, code) => {
      const { status, json } = await api.call('POST', '', { ...input(6), ...change });
      expect({ status, fields: json.fields }).toEqual({ status: 422, fields: { [field]: [code] } });
    });

    test('two rows cannot share what has to be unique, also not by way of an edit', async () => {
      const { field, code } = factory.unique;
      const [first, second] = [await api.create(input(20)), await api.create(input(21))];
      const taken = String((await api.row(first))[field]);
      for (const value of [taken, taken.toLowerCase(), ` ${taken} `]) {
        const { status, json } = await api.call('POST', '', { ...input(20), [field]: value });
        expect({ value, status, fields: json.fields }).toEqual({ value, status: 422, fields: { [field]: [code] } });
      }
      const { updated_at } = await api.row(second);
      const edit = await api.call('PATCH', `/${second}`, { ...input(21), [field]: taken, updated_at });
      expect({ status: edit.status, fields: edit.json.fields }).toEqual({ status: 422, fields: { [field]: [code] } });
      const own = await api.row(first);
      expect((await api.call('PATCH', `/${first}`, { ...input(20), ...factory.change, [field]: taken, updated_at: own.updated_at })).status).toBe(200);
    });

    test('an edit changes the row, and the audit trail says what', async () => {
      const id = await api.create(input(30));
      const before = await api.row(id);
      world.clock.advance(5000);
      const sent = { ...input(30), ...factory.change, updated_at: before.updated_at };
      const answers = await Promise.all([1, 2, 3].map(() => api.call('PATCH', `/${id}`, sent, { key: `${area}-edit-1` })));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      const after = await api.row(id);
      expect(after).toMatchObject({ ...factory.change, created_at: before.created_at, updated_at: new Date(world.clock.now()).toISOString() });
      const entries = (await audit()).filter((entry) => entry.target === id && entry.action === `${area}.edit`);
      expect(entries).toHaveLength(1);
      const fields = [...new Set([title, ...Object.keys(factory.change)])].sort();
      expect(Object.keys(JSON.parse(entries[0]?.before ?? '{}') as Json).sort()).toEqual(fields);
      expect(JSON.parse(entries[0]?.after ?? '{}')).toMatchObject(factory.change);
    });

    test('an edit that changes nothing writes nothing', async () => {
      const id = await api.create(input(31));
      const { updated_at } = await api.row(id);
      world.clock.advance(5000);
      expect((await api.call('PATCH', `/${id}`, { ...input(31), updated_at })).status).toBe(200);
      expect((await api.row(id)).updated_at).toBe(updated_at);
      expect((await audit()).filter((entry) => entry.target === id)).toHaveLength(1);
    });

    test('of two edits of the same state one is refused, also within one millisecond', async () => {
      const id = await api.create(input(32));
      const { updated_at } = await api.row(id);
      const edit = (n: number) => api.call('PATCH', `/${id}`, { ...input(32), [factory.text]: `edit ${n}`, updated_at });
      const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => edit(n)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 409)]);
      expect(answers.filter(({ status }) => status === 409).every(({ json }) => json.error_code === 'CONFLICT')).toBe(true);
      const winner = answers.findIndex(({ status }) => status === 200);
      expect((await api.row(id))[factory.text]).toBe(`edit ${winner}`);
    });

    test('a row is deleted by its name only', async () => {
      const id = await api.create(input(40));
      const name = String((await api.row(id))[title]);
      for (const typed of ['', 'x', `${name}x`]) {
        const { status, json } = await api.call('DELETE', `/${id}`, { name: typed });
        expect({ typed, status, fields: json.fields }).toEqual({ typed, status: 422, fields: { name: ['NAME_MISMATCH'] } });
      }
      expect((await api.call('DELETE', `/${id}`, { name: ` ${name} ` })).status).toBe(200);
      expect((await api.call('GET', `/${id}`)).status).toBe(404);
      expect((await api.call('DELETE', `/${id}`, { name })).status).toBe(404);
      const entry = (await audit()).find((each) => each.target === id && each.action === `${area}.delete`);
      expect(JSON.parse(entry?.before ?? '{}')).toMatchObject({ [title]: name });
    });

    test.each(Object.entries(definition.dependants))('what %s needs is counted, and kept where deleting would orphan it', async (kind, { refuses }) => {
      const id = await api.create(input(50));
      const name = (await api.row(id))[title];
      await factory.depend[kind]?.(world, id, made);
      const asked = (await api.call('GET', `/${id}/dependants`)).json;
      expect(asked.dependants).toContainEqual({ kind, count: 1 });
      expect(asked.refused).toBe(refuses);
      const { status, json } = await api.call('DELETE', `/${id}`, { name });
      expect({ status, code: json.error_code }).toEqual(refuses ? { status: 409, code: 'IN_USE' } : { status: 200, code: null });
      expect((await api.call('GET', `/${id}`)).status).toBe(refuses ? 200 : 404);
      if (refuses) await world.db.sql(`UPDATE ${tableOf(area)} SET ${title} = 'kept ${kind}' WHERE id = ? RETURNING id`, [id]);
    });

    test('several rows at once: those in use stay, the rest goes', async () => {
      const [kind] = Object.entries(definition.dependants).find(([, { refuses }]) => refuses) ?? [];
      const ids = [await api.create(input(60)), await api.create(input(61)), await api.create(input(62))];
      if (kind) await factory.depend[kind]?.(world, ids[1] ?? '', made);
      const { json } = await api.call('POST', '/delete', { ids: [...ids, ids[0]] });
      expect(json).toMatchObject(kind ? { done: 2, refused: 1 } : { done: 3, refused: 0 });
      const left = await Promise.all(ids.map(async (id) => (await api.call('GET', `/${id}`)).status));
      expect(left).toEqual([404, kind ? 200 : 404, 404]);
    });

    test('the switch of several rows is turned at once, each with its line in the trail', async () => {
      const field = definition.bulk.switch ?? '';
      const ids = [await api.create({ ...input(70), [field]: true }), await api.create({ ...input(71), [field]: false })];
      expect((await api.call('POST', '/turn', { ids: [...ids, UNKNOWN_ID], on: false })).json.done).toBe(1);
      expect(await Promise.all(ids.map(async (id) => (await api.row(id))[field]))).toEqual([false, false]);
      expect((await audit()).filter((entry) => entry.action === `${area}.edit` && ids.includes(entry.target))).toHaveLength(1);
    });

    test('T52 not more than a hundred rows at once', async () => {
      const many = Array.from({ length: 101 }, () => UNKNOWN_ID);
      expect((await api.call('POST', '/delete', { ids: many })).status).toBe(422);
      expect((await api.call('POST', '/turn', { ids: many, on: true })).status).toBe(422);
      expect((await api.call('POST', '/delete', { ids: [] })).status).toBe(422);
      expect((await api.call('POST', '/delete', { ids: ['x'] })).status).toBe(422);
    });
  });

  test(`T10 ${area} on ${engine}: a fault after the row was written takes it back`, async () => {
    const ids = testIds();
    let faulty = false;
    await open({ ids: { ...ids, uuid: () => (faulty && new Error().stack?.includes('writeAudit') ? fail() : ids.uuid()) } });
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

const TABLE_NAMES: Readonly<Record<AreaName, string>> = { locations: 'locations', eggCategories: 'egg_categories', eggs: 'eggs', redeemCodes: 'redeem_codes' };
const tableOf = (area: AreaName): string => TABLE_NAMES[area];
