import type { Endpoint } from '#shared/contract/endpoint.ts';
import { ENDPOINTS } from '#shared/contract/index.ts';
import { tagOf, TAG_LIST } from '#shared/contract/tags.ts';
import { ERRORS, type ErrorCode } from '#shared/errors.ts';
import { LIMITS, type LimitName, type RateLimit } from '#shared/limits.ts';
import { SETTINGS } from '#shared/settings.ts';
import { toJsonSchema } from './openapi-schema.ts';
import { scopeFor } from './token-endpoints.ts';

type Named = Endpoint & { readonly name: string };

const COMMON_ERRORS = ['BAD_REQUEST', 'ORIGIN_REFUSED', 'RATE_LIMITED', 'SERVER_ERROR', 'SERVER_UNAVAILABLE'] as const;

const ABOUT = `The whole API of this installation: everything its pages do goes through it.

Send an API token as \`Authorization: Bearer sp_live_…\`. Each call names the scope it takes (\`x-token-scope\`).
Answers are JSON with \`success\` and \`error_code\`; a failed one has the fields that were wrong and the id of the request.
Commands that move credits or make things take an \`Idempotency-Key\`: the same key and input give the same answer, once.
How paging, limits and tokens work, and what may change, is at \`/docs/api\`.`;

/** What the parameters that many endpoints share mean. */
const PARAMETERS: Readonly<Record<string, string>> = {
  id: 'Its id.',
  page: 'Page number, from 1.',
  per_page: 'Rows on a page, 25 if absent.',
  sort: 'A column, with `-` in front for descending.',
  q: 'Words to search for.',
  before: 'A cursor: only what is older.',
  after: 'A cursor: only what is newer.',
  from: 'First day, as `YYYY-MM-DD`.',
  to: 'Last day, as `YYYY-MM-DD`.',
};

/**
 * Builds the OpenAPI 3.1 document of the whole contract from its declarations. In: the version of the product, and the
 * public origin of the installation; without one, addresses are relative to the document.
 */
export function openApiDocument(version: string, origin: string | null = null): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const endpoint of ENDPOINTS) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[endpoint.method.toLowerCase()] = toOperation(endpoint);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Spawnpoint hosting API',
      version,
      description: ABOUT,
      license: { name: 'Terms of this host', url: `${origin ?? ''}/terms` },
    },
    servers: [{ url: origin ?? '/', description: 'This installation' }],
    tags: TAG_LIST,
    components: COMPONENTS,
    paths,
  };
}

const COMPONENTS = {
  securitySchemes: {
    session: { type: 'apiKey', in: 'cookie', name: '__Host-spawnpoint', description: 'A signed-in browser.' },
    bearer: { type: 'http', scheme: 'bearer', description: 'An API token (`sp_live_…`) with the scope of the call.' },
  },
  parameters: {
    IdempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description: 'A name of your own for this command. Sent again with the same input, it gives the same answer.',
      schema: { type: 'string', minLength: 8, maxLength: 200 },
    },
    IfMatch: {
      name: 'If-Match',
      in: 'header',
      required: false,
      description: 'The ETag of what you read. Refused with CONFLICT if it changed since.',
      schema: { type: 'string', maxLength: 60 },
    },
  },
  schemas: {
    Success: {
      type: 'object',
      properties: { success: { const: true }, error_code: { type: 'null' } },
      required: ['success', 'error_code'],
    },
    Error: {
      type: 'object',
      required: ['success', 'error_code', 'request_id'],
      properties: {
        success: { const: false },
        error_code: { type: 'string', enum: Object.keys(ERRORS) },
        fields: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
        request_id: { type: 'string' },
      },
    },
  },
} as const;

/**
 * What a parameter takes: a query is text, but the document says what the text is read as, so that generated clients
 * take numbers and truth values. In: the schema of the text, and of what it is read as.
 */
function parameterSchema(sent: unknown, read: unknown): unknown {
  const text = sent as { readonly enum?: readonly string[]; readonly const?: string };
  if (text.enum?.join() === 'true,false') return { type: 'boolean' };
  if (text.const === 'true') return { type: 'boolean', const: true };
  return (read as { readonly type?: string } | undefined)?.type === 'integer' ? read : sent;
}

/** A schema with what its field is; of a parameter that stands beside the schema. */
interface Described {
  readonly description?: string;
}

function toParameters(endpoint: Endpoint): object[] {
  const list: object[] = [];
  for (const [location, schema] of [
    ['path', endpoint.params],
    ['query', endpoint.query],
  ] as const) {
    if (!schema) continue;
    const json = toJsonSchema(schema);
    const read = toJsonSchema(schema, 'output').properties ?? {};
    for (const [name, property] of Object.entries(json.properties ?? {})) {
      const { description: said, ...sent } = property as Described;
      const { description: _, ...asRead } = (read[name] ?? {}) as Described;
      const description = PARAMETERS[name] ?? said;
      list.push({
        name,
        in: location,
        required: location === 'path' || (json.required ?? []).includes(name),
        ...(description ? { description } : {}),
        schema: parameterSchema(sent, asRead),
      });
    }
  }
  if (endpoint.idempotent) list.push({ $ref: '#/components/parameters/IdempotencyKey' });
  if (endpoint.versioned && endpoint.method !== 'GET') list.push({ $ref: '#/components/parameters/IfMatch' });
  return list;
}

/** Who may call an endpoint: a session, and an API token where there is a scope for it. */
function toSecurity(endpoint: Named): object {
  const scope = scopeFor(endpoint);
  const open = endpoint.access === 'open';
  return {
    security: open ? (scope ? [{}, { bearer: [] }] : []) : [{ session: [] }, ...(scope ? [{ bearer: [] }] : [])],
    ...(open ? {} : { 'x-access': endpoint.access }),
    ...(endpoint.asStaff ? { 'x-access-as-staff': endpoint.asStaff } : {}),
    ...(scope ? { 'x-token-scope': scope } : {}),
  };
}

/** Every code that a call of an endpoint may end with: its own, and those of the pipeline (authorize.ts, input.ts). */
function errorCodes(endpoint: Endpoint): readonly ErrorCode[] {
  const { access, params, query, body, upload, flag, verified, waiting, settingUp } = endpoint;
  const codes: readonly (readonly [applies: unknown, ...codes: ErrorCode[]])[] = [
    [true, ...endpoint.errors, ...COMMON_ERRORS],
    [access !== 'open', 'UNAUTHENTICATED', 'TOKEN_SCOPE_MISSING', 'TOKEN_ADDRESS_REFUSED'],
    [access !== 'open' && access !== 'signed-in', 'FORBIDDEN'],
    [access !== 'open' && !waiting, 'TW0_FA_BLOCKED'],
    [access !== 'open' && !settingUp, 'TWO_FACTOR_REQUIRED'],
    [verified, 'ACCOUNT_UNVERIFIED'],
    [flag, 'FEATURE_DISABLED'],
    [params, 'NOT_FOUND'],
    [query ?? body, 'VALIDATION_FAILED'],
    [body ?? upload, 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
  ];
  return [...new Set(codes.flatMap(([applies, ...each]) => (applies ? each : [])))];
}

/** Media types of successful responses; `file` and `text` have several. */
const MEDIA_TYPES = {
  json: 'application/json',
  csv: 'text/csv',
  text: 'text/*',
  file: '*/*',
  download: 'application/octet-stream',
  events: 'text/event-stream',
} as const;

function toSuccess({ format = 'json', response, versioned, method, statuses }: Endpoint): Record<string, object> {
  if (format === 'redirect') {
    const headers = { Location: { required: true, schema: { type: 'string' } } };
    const page = { 'text/html': { schema: { type: 'string' } } };
    return {
      '200': { description: 'The page it leads to, for clients that follow redirects', content: page },
      '302': { description: 'Redirects the browser', headers },
    };
  }
  const envelope = { $ref: '#/components/schemas/Success' };
  const schema =
    format === 'json' ? (response ? { allOf: [envelope, toJsonSchema(response)] } : envelope) : { type: 'string' };
  const content = { [MEDIA_TYPES[format]]: { schema } };
  const headers = { ETag: { description: 'For `If-Match`', schema: { type: 'string' } } };
  const answer = { description: 'OK', ...(versioned && method === 'GET' ? { headers } : {}), content };
  return { [String(statuses?.ok ?? 200)]: answer };
}

/** The responses by status; codes with the same status share one. */
function toResponses(endpoint: Endpoint): Record<string, object> {
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
  const byStatus = Map.groupBy(errorCodes(endpoint), (code) => String(endpoint.statuses?.[code] ?? ERRORS[code]));
  const failures = [...byStatus].map(
    ([status, codes]) => [status, { description: codes.join(', '), content }] as const,
  );
  return { ...toSuccess(endpoint), ...Object.fromEntries(failures) };
}

function toRequestBody({ body, upload }: Endpoint): object {
  if (upload) {
    const schema = { type: 'string', format: 'binary', maxLength: upload.max };
    const types = [upload.type, ...(upload.also ?? [])];
    return { requestBody: { required: true, content: Object.fromEntries(types.map((type) => [type, { schema }])) } };
  }
  if (!body) return {};
  return { requestBody: { required: true, content: { 'application/json': { schema: toJsonSchema(body) } } } };
}

/** Calls in a window of seconds, of a user or an address; of limits that a host can change, as they are at first. */
function toRateLimit(endpoint: Endpoint): object {
  const name: LimitName =
    endpoint.limit ?? (endpoint.method === 'GET' ? (endpoint.access === 'open' ? 'guestRead' : 'read') : 'write');
  const { per, max, windowS }: RateLimit = LIMITS[name];
  return { max: typeof max === 'number' ? max : SETTINGS[max].default, window_s: windowS, per };
}

function toOperation(endpoint: Named): object {
  return {
    operationId: endpoint.name,
    tags: [tagOf(endpoint.name)],
    summary: endpoint.summary,
    ...(endpoint.description ? { description: endpoint.description } : {}),
    ...toSecurity(endpoint),
    ...(endpoint.flag ? { 'x-feature-flag': endpoint.flag } : {}),
    'x-rate-limit': toRateLimit(endpoint),
    parameters: toParameters(endpoint),
    ...toRequestBody(endpoint),
    responses: toResponses(endpoint),
  };
}
