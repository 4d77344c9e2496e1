import * as z from 'zod/mini';
import { describeField, factsOfType } from './openapi-fields.ts';

interface Json {
  [key: string]: unknown;
  properties?: Record<string, unknown>;
  required?: string[];
}

/** A schema as the document writes it (JSON Schema 2020-12). In: whether of what is sent, or of what it is read as. */
export function toJsonSchema(schema: z.ZodMiniType, io: 'input' | 'output' = 'input'): Json {
  const json: Json = { ...z.toJSONSchema(schema, { io, unrepresentable: 'any', override: widen }) };
  // The document itself names the dialect.
  delete json.$schema;
  describeFields(json);
  return json;
}

/** Regular expressions that only engines with Unicode classes and look-around read: not those of Python or Go. */
const OURS_ALONE = /\\p\{|\(\?[!=<]/;

/** Writes what foreign tools would stumble over in a way that they all read. */
function widen({ zodSchema, jsonSchema }: { readonly zodSchema: unknown; readonly jsonSchema: Json }): void {
  Object.assign(jsonSchema, factsOfType(zodSchema));
  nameKeys(jsonSchema);
  if (typeof jsonSchema.pattern === 'string' && OURS_ALONE.test(jsonSchema.pattern)) delete jsonSchema.pattern;
  // Several expressions of one text.
  const all = jsonSchema.allOf as readonly { readonly pattern?: string }[] | undefined;
  const patterns = all?.every((each) => Object.keys(each).join() === 'pattern') ? all : undefined;
  const kept = patterns?.filter(({ pattern = '' }) => !OURS_ALONE.test(pattern));
  if (kept?.length === 0) delete jsonSchema.allOf;
  else if (kept) jsonSchema.allOf = kept;
}

/** Says of every field in a finished schema what its name says. */
function describeFields(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return;
  const { properties = {} } = schema as Json;
  for (const [name, field] of Object.entries(properties as Record<string, Json>)) {
    const description = describeField(name, field);
    if (description !== undefined) field.description ??= description;
  }
  for (const part of Object.values(schema)) describeFields(part);
}

/** A record whose keys are known is an object with these properties: generators make a type of it, linters find them. */
function nameKeys(jsonSchema: Json): void {
  const keys = (jsonSchema.propertyNames as { enum?: string[] } | undefined)?.enum;
  if (!keys) return;
  const value = jsonSchema.additionalProperties;
  jsonSchema.properties = Object.fromEntries(keys.map((key) => [key, structuredClone(value)]));
  delete jsonSchema.propertyNames;
  delete jsonSchema.additionalProperties;
}
