import { describe, expect, test } from 'bun:test';
import { RESOURCES } from '#shared/resources/index.ts';
import type { AnyResource } from '#shared/resources/types.ts';
import { textsOf } from '#tests/support/texts.ts';

/** The text of a key of an area, or of the common ones; plurals by their last form. */
function textOf(area: string, key: string): string | undefined {
  return [`areas/${area}`, 'resources']
    .flatMap((ns) => {
      const texts = textsOf('en', ns);
      return [texts[key] ?? texts[`${key}_other`] ?? []];
    })
    .flat()[0];
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
    test('every conventional key has a text', () => {
      const missing = keysOf(definition).filter((key) => textOf(area, key) === undefined);
      expect(missing).toEqual([]);
    });

    test('every change of it has a line for the activity', () => {
      for (const verb of ['create', 'edit', 'delete'])
        expect(textsOf('en', 'admin')).toHaveProperty([`activity.${area}_${verb}`]);
    });

    test('hints and errors belong to fields that exist', () => {
      const keys = Object.keys(textsOf('en', `areas/${area}`));
      const under = (part: string) =>
        keys.flatMap((key) => (key.startsWith(`${part}.`) ? [key.slice(part.length + 1)] : []));
      for (const name of under('hints')) expect(Object.keys(definition.fields)).toContain(name);
      for (const name of under('errors'))
        expect(Object.keys(definition.fields).some((field) => name.startsWith(field))).toBe(true);
    });
  },
);
