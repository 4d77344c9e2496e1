import * as z from 'zod/mini';
import type { Endpoint } from '#shared/contract/endpoint.ts';
import { ENDPOINTS } from '#shared/contract/index.ts';
import { ERRORS } from '#shared/errors.ts';
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

function toOperation(endpoint: Endpoint & { name: string }): object {
  const format = endpoint.format ?? 'json';
  const type = {
    json: 'application/json',
    csv: 'text/csv',
    text: 'text/plain',
    file: 'image/png',
    events: 'text/event-stream',
    redirect: '',
  }[format];
  const body = endpoint.response ? toJsonSchema(endpoint.response) : { type: 'object' };
  const envelope = {
    allOf: [
      {
        type: 'object',
        properties: { success: { const: true }, error_code: { type: 'null' } },
        required: ['success', 'error_code'],
      },
      body,
    ],
  };
  const codes = [
    ...new Set([
      ...endpoint.errors,
      ...COMMON_ERRORS,
      ...(endpoint.access === 'open' ? [] : (['UNAUTHENTICATED'] as const)),
    ]),
  ];
  const responses: Record<string, object> =
    format === 'redirect'
      ? {
          '302': {
            description: 'Redirects the browser',
            headers: { Location: { required: true, schema: { type: 'string' } } },
          },
        }
      : {
          '200': {
            description: 'OK',
            content: { [type]: { schema: format === 'json' ? envelope : { type: 'string' } } },
          },
        };
  for (const code of codes) {
    const status = String(ERRORS[code]);
    if (status === '200') continue;
    const earlier = (responses[status] as { description: string } | undefined)?.description;
    responses[status] = {
      description: earlier ? `${earlier}, ${code}` : code,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    };
  }
  return {
    operationId: endpoint.name,
    tags: [endpoint.name.split('.')[0]],
    ...toSecurity(endpoint),
    ...(endpoint.flag ? { 'x-feature-flag': endpoint.flag } : {}),
    parameters: toParameters(endpoint),
    ...(endpoint.body
      ? { requestBody: { required: true, content: { 'application/json': { schema: toJsonSchema(endpoint.body) } } } }
      : {}),
    ...(endpoint.upload
      ? {
          requestBody: {
            required: true,
            content: {
              [endpoint.upload.type]: { schema: { type: 'string', format: 'binary', maxLength: endpoint.upload.max } },
            },
          },
        }
      : {}),
    responses,
  };
}
