import { describe, expect, test } from 'bun:test';
import admin from '#locales/en/admin.json';
import resources from '#locales/en/resources.json';
import { RESOURCES } from '#shared/resources/index.ts';
import type { AnyResource } from '#shared/resources/types.ts';

/** The text of a key of an area, or of the common ones; plurals by their last form. */
function textOf(area: string, key: string): unknown {
  for (const root of [area, 'common']) {
    const found = [key, `${key}_other`].map((path) =>
      path
        .split('.')
        .reduce<unknown>(
          (at, part) => (typeof at === 'object' && at !== null ? Reflect.get(at, part) : undefined),
          Reflect.get(resources, root),
        ),
    );
    const text = found.find((each) => typeof each === 'string');
    if (text !== undefined) return text;
  }
  return null;
}

/** Keys that every area has. */
const ALWAYS =
  `title lead create createTitle deleteTitle search emptyTitle emptyText refused edit delete turnOn turnOff export save cancel back choose any
  show facts range nth unsaved stale loadNewest dependsTitle deleteSure deleteForever typeName deleteMany deleteManyText units.days
  done.delete done.on done.off done.refused saved.create saved.createNamed saved.edit saved.editNamed saved.delete`.split(
    /\s+/,
  );

/** Every key that the engine asks for by convention. */
function keysOf(definition: AnyResource): string[] {
  const values = (field: string, options: unknown) =>
    Array.isArray(options) ? options.map((value) => `values.${field}_${String(value)}`) : [];
  return [
    ...ALWAYS,
    ...[...Object.keys(definition.columns), ...Object.keys(definition.fields), 'created_at', 'updated_at'].map(
      (name) => `fields.${name}`,
    ),
    ...Object.keys(definition.groups).map((group) => `groups.${group}`),
    ...Object.keys(definition.dependants).flatMap((kind) => [`dependants.${kind}`, `dependantHints.${kind}`]),
    ...Object.entries(definition.columns).flatMap(([name, column]) =>
      column.format === 'switch'
        ? [`values.${name}_true`, `values.${name}_false`]
        : values(name, column.shapes && Object.keys(column.shapes)),
    ),
    ...Object.entries(definition.fields).flatMap(([name, field]) => values(name, field.options)),
    ...Object.entries(definition.filters).flatMap(([name, { options }]) => values(name, options)),
  ];
}

describe.each(Object.values(RESOURCES).map((definition) => [definition.area, definition as AnyResource] as const))(
  'texts of %s',
  (area, definition) => {
    test('every conventional key has one', () => {
      const missing = keysOf(definition).filter((key) => textOf(area, key) === null);
      expect(missing).toEqual([]);
    });

    test('every change of it has a line for the activity', () => {
      for (const verb of ['create', 'edit', 'delete']) expect(Object.keys(admin.activity)).toContain(`${area}_${verb}`);
    });

    test('hints and errors belong to fields that exist', () => {
      const own: unknown = Reflect.get(resources, area);
      const { hints, errors } = own as { hints?: object; errors?: object };
      for (const name of Object.keys(hints ?? {})) expect(Object.keys(definition.fields)).toContain(name);
      for (const name of Object.keys(errors ?? {}))
        expect(Object.keys(definition.fields).some((field) => name.startsWith(field))).toBe(true);
    });
  },
);
