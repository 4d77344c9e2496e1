import type { Schema } from '#server/ssr/api-docs/reference.ts';

/**
 * What programs rely on of the API, as lines of text: a call with the scope it takes, what it takes (`<`) and what it
 * gives (`>`), each with its types. `?`: may be missing. It is kept of the last release, and compared with today’s.
 */

interface Operation {
  readonly 'x-token-scope'?: string;
  readonly parameters: readonly {
    readonly $ref?: string;
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >;
}
/** A field: the types it may have (`string`, `null`, `"on"`), bounds, and whether it has to be there. */
interface Field {
  readonly types: readonly string[];
  readonly low: number | null;
  readonly high: number | null;
  readonly required: boolean;
}
interface Call {
  readonly scope: string;
  readonly takes: ReadonlyMap<string, Field>;
  readonly gives: ReadonlyMap<string, Field>;
}
type Shape = ReadonlyMap<string, Call>;

/** The shape of a document of the API. */
export function shapeOf(document: object): Shape {
  const { paths } = document as { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, operation]) => [`${method.toUpperCase()} ${path}`, callOf(operation)] as const,
      ),
    ),
  );
}

function callOf({ 'x-token-scope': scope = '-', parameters, requestBody, responses }: Operation): Call {
  const takes = new Map<string, Field>();
  for (const { $ref, name, in: place, required, schema } of parameters) {
    if ($ref === undefined)
      takes.set(`${place}.${name}`, fieldOf(place === 'query' ? sentAs(schema) : schema, required));
  }
  for (const [media, { schema }] of Object.entries(requestBody?.content ?? {})) {
    if (media === 'application/json') collect(schema, 'body.', takes);
    else takes.set(`file.${media}`, { types: ['file'], low: null, high: null, required: false });
  }
  const gives = new Map<string, Field>();
  // A few answer otherwise than by 200, as programs of others ask for.
  const success = responses['200'] ?? responses['201'];
  for (const [media, { schema }] of Object.entries(success?.content ?? {})) {
    if (media === 'application/json') collect(schema, '', gives);
    else gives.set(`file.${media}`, { types: ['file'], low: null, high: null, required: true });
  }
  return { scope, takes, gives };
}

/** What a parameter of a query is on its way: text, whatever it is read as. */
function sentAs(schema: Schema): Schema {
  if (schema.type === 'integer') return { type: 'string' };
  if (schema.type !== 'boolean') return schema;
  return schema.const === true ? { const: 'true' } : { enum: ['true', 'false'] };
}

function collect(schema: Schema, prefix: string, into: Map<string, Field>): void {
  for (const part of schema.allOf ?? [schema]) {
    for (const [name, value] of Object.entries(part.properties ?? {})) {
      into.set(prefix + name, fieldOf(value, (part.required ?? []).includes(name)));
      for (const each of choicesOf(value)) descend(each, prefix + name, into);
    }
  }
}

function descend(schema: Schema, path: string, into: Map<string, Field>): void {
  if (schema.items) {
    into.set(`${path}[]`, fieldOf(schema.items, true));
    for (const each of choicesOf(schema.items)) descend(each, `${path}[]`, into);
  } else if (typeof schema.additionalProperties === 'object') {
    into.set(`${path}{}`, fieldOf(schema.additionalProperties, true));
    for (const each of choicesOf(schema.additionalProperties)) descend(each, `${path}{}`, into);
  } else if (schema.properties) collect(schema, `${path}.`, into);
}

const choicesOf = (schema: Schema): readonly Schema[] => schema.anyOf ?? schema.oneOf ?? [schema];

function fieldOf(schema: Schema, required: boolean): Field {
  const choices = choicesOf(schema);
  const [bounded] = choices.filter(({ type }) => type !== 'null');
  const whole = (value: number | undefined) =>
    value === undefined || Math.abs(value) >= Number.MAX_SAFE_INTEGER ? null : value;
  return {
    types: [...new Set(choices.flatMap(typesOf))].toSorted(),
    low: whole(bounded?.minimum ?? bounded?.minLength),
    high: whole(bounded?.maximum ?? bounded?.maxLength),
    required,
  };
}

function typesOf(schema: Schema): string[] {
  if (schema.const !== undefined) return [JSON.stringify(schema.const)];
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value));
  if (schema.anyOf ?? schema.oneOf) return choicesOf(schema).flatMap(typesOf);
  if (schema.properties) return ['object'];
  return typeof schema.type === 'string' ? [schema.type] : [...(schema.type ?? ['any'])];
}

/** A shape as text, a call after the other. */
export function writeShape(shape: Shape, version: string): string {
  const line =
    (mark: string) =>
    ([name, { types, low, high, required }]: readonly [string, Field]) =>
      `  ${mark} ${name}${required ? '' : '?'} ${types.join('|').replaceAll(' ', '\u00a0')}${low === null && high === null ? '' : ` ${low ?? ''}..${high ?? ''}`}`;
  const calls = [...shape].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const lines = calls.flatMap(([name, { scope, takes, gives }]) => [
    `${name} ${scope}`,
    ...[...takes].map(line('<')),
    ...[...gives].map(line('>')),
  ]);
  return `# The API of version ${version}. Written by scripts/release-api.ts.\n${lines.join('\n')}\n`;
}

/** The shape that a text holds. */
export function readShape(text: string): Shape {
  const shape = new Map<string, { scope: string; takes: Map<string, Field>; gives: Map<string, Field> }>();
  let call: { scope: string; takes: Map<string, Field>; gives: Map<string, Field> } | undefined;
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    if (line.startsWith('  ')) {
      const [mark, name = '', types = '', bounds = ''] = line.trim().split(' ');
      const [low = '', high = ''] = bounds.split('..');
      const field = {
        types: types.replaceAll('\u00a0', ' ').split('|'),
        low: low === '' ? null : Number(low),
        high: high === '' ? null : Number(high),
        required: !name.endsWith('?'),
      };
      (mark === '<' ? call?.takes : call?.gives)?.set(name.replace(/\?$/, ''), field);
    } else {
      const [method = '', path = '', scope = '-'] = line.split(' ');
      call = { scope, takes: new Map(), gives: new Map() };
      shape.set(`${method} ${path}`, call);
    }
  }
  return shape;
}

/** What a program written for the first shape may stumble over in the second, a line each. Empty: nothing. */
export function breaksOf(before: Shape, after: Shape): string[] {
  return [...before].flatMap(([name, old]) => {
    const now = after.get(name);
    if (!now) return [`${name}: is gone`];
    return [
      ...(old.scope !== '-' && now.scope !== old.scope
        ? [`${name}: takes the scope ${now.scope}, not ${old.scope}`]
        : []),
      ...takenBreaks(old.takes, now.takes).map((text) => `${name}: ${text}`),
      ...givenBreaks(old.gives, now.gives).map((text) => `${name}: ${text}`),
    ];
  });
}

function takenBreaks(before: ReadonlyMap<string, Field>, after: ReadonlyMap<string, Field>): string[] {
  const added = [...after].filter(([path, { required }]) => required && !before.has(path) && !isInNew(path, before));
  return [
    ...added.map(([path]) => `asks for ${path}`),
    ...[...before].flatMap(([path, old]) => {
      const now = after.get(path);
      if (!now) return [`takes no ${path} any more`];
      const narrower = old.types.filter(
        (type) => !now.types.includes(type) && !now.types.includes(wider(type)) && !now.types.includes('any'),
      );
      return [
        ...(now.required && !old.required ? [`asks for ${path}`] : []),
        ...(narrower.length > 0 ? [`takes no ${narrower.join(', ')} as ${path}`] : []),
        ...((now.low ?? -Infinity) > (old.low ?? -Infinity) ? [`takes ${path} from ${now.low} only`] : []),
        ...((now.high ?? Infinity) < (old.high ?? Infinity) ? [`takes ${path} up to ${now.high} only`] : []),
      ];
    }),
  ];
}

/** Whether a field stands in an object that is new itself and may be missing: then who does not send it is fine. */
function isInNew(path: string, before: ReadonlyMap<string, Field>): boolean {
  const parent = path.replace(/(\.[^.[\]{}]+|\[\]|\{\})$/, '');
  return parent !== path && !['body', 'query', 'path'].includes(parent) && !before.has(parent);
}

function givenBreaks(before: ReadonlyMap<string, Field>, after: ReadonlyMap<string, Field>): string[] {
  return [...before].flatMap(([path, old]) => {
    const now = after.get(path);
    if (!now) return [`gives no ${path} any more`];
    // New values where a field names kinds are allowed by the promise; another type is not.
    const known = new Set(old.types.flatMap((type) => [type, wider(type)]));
    const other = now.types.map(wider).filter((type) => !known.has(type) && !known.has('any'));
    return [
      ...(old.required && !now.required ? [`may give no ${path}`] : []),
      ...(other.length > 0 ? [`may give ${[...new Set(other)].join(', ')} as ${path}`] : []),
    ];
  });
}

/** The type that a value has, and that whole numbers are among numbers. */
function wider(type: string): string {
  if (type.startsWith('"')) return 'string';
  if (type === 'true' || type === 'false') return 'boolean';
  return /^-?\d/.test(type) ? 'integer' : type;
}
