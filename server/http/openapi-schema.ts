import * as z from 'zod/mini';

interface Json {
  [key: string]: unknown;
  properties?: Record<string, unknown>;
  required?: string[];
}

/**
 * A schema as the document writes it (JSON Schema 2020-12). What a field takes is told as it comes over the wire, so a
 * number of a query is a string of digits.
 */
export function toJsonSchema(schema: z.ZodMiniType): Json {
  const json: Json = { ...z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override: nameKeys }) };
  // The document itself names the dialect.
  delete json.$schema;
  return json;
}

/** A record whose keys are known is an object with these properties: generators make a type of it, linters find them. */
function nameKeys({ jsonSchema }: { jsonSchema: Json }): void {
  const keys = (jsonSchema.propertyNames as { enum?: string[] } | undefined)?.enum;
  if (!keys) return;
  const value = jsonSchema.additionalProperties;
  jsonSchema.properties = Object.fromEntries(keys.map((key) => [key, structuredClone(value)]));
  delete jsonSchema.propertyNames;
  delete jsonSchema.additionalProperties;
}
