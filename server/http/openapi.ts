import * as z from 'zod/mini';
import type { Endpoint } from '#shared/contract/endpoint.ts';
import { ENDPOINTS } from '#shared/contract/index.ts';
import { ERRORS, type ErrorCode } from '#shared/errors.ts';
import { scopeFor } from './token-endpoints.ts';

const COMMON_ERRORS = ['BAD_REQUEST', 'ORIGIN_REFUSED', 'RATE_LIMITED', 'SERVER_ERROR', 'SERVER_UNAVAILABLE'] as const;

/** Builds the OpenAPI 3.1 document of the whole contract from its declarations. In: the version of the product. */
export function openApiDocument(version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const endpoint of ENDPOINTS) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[endpoint.method.toLowerCase()] = toOperation(endpoint);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Spawnpoint hosting API', version },
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: '__Host-spawnpoint' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
      schemas: {
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
    },
    paths,
  };
}

function toJsonSchema(schema: z.ZodMiniType): Record<string, unknown> {
  const json: Record<string, unknown> = { ...z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) };
  // The document itself names the dialect.
  delete json.$schema;
  return json;
}

function toParameters(endpoint: Endpoint): object[] {
  const list: object[] = [];
  for (const [location, schema] of [
    ['path', endpoint.params],
    ['query', endpoint.query],
  ] as const) {
    if (!schema) continue;
    const json = toJsonSchema(schema) as { properties?: Record<string, object>; required?: string[] };
    for (const [name, property] of Object.entries(json.properties ?? {})) {
      list.push({
        name,
        in: location,
        required: location === 'path' || (json.required ?? []).includes(name),
        schema: property,
      });
    }
  }
  if (endpoint.idempotent)
    list.push({
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      schema: { type: 'string', minLength: 8, maxLength: 200 },
    });
  return list;
}

/** Who may call an endpoint: a session, and an API token with the scope that it is in. */
function toSecurity(endpoint: Endpoint & { name: string }): object {
  const scope = scopeFor(endpoint);
  return {
    ...(endpoint.access === 'open' ? {} : { security: [{ session: [] }, { bearer: [] }], 'x-access': endpoint.access }),
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

function toSuccess({ format = 'json', response }: Endpoint): Record<string, object> {
  if (format === 'redirect') {
    const headers = { Location: { required: true, schema: { type: 'string' } } };
    return { '302': { description: 'Redirects the browser', headers } };
  }
  const envelope = {
    type: 'object',
    properties: { success: { const: true }, error_code: { type: 'null' } },
    required: ['success', 'error_code'],
  };
  const schema =
    format === 'json'
      ? { allOf: [envelope, response ? toJsonSchema(response) : { type: 'object' }] }
      : { type: 'string' };
  return { '200': { description: 'OK', content: { [MEDIA_TYPES[format]]: { schema } } } };
}

/** The responses by status; codes with the same status share one. */
function toResponses(endpoint: Endpoint): Record<string, object> {
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
  const byStatus = Map.groupBy(errorCodes(endpoint), (code) => String(ERRORS[code]));
  const failures = [...byStatus].map(
    ([status, codes]) => [status, { description: codes.join(', '), content }] as const,
  );
  return { ...toSuccess(endpoint), ...Object.fromEntries(failures) };
}

function toRequestBody({ body, upload }: Endpoint): object {
  if (upload) {
    const schema = { type: 'string', format: 'binary', maxLength: upload.max };
    return { requestBody: { required: true, content: { [upload.type]: { schema } } } };
  }
  if (!body) return {};
  return { requestBody: { required: true, content: { 'application/json': { schema: toJsonSchema(body) } } } };
}

function toOperation(endpoint: Endpoint & { name: string }): object {
  return {
    operationId: endpoint.name,
    tags: [endpoint.name.split('.')[0]],
    ...toSecurity(endpoint),
    ...(endpoint.flag ? { 'x-feature-flag': endpoint.flag } : {}),
    parameters: toParameters(endpoint),
    ...toRequestBody(endpoint),
    responses: toResponses(endpoint),
  };
}
