import type { Operation, Schema } from './reference.ts';

/** Languages of examples, in their order. */
export const LANGUAGES = ['curl', 'typescript', 'python'] as const;
export type Language = (typeof LANGUAGES)[number];

const ID = '01890000-0000-7000-8000-000000000000';
/** Values by the name of a field, where its schema says too little. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  email: 'ada@example.com',
  name: 'Lanternwood',
  reason: 'Order 1001',
  reference: 'order-1001',
  from: '2026-01-01',
  to: '2026-01-31',
  token: 'the-token',
  login: 'ada',
  username: 'ada',
  code: 'WELCOME',
};

/** A value that a schema takes: what has to be there, and no more. */
export function sampleOf(schema: Schema, name = ''): unknown {
  if (schema.$ref) return {};
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [choice] = (schema.anyOf ?? schema.oneOf ?? []).filter(({ type }) => type !== 'null');
  if (choice) return sampleOf(choice, name);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((each) => sampleOf(each)));
  if (schema.properties)
    return Object.fromEntries(
      Object.entries(schema.properties)
        .filter(([key]) => (schema.required ?? []).includes(key))
        .map(([key, value]) => [key, sampleOf(value, key)]),
    );
  switch (schema.type) {
    case 'array':
      return schema.items ? [sampleOf(schema.items, name.replace(/s$/, ''))] : [];
    case 'integer':
    case 'number':
      return Math.max(1, schema.minimum ?? 1);
    case 'boolean':
      return true;
    case 'object':
      return {};
    default:
      return sampleText(schema, name);
  }
}

function sampleText({ pattern = '', minLength = 0 }: Schema, name: string): string {
  if (pattern.startsWith('^[0-9a-f]{8}-')) return ID;
  const known = BY_NAME[name];
  return typeof known === 'string' ? known : 'text'.padEnd(minLength, 'x');
}

interface Request {
  readonly url: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  /** Media type of a file. */
  readonly file: string | null;
  readonly isJson: boolean;
}

function requestOf(operation: Operation, origin: string): Request {
  const sampled = (of: string) =>
    Object.fromEntries(
      operation.parameters
        .filter((each) => each.in === of && (each.required || of === 'path'))
        .map((each) => [each.name, sampleOf(each.schema, each.name)]),
    );
  const [params, query] = [sampled('path'), sampled('query')];
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString();
  const [[media, content] = []] = Object.entries(operation.requestBody?.content ?? {});
  const isJsonBody = media === 'application/json';
  return {
    url: `${origin}${path}${search ? `?${search}` : ''}`,
    params,
    query,
    body: isJsonBody && content ? sampleOf(content.schema) : undefined,
    file: media !== undefined && !isJsonBody ? media : null,
    isJson: (operation.responses['200'] ?? operation.responses['201'])?.content?.['application/json'] !== undefined,
  };
}

/** A call of an operation as a program writes it. In: the address of the installation. */
export function exampleOf(operation: Operation, language: Language, origin: string): string {
  const request = requestOf(operation, origin);
  return { curl, typescript, python }[language](operation, request, origin);
}

const KEY = 'order-1001';

function curl({ method, caller, isIdempotent }: Operation, { url, body, file, isJson }: Request): string {
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} '${url}'`,
    ...(caller === 'token' ? ['-H "Authorization: Bearer $SPAWNPOINT_TOKEN"'] : []),
    ...(isIdempotent ? [`-H 'Idempotency-Key: ${KEY}'`] : []),
    ...(body === undefined
      ? []
      : [
          "-H 'Content-Type: application/json'",
          // A line break stands between values only, so the lines may begin where those of the command do.
          `-d '${JSON.stringify(body, null, 2)
            .replaceAll("'", String.raw`'\''`)
            .replaceAll('\n', '\n  ')}'`,
        ]),
    ...(file ? [`-H 'Content-Type: ${file}'`, '--data-binary @file'] : []),
    ...(isJson ? [] : ['-o answer']),
  ];
  return lines.join(' \\\n  ');
}

function typescript(operation: Operation, { params, query, body, file, isJson }: Request, origin: string): string {
  const { operationId, caller, isIdempotent } = operation;
  const input = {
    ...(Object.keys(params).length > 0 ? { params } : {}),
    ...(Object.keys(query).length > 0 ? { query } : {}),
    ...(body === undefined ? {} : { body }),
  };
  const written = literal(input);
  const given = file
    ? written.replace(/^\{\n?/, "{\n  body: await Bun.file('file').bytes(),\n").replace(',\n}', ',\n}')
    : written;
  const passed = given === '{}' && !isIdempotent ? '' : given;
  const token = caller === 'token' ? ", token: process.env.SPAWNPOINT_TOKEN ?? ''" : '';
  return `import { createSpawnpoint } from './spawnpoint-sdk/client.ts';

const api = createSpawnpoint({ url: '${origin}'${token} });
const answer = await api.${operationId}(${passed}${isIdempotent ? `, { key: '${KEY}' }` : ''});
console.log(${isJson ? 'answer' : 'await answer.text()'});`;
}

/** A value as TypeScript writes it. */
function literal(value: unknown, indent = ''): string {
  if (Array.isArray(value)) return `[${value.map((each) => literal(each, indent)).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    if (entries.length === 0) return '{}';
    const deeper = `${indent}  `;
    return `{\n${entries.map(([key, each]) => `${deeper}${/^\w+$/.test(key) ? key : `'${key}'`}: ${literal(each, deeper)},`).join('\n')}\n${indent}}`;
  }
  return typeof value === 'string' ? `'${value.replaceAll("'", String.raw`\'`)}'` : String(value);
}

function python({ method, caller, isIdempotent }: Operation, { url, body, file, isJson }: Request): string {
  const headers = [
    ...(caller === 'token' ? ["'Authorization': 'Bearer ' + os.environ['SPAWNPOINT_TOKEN']"] : []),
    ...(isIdempotent ? [`'Idempotency-Key': '${KEY}'`] : []),
    ...(body === undefined ? [] : ["'Content-Type': 'application/json'"]),
    ...(file ? [`'Content-Type': '${file}'`] : []),
  ];
  const data = file
    ? "open('file', 'rb').read()"
    : body === undefined
      ? null
      : `json.dumps(${pythonLiteral(body, '    ')}).encode()`;
  return `import json
import os
import urllib.request

request = urllib.request.Request(
    '${url}',
    method='${method}',
    headers={${headers.length > 0 ? `\n        ${headers.join(',\n        ')},\n    ` : ''}},${data ? `\n    data=${data},` : ''}
)
with urllib.request.urlopen(request) as answer:
    print(${isJson ? 'json.load(answer)' : 'answer.read()'})`;
}

function pythonLiteral(value: unknown, indent: string): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map((each) => pythonLiteral(each, indent)).join(', ')}]`;
  if (typeof value === 'object') {
    const entries = Object.entries(value);
    if (entries.length === 0) return '{}';
    const deeper = `${indent}    `;
    return `{\n${entries.map(([key, each]) => `${deeper}'${key}': ${pythonLiteral(each, deeper)},`).join('\n')}\n${indent}}`;
  }
  return literal(value);
}
