import * as z from 'zod/mini';
import { EVENTS, type EventName } from './catalogue.ts';

/** A field of a payload: one type, or one and null. */
interface Property {
  readonly type: string | string[];
  readonly enum?: string[];
}
interface OutsideSchema {
  readonly $schema: string;
  readonly type: 'object';
  readonly properties: Record<string, Property>;
  readonly required: string[];
}

/** An event as hearers outside of the product (webhooks, plugins) know it. */
interface OutsideEvent {
  readonly name: EventName;
  readonly version: number;
  readonly description: string;
  /** The field whose value says what it is about; null: it is about the installation. */
  readonly object: string | null;
  /** JSON Schema (2020-12) of what they get. */
  readonly schema: OutsideSchema;
  /** A payload that fits the schema. */
  readonly example: Record<string, string | number | boolean>;
}

const NAMES = (Object.keys(EVENTS) as EventName[]).filter((name) => EVENTS[name].outside.length > 0);
/** Every event that hearers outside may have, by name. */
export const OUTSIDE_NAMES: readonly EventName[] = NAMES.toSorted();

let made: readonly OutsideEvent[] | undefined;
/** Every event that hearers outside may have, in the order of their names. */
export function outsideEvents(): readonly OutsideEvent[] {
  made ??= OUTSIDE_NAMES.map((name) => {
    const schema = schemaOf(name);
    const example = Object.fromEntries(
      Object.entries(schema.properties).map(([key, each]) => [key, exampleOf(key, each)]),
    );
    const { version, description = '' } = EVENTS[name];
    return { name, version, description, object: objectField(name), schema, example };
  });
  return made;
}

/** The name of an event that may have been written down under the one it had in earlier versions. */
export function currentEventName(name: string): string {
  return OUTSIDE_NAMES.find((each) => EVENTS[each].formerly === name) ?? name;
}

/** The name that an event had in earlier versions; undefined: no other one. */
export const formerEventName = (name: string): string | undefined =>
  OUTSIDE_NAMES.flatMap((each) => (each === name ? [EVENTS[each].formerly] : []))[0];

/** What hearers outside get of a payload: the declared fields, and no others. */
export function outsidePayload(name: EventName, payload: object): Record<string, unknown> {
  const fields: readonly string[] = EVENTS[name].outside;
  return Object.fromEntries(Object.entries(payload).filter(([key]) => fields.includes(key)));
}

/** What an event is about, as `field:value`; '' where it is about the installation. */
export function objectOf(name: EventName, payload: object): string {
  const field = objectField(name);
  return field === null ? '' : `${field}:${String(Object.getOwnPropertyDescriptor(payload, field)?.value)}`;
}

/** An id of a thing before the one of whose it is. */
function objectField(name: EventName): string | null {
  const ids = EVENTS[name].outside.filter((field) => field.endsWith('Id'));
  return ids.find((field) => field !== 'userId') ?? ids[0] ?? null;
}

function schemaOf(name: EventName): OutsideSchema {
  const { payload, outside } = EVENTS[name];
  if (!(payload instanceof z.ZodMiniObject)) throw new Error(`the payload of ${name} is no object`);
  const fields = Object.fromEntries(outside.map((field) => [field, true as const]));
  // A receiver may not rely on there being no more fields: adding one breaks nobody.
  const { additionalProperties: _, ...schema } = z.toJSONSchema(z.pick(payload, fields));
  // Payloads are flat objects of texts, numbers and switches: what the schema of one looks like.
  return schema as unknown as OutsideSchema;
}

function exampleOf(key: string, { type: types, enum: values }: Property): string | number | boolean {
  if (values?.[0] !== undefined) return values[0];
  // One that may be null has both types.
  const [type] = [types].flat();
  if (type === 'boolean') return false;
  // 2027-01-15, 08:00 UTC.
  if (type === 'number') return key.endsWith('Ms') ? 1_800_000_000_000 : 25;
  return key.endsWith('Id') ? '01940000-0000-7000-8000-000000000000' : 'example';
}
