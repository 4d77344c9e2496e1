/** A JSON Schema of the document, as far as the pages show it. */
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
  readonly items?: Schema;
  readonly description?: string;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}
interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}
interface Content {
  readonly [mediaType: string]: { readonly schema: Schema };
}
interface Written {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly 'x-access'?: string;
  readonly 'x-token-scope'?: string;
  readonly 'x-rate-limit': { readonly max: number; readonly window_s: number; readonly per: 'user' | 'address' };
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}
/** One call of the API as its page shows it. */
export interface Operation extends Written {
  readonly method: string;
  readonly path: string;
  readonly isIdempotent: boolean;
  /** Who may call it: everybody, a token, or a browser alone. */
  readonly caller: 'open' | 'token' | 'browser';
}
export interface Tag {
  readonly name: string;
  readonly slug: string;
  readonly description: string;
  readonly operations: readonly Operation[];
}
/** The document in the order in which pages show it. */
export interface Reference {
  readonly tags: readonly Tag[];
  readonly operations: ReadonlyMap<string, Operation>;
}

/** A name as it stands in an address: `Store and payments` → `store-and-payments`. */
const slugOf = (name: string) => name.toLowerCase().replaceAll(/[^a-z\d]+/g, '-');

/** Reads the document of the API. */
export function readReference(document: object): Reference {
  const { tags, paths } = document as {
    readonly tags: readonly { readonly name: string; readonly description: string }[];
    readonly paths: Readonly<Record<string, Readonly<Record<string, Written>>>>;
  };
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, written]) => toOperation(path, method.toUpperCase(), written)),
  );
  const byTag = Map.groupBy(all, (operation) => operation.tags[0] ?? '');
  return {
    tags: tags.map((tag) => ({ ...tag, slug: slugOf(tag.name), operations: byTag.get(tag.name) ?? [] })),
    operations: new Map(all.map((operation) => [operation.operationId, operation])),
  };
}

function toOperation(path: string, method: string, written: Written): Operation {
  const isOpen = written.security.length === 0 || written.security.some((way) => Object.keys(way).length === 0);
  const takesToken = written.security.some((way) => 'bearer' in way);
  return {
    ...written,
    method,
    path,
    parameters: written.parameters.filter(({ $ref }) => $ref === undefined),
    isIdempotent: written.parameters.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey')),
    caller: takesToken ? 'token' : isOpen ? 'open' : 'browser',
  };
}

/** Operations with every word of a question in their name, path or description; the best first, forty at most. */
export function search({ operations }: Reference, question: string): Operation[] {
  const words = question.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 8);
  if (words.length === 0) return [];
  const found = [...operations.values()].flatMap((operation) => {
    const [name, rest] = [
      operation.summary.toLowerCase(),
      `${operation.path} ${operation.operationId} ${operation.tags.join(' ')} ${operation.description ?? ''}`.toLowerCase(),
    ];
    if (!words.every((word) => name.includes(word) || rest.includes(word))) return [];
    return { operation, score: words.filter((word) => name.includes(word)).length };
  });
  return found
    .toSorted((one, other) => other.score - one.score)
    .slice(0, 40)
    .map(({ operation }) => operation);
}

/** One row of a table of fields. */
export interface Field {
  /** Its path: `user.email`, `rows[].id`. */
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  /** What a value has to be (lengths, bounds, choices), and what it is. */
  readonly bounds: string;
}
const DEEPEST = 5;

/** The fields of a schema, those of its objects below them. */
export function fieldsOf(schema: Schema, prefix = '', depth = 0): Field[] {
  const parts = [schema, ...(schema.allOf ?? [])];
  return parts.flatMap(({ properties = {}, required = [] }) =>
    Object.entries(properties).flatMap(([name, value]) => {
      const own = {
        name: prefix + name,
        type: typeOf(value),
        required: required.includes(name),
        bounds: [boundsOf(value), value.description].filter(Boolean).join(' · '),
      };
      const inner = innerOf(value);
      return [
        own,
        ...(inner && depth < DEEPEST ? fieldsOf(inner.schema, `${prefix}${name}${inner.join}`, depth + 1) : []),
      ];
    }),
  );
}

/** The object that a field holds, by itself or in a list, where it holds one. */
function innerOf(schema: Schema): { readonly schema: Schema; readonly join: string } | null {
  const choice = (schema.anyOf ?? schema.oneOf ?? []).filter(({ type }) => type !== 'null');
  if (choice.length === 1 && choice[0]) return innerOf(choice[0]);
  if (schema.type === 'array' && schema.items) {
    const inner = innerOf(schema.items);
    return inner && { schema: inner.schema, join: `[]${inner.join}` };
  }
  return schema.properties ? { schema, join: '.' } : null;
}

/** The type of a field in a word or two. */
export function typeOf(schema: Schema): string {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map(typeOf))].join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === 'array') return `${schema.items ? typeOf(schema.items) : 'value'}[]`;
  return typeof schema.type === 'string' ? schema.type : (schema.type ?? ['value']).join(' | ');
}

/** What a field may hold beside its type: choices, length, bounds. */
export function boundsOf(schema: Schema): string {
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(' ');
  const choices = (schema.anyOf ?? schema.oneOf ?? []).filter(({ type }) => type !== 'null');
  if (choices.length === 1 && choices[0]) return boundsOf(choices[0]);
  if (schema.type === 'array' && schema.items) return boundsOf(schema.items);
  const { minimum, maximum, minLength, maxLength, pattern, format } = schema;
  if (format === 'date-time') return 'UTC, ISO 8601';
  if (pattern?.startsWith('^[0-9a-f]{8}-')) return 'UUID';
  const whole = (value: number | undefined) =>
    value === undefined || Math.abs(value) >= Number.MAX_SAFE_INTEGER ? undefined : value;
  const [low, high] = [whole(minimum) ?? minLength, whole(maximum) ?? maxLength];
  const unit = maxLength !== undefined || minLength !== undefined ? ' characters' : '';
  if (low !== undefined && high !== undefined) return `${low}–${high}${unit}`;
  if (low !== undefined) return `≥ ${low}${unit}`;
  return high === undefined ? '' : `≤ ${high}${unit}`;
}
