import type * as z from 'zod/mini';
import { readForm } from '#client/lib/form-action.ts';
import type { AnyResource, ObjectSchema } from '#shared/resources/types.ts';
import { iso } from '#shared/time.ts';
import { wallTimeToMs } from '#shared/zoned.ts';
import type { Overrides } from './area.ts';

/** Minimum and maximum of a field: of a number's value or a text's length. */
export interface Bounds {
  readonly min: number | undefined;
  readonly max: number | undefined;
}

/** The bounds that a schema sets for one of its fields, so that they are written once. */
export function boundsOf(schema: ObjectSchema, name: string): Bounds {
  let field: z.core.$ZodType | undefined = schema.shape[name];
  for (let inner = field; inner; inner = (inner._zod.def as { innerType?: z.core.$ZodType }).innerType) field = inner;
  const bounds: { min: number | undefined; max: number | undefined } = { min: undefined, max: undefined };
  for (const check of field?._zod.def.checks ?? []) {
    const {
      minimum,
      maximum,
      value,
      check: kind,
    } = check._zod.def as { check: string; minimum?: number; maximum?: number; value?: number };
    if (kind === 'min_length' || kind === 'greater_than') bounds.min = minimum ?? value;
    if (kind === 'max_length' || kind === 'less_than') bounds.max = maximum ?? value;
  }
  return bounds;
}

/** Converts a submitted form to the types of the schema. Times are in the zone of the hidden field `_zone`. */
export function readResource(
  definition: AnyResource,
  schema: ObjectSchema,
  form: FormData,
  overrides?: Overrides,
): Record<string, unknown> {
  const values = readForm({ shape: schema.shape as Record<string, z.ZodMiniType> }, form);
  const zone = String(form.get('_zone') ?? 'UTC');
  for (const [name, { kind }] of Object.entries(definition.fields)) {
    if (kind !== 'datetime') continue;
    const wall = String(form.get(name) ?? '');
    // An invalid time stays as it is, and the schema rejects it.
    values[name] = wall === '' ? null : (iso(zonedTimeToMs(wall, zone)) ?? wall);
  }
  return { ...values, ...overrides?.read?.(form) };
}

function zonedTimeToMs(wall: string, zone: string): number | null {
  try {
    return wallTimeToMs(wall, zone);
  } catch {
    return wallTimeToMs(wall, 'UTC');
  }
}

/** Names of the fields that differ from their initial values. */
export function changedFields(form: HTMLFormElement): string[] {
  const names = [...form.elements].flatMap((element) =>
    isChanged(element) ? [element.getAttribute('name') ?? ''] : [],
  );
  return [...new Set(names.map((name) => name.split('.')[0] ?? ''))].filter(
    (name) => name !== '' && !name.startsWith('_'),
  );
}

function isChanged(element: Element): boolean {
  if (element instanceof HTMLInputElement) {
    return element.type === 'checkbox' || element.type === 'radio'
      ? element.checked !== element.defaultChecked
      : element.value !== element.defaultValue;
  }
  if (element instanceof HTMLTextAreaElement) return element.value !== element.defaultValue;
  return (
    element instanceof HTMLSelectElement &&
    [...element.options].some((option) => option.selected !== option.defaultSelected && option.value !== '')
  );
}
