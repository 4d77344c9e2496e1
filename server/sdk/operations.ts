import { toType, type Schema } from './schema-types.ts';

interface Content {
  readonly [mediaType: string]: { readonly schema: Schema };
}
interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: Schema;
}
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly tags: readonly string[];
  readonly 'x-token-scope'?: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
interface Document {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}
const JSON_TYPE = 'application/json';

/**
 * The module `operations.ts` of the client: how every call that a program may make is sent, and the types of what goes
 * in and comes out. In: the document of the API.
 */
export function operationsModule(document: object): string {
  const { info, paths } = document as Document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => isForPrograms(operation))
      .map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  return `// The calls of the Spawnpoint API, version ${info.version}. Written by \`spawnpoint sdk\`.

/** What every answer has. */
export interface Success {
  success: true;
  error_code: null;
}
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly body?: true;
  readonly upload?: string;
  readonly idempotent?: true;
  /** Answers with a file or a stream. */
  readonly raw?: true;
  /** The parameter that takes the cursor of the next page. */
  readonly cursor?: 'after' | 'before';
}

export interface Operations {
${operations.map(({ operation }) => typesOf(operation)).join('\n')}
}

export const OPERATIONS: { readonly [N in keyof Operations]: Operation } = {
${operations.map(({ path, method, operation }) => `  ${JSON.stringify(operation.operationId)}: ${factsOf(path, method, operation)},`).join('\n')}
};
`;
}

/** A token calls it, or everybody but payment gateways and the like. */
function isForPrograms({ security, tags }: Operation): boolean {
  const isOpen = security.length === 0 && !['Called by others', 'Authentication'].includes(tags[0] ?? '');
  return isOpen || security.some((each) => 'bearer' in each);
}

function typesOf(operation: Operation): string {
  const { operationId, summary, description, requestBody } = operation;
  const part = (name: string, of: string) => {
    const own = operation.parameters.filter((each) => each.in === of);
    if (own.length === 0) return '';
    const required = own.filter((each) => each.required).map((each) => each.name);
    const type = toType(
      { type: 'object', properties: Object.fromEntries(own.map((each) => [each.name, wide(each.schema)])), required },
      '      ',
    );
    return `\n      ${name}${required.length > 0 ? '' : '?'}: ${type};`;
  };
  const [[media, content] = []] = Object.entries(requestBody?.content ?? {});
  const body =
    content === undefined
      ? ''
      : `\n      body: ${media === JSON_TYPE ? toType(content.schema, '      ') : 'Uint8Array<ArrayBuffer> | Blob'};`;
  const answer = operation.responses['200']?.content ?? {};
  const output = answer[JSON_TYPE] ? toType(answer[JSON_TYPE].schema, '    ') : 'Response';
  const about = [summary, ...(description ? [description] : [])].map((text) =>
    /[.!?]$/.test(text) ? text : `${text}.`,
  );
  const scope = operation['x-token-scope'];
  return `  /** ${about.join(' ').replaceAll('*/', '*')}${scope ? ` Scope: \`${scope}\`.` : ''} */
  ${JSON.stringify(operationId)}: {
    input: {${part('params', 'path')}${part('query', 'query')}${body}
    };
    output: ${output};
  };`;
}

/** A number in a query may be given as one: its text goes over the wire. */
const wide = (schema: Schema): Schema =>
  schema.type === 'string' && !schema.enum ? { anyOf: [schema, { type: 'number' }] } : schema;

function factsOf(path: string, method: string, { parameters, requestBody, responses }: Operation): string {
  const [media] = Object.keys(requestBody?.content ?? {});
  const names = parameters.map(({ name }) => name);
  const facts = {
    method,
    path,
    ...(media === JSON_TYPE ? { body: true } : media ? { upload: media } : {}),
    ...(parameters.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey')) ? { idempotent: true } : {}),
    ...(responses['200']?.content?.[JSON_TYPE] ? {} : { raw: true }),
    ...(names.includes('before') && !names.includes('page')
      ? {
          cursor: names.includes('after') && names.includes('per_page') && path.endsWith('/users') ? 'after' : 'before',
        }
      : names.includes('after')
        ? { cursor: 'after' }
        : {}),
  };
  return JSON.stringify(facts);
}
