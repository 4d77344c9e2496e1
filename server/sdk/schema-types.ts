/** A JSON Schema of the document. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema | boolean;
  readonly prefixItems?: readonly Schema[];
  readonly format?: string;
}

/** A schema as a type of TypeScript. In: what `$ref` stands for, by its last part. */
export function toType(schema: Schema, indent = ''): string {
  if (schema.$ref) return schema.$ref.split('/').at(-1) ?? 'unknown';
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ') || 'never';
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return unique(choices.map((each) => toType(each, indent))).join(' | ');
  if (schema.allOf) return schema.allOf.map((each) => bracketed(toType(each, indent))).join(' & ');
  const { type } = schema;
  if (typeof type === 'object')
    return unique(type.map((each) => toType({ ...schema, type: each }, indent))).join(' | ');
  if (type === 'array') return toArray(schema, indent);
  if (type === 'object' || schema.properties) return toObject(schema, indent);
  return TYPES[type ?? ''] ?? 'unknown';
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};
const unique = (types: readonly string[]) => [...new Set(types)];
const bracketed = (type: string) => (/ [|&] /.test(type) && !type.startsWith('{') ? `(${type})` : type);

function toArray({ items, prefixItems }: Schema, indent: string): string {
  if (prefixItems) return `[${prefixItems.map((each) => toType(each, indent)).join(', ')}]`;
  return typeof items === 'object' ? `(${toType(items, indent)})[]` : 'unknown[]';
}

function toObject({ properties = {}, required = [], additionalProperties }: Schema, indent: string): string {
  const deeper = `${indent}  `;
  const fields = Object.entries(properties).map(
    ([name, each]) =>
      `${deeper}${/^\w+$/.test(name) ? name : JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${toType(each, deeper)};`,
  );
  if (fields.length > 0) return `{\n${fields.join('\n')}\n${indent}}`;
  return typeof additionalProperties === 'object'
    ? `Record<string, ${toType(additionalProperties, indent)}>`
    : additionalProperties === false
      ? 'Record<string, never>'
      : 'Record<string, unknown>';
}
