import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { RESOURCES, type AreaName } from '#shared/resources/index.ts';
import { referencesTo } from '#shared/resources/references.ts';
import type { Resource } from '#shared/resources/types.ts';
import type { Engine } from '#tests/support/db.ts';
import { ACTOR_ID, type World } from './admin/world.ts';
import {
  addRow,
  NO_NUMBERS,
  NO_TEXTS,
  openSetting,
  tableOf,
  UNKNOWN_ID,
  type caller,
  type Factory,
  type Json,
  type Setting,
} from './crud-support.ts';

/** What creating, editing, deleting and commands on several rows promise. */
export function crudChanges(definition: Resource<AreaName>, factory: Factory, engine: Engine): void {
  const { area, title } = definition;
  let setting: Setting;
  let world: World;
  let api: ReturnType<typeof caller>;
  const input = (n: number): Json => setting.input(n);
  const audit: Setting['audit'] = () => setting.audit();

  describe(`${area} on ${engine}: changes`, () => {
    beforeAll(async () => {
      setting = await openSetting(definition, factory, engine);
      ({ world, api } = setting);
    });
    afterAll(() => world.close());

    test('what is created can be read, and stands in the audit log', async () => {
      const values = input(1);
      const id = await api.create(values);
      expect(await api.row(id)).toMatchObject({
        ...values,
        id,
        created_at: new Date(world.clock.now()).toISOString(),
        updated_at: new Date(world.clock.now()).toISOString(),
      });
      const entry = (await audit()).find(({ target }) => target === id);
      expect(entry).toMatchObject({ action: `${area}.create`, actor_id: ACTOR_ID, target: id, before: null });
      expect(JSON.parse(entry?.after ?? '')).toMatchObject(values);
    });

    test('the same key creates once; with another input it is refused', async () => {
      const before = (await api.list()).total;
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => api.call('POST', '', input(2), { key: `${area}-key-1` })),
      );
      expect(new Set(answers.map(({ json }) => json.id)).size).toBe(1);
      expect((await api.list()).total).toBe(before + 1);
      const { status, json } = await api.call('POST', '', input(3), { key: `${area}-key-1` });
      expect({ status, code: json.error_code }).toEqual({ status: 409, code: 'IDEMPOTENCY_MISMATCH' });
    });

    test('T4 T22 a number that is none, or out of bounds, is refused at its field', async () => {
      for (const [field, { kind }] of Object.entries(definition.fields)) {
        if (kind !== 'number') continue;
        // Left out where a number may be left out.
        for (const value of NO_NUMBERS.filter((each) => each !== null || !definition.fields[field]?.optional)) {
          const { status, json } = await api.call('POST', '', { ...input(4), [field]: value });
          expect({ field, value, status, fields: Object.keys((json.fields as Json | undefined) ?? {}) }).toEqual({
            field,
            value,
            status: 422,
            fields: [field],
          });
        }
      }
    });

    test('a text that is none, too long or holds control characters is refused at its field', async () => {
      for (const [field, { kind }] of Object.entries(definition.fields)) {
        if (!['text', 'textarea', 'code'].includes(kind)) continue;
        for (const value of [...NO_TEXTS, 'a'.repeat(3000)]) {
          const { status, json } = await api.call('POST', '', { ...input(4), [field]: value });
          expect({ field, value, status, fields: Object.keys((json.fields as Json | undefined) ?? {}) }).toEqual({
            field,
            value,
            status: 422,
            fields: [field],
          });
        }
      }
    });

    test('T40 nothing is set that is not an input', async () => {
      for (const field of [
        'id',
        'created_at',
        'updated_at',
        'created_by',
        'uses_count',
        'used_slots',
        'servers',
        '__proto__x',
        'permissions',
      ]) {
        const { status, json } = await api.call('POST', '', { ...input(4), [field]: 1 });
        expect({ field, status, fields: json.fields }).toEqual({
          field,
          status: 422,
          fields: { [field]: ['UNKNOWN'] },
        });
      }
    });

    test('T41 T53 markup and SQL in a text are text', async () => {
      const text = `<img src=x onerror="alert(1)"> '); DROP TABLE ${tableOf(area)};--`;
      const id = await api.create({ ...input(5), [factory.text]: text });
      expect((await api.row(id))[factory.text]).toBe(text);
    });

    test.each(factory.bad.map((entry) => [JSON.stringify(entry[0]), ...entry] as const))(
      'the input %s is refused',
      async (_, change, field, code) => {
        const { status, json } = await api.call('POST', '', { ...input(6), ...change });
        expect({ status, fields: json.fields }).toEqual({ status: 422, fields: { [field]: [code] } });
      },
    );

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
      expect(
        (
          await api.call('PATCH', `/${first}`, {
            ...input(20),
            ...factory.change,
            [field]: taken,
            updated_at: own.updated_at,
          })
        ).status,
      ).toBe(200);
    });

    test('an edit changes the row, and the audit log says what', async () => {
      const id = await api.create(input(30));
      const before = await api.row(id);
      world.clock.advance(5000);
      const sent = { ...input(30), ...factory.change, updated_at: before.updated_at };
      const answers = await Promise.all(
        [1, 2, 3].map(() => api.call('PATCH', `/${id}`, sent, { key: `${area}-edit-1` })),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      const after = await api.row(id);
      expect(after).toMatchObject({
        ...factory.change,
        created_at: before.created_at,
        updated_at: new Date(world.clock.now()).toISOString(),
      });
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

    test('one of two edits of the same state is refused, also within one millisecond', async () => {
      const id = await api.create(input(32));
      const { updated_at } = await api.row(id);
      const edit = (n: number) =>
        api.call('PATCH', `/${id}`, { ...input(32), [factory.text]: `edit ${n}`, updated_at });
      const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => edit(n)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 409)]);
      expect(answers.filter(({ status }) => status === 409).every(({ json }) => json.error_code === 'CONFLICT')).toBe(
        true,
      );
      const winner = answers.findIndex(({ status }) => status === 200);
      expect((await api.row(id))[factory.text]).toBe(`edit ${winner}`);
    });

    test('a row is deleted by its name only', async () => {
      const id = await api.create(input(40));
      const name = String((await api.row(id))[title]);
      for (const typed of ['', 'x', `${name}x`]) {
        const { status, json } = await api.call('DELETE', `/${id}`, { name: typed });
        expect({ typed, status, fields: json.fields }).toEqual({
          typed,
          status: 422,
          fields: { name: ['NAME_MISMATCH'] },
        });
      }
      expect((await api.call('DELETE', `/${id}`, { name: ` ${name} ` })).status).toBe(200);
      expect((await api.call('GET', `/${id}`)).status).toBe(404);
      expect((await api.call('DELETE', `/${id}`, { name })).status).toBe(404);
      const entry = (await audit()).find((each) => each.target === id && each.action === `${area}.delete`);
      expect(JSON.parse(entry?.before ?? '{}')).toMatchObject({ [title]: name });
    });

    test.each(Object.entries(definition.dependants).map(([kind, { refuses }], at) => [kind, refuses, at] as const))(
      'what %s needs is counted, and kept where deleting would orphan it',
      async (kind, refuses, at) => {
        // A row of its own for each kind: one that is kept shares nothing with the next.
        const id = await api.create(input(50 + at));
        const name = (await api.row(id))[title];
        await factory.depend[kind]?.(world, id, setting.made);
        const asked = (await api.call('GET', `/${id}/dependants`)).json;
        expect(asked.dependants).toContainEqual({ kind, count: 1 });
        expect(asked.refused).toBe(refuses);
        const { status, json } = await api.call('DELETE', `/${id}`, { name });
        expect({ status, code: json.error_code }).toEqual(
          refuses ? { status: 409, code: 'IN_USE' } : { status: 200, code: null },
        );
        expect((await api.call('GET', `/${id}`)).status).toBe(refuses ? 200 : 404);
      },
    );

    test('several rows are deleted at once: those in use stay, the rest goes', async () => {
      const [kind] = Object.entries(definition.dependants).find(([, { refuses }]) => refuses) ?? [];
      const ids = [await api.create(input(60)), await api.create(input(61)), await api.create(input(62))];
      if (kind) await factory.depend[kind]?.(world, ids[1] ?? '', setting.made);
      const { json } = await api.call('POST', '/delete', { ids: [...ids, ids[0], UNKNOWN_ID] });
      expect(json).toMatchObject(kind ? { done: 2, refused: 1 } : { done: 3, refused: 0 });
      const left = await Promise.all(ids.map(async (id) => (await api.call('GET', `/${id}`)).status));
      expect(left).toEqual([404, kind ? 200 : 404, 404]);
    });

    const { switch: field } = definition.bulk;
    if (field === undefined) {
      test('an area without an on/off field has no command that sets it', async () => {
        const id = await api.create(input(70));
        expect((await api.call('POST', '/set-enabled', { ids: [id], enabled: false })).status).toBe(405);
      });
    } else {
      test('the switch of several rows is turned at once, each with its line in the audit log', async () => {
        const ids = [
          await api.create({ ...input(70), [field]: true }),
          await api.create({ ...input(71), [field]: false }),
        ];
        expect((await api.call('POST', '/set-enabled', { ids: [...ids, UNKNOWN_ID], enabled: false })).json.done).toBe(
          1,
        );
        expect(await Promise.all(ids.map(async (id) => (await api.row(id))[field]))).toEqual([false, false]);
        expect(
          (await audit()).filter((entry) => entry.action === `${area}.edit` && ids.includes(entry.target)),
        ).toHaveLength(1);
      });
    }

    test.each(referencesTo(area).map((each) => [each.definition.area, each] as const))(
      'a row that %s refer to is counted there and kept',
      async (kind, { definition: other, field: reference }) => {
        const id = await api.create(input(80));
        await addRow(world, other, { [reference]: id });
        const asked = (await api.call('GET', `/${id}/dependants`)).json;
        expect(asked.dependants).toContainEqual({ kind, count: 1 });
        expect(asked.refused).toBe(true);
        const { status, json } = await api.call('DELETE', `/${id}`, { name: (await api.row(id))[title] });
        expect({ status, code: json.error_code }).toEqual({ status: 409, code: 'IN_USE' });
      },
    );

    test.each(Object.entries(definition.references).map(([field, target], at) => [field, target, at] as const))(
      '%s has to lead to a row that there is, and is offered by name',
      async (reference, target, at) => {
        const { status, json } = await api.call('POST', '', { ...input(81), [reference]: UNKNOWN_ID });
        expect({ status, fields: json.fields }).toEqual({ status: 422, fields: { [reference]: ['UNKNOWN'] } });
        const id = await addRow(world, RESOURCES[target as AreaName]);
        const { options } = (await api.call('GET', '/new')).json as { options: Record<string, unknown> };
        expect(options[reference]).toContainEqual({ value: id, label: `Row of ${target} ${id}` });
        const made = await api.create({ ...input(82 + at), [reference]: id });
        const found = await api.list(`?${reference}=${id}`);
        expect(found.rows.map((row) => row.id)).toEqual([made]);
        const [name] = Object.entries(definition.names).find(([, of]) => of === reference) ?? [];
        if (name) expect(found.rows[0]?.[name]).toBe(`Row of ${target} ${id}`);
      },
    );

    test('T52 no more than a hundred rows are taken at once', async () => {
      const many = Array.from({ length: 101 }, () => UNKNOWN_ID);
      expect((await api.call('POST', '/delete', { ids: many })).status).toBe(422);
      expect((await api.call('POST', '/set-enabled', { ids: many, enabled: true })).status).toBe(
        field === undefined ? 405 : 422,
      );
      expect((await api.call('POST', '/delete', { ids: [] })).status).toBe(422);
      expect((await api.call('POST', '/delete', { ids: ['x'] })).status).toBe(422);
    });
  });
}
