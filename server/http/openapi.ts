import * as z from 'zod/mini';
import type { Endpoint } from '#shared/contract/endpoint.ts';
import { ENDPOINTS } from '#shared/contract/index.ts';
import { ERRORS } from '#shared/errors.ts';
import { scopeFor } from './token-endpoints.ts';

const GENERAL = ['BAD_REQUEST', 'ORIGIN_REFUSED', 'RATE_LIMITED', 'SERVER_ERROR', 'SERVER_UNAVAILABLE'] as const;

/** The OpenAPI 3.1 document of the whole contract. Made once from the declarations; nothing is written by hand. */
export function openApiDocument(version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const endpoint of ENDPOINTS) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[endpoint.method.toLowerCase()] = operation(endpoint);
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

function schemaOf(schema: z.ZodMiniType): Record<string, unknown> {
  const json: Record<string, unknown> = { ...z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) };
  // Named once, by the document itself.
  delete json.$schema;
  return json;
}

function parameters(endpoint: Endpoint): object[] {
  const list: object[] = [];
  for (const [place, schema] of [
    ['path', endpoint.params],
    ['query', endpoint.query],
  ] as const) {
    if (!schema) continue;
    const json = schemaOf(schema) as { properties?: Record<string, object>; required?: string[] };
    for (const [name, property] of Object.entries(json.properties ?? {})) {
      list.push({
        name,
        in: place,
        required: place === 'path' || (json.required ?? []).includes(name),
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

/** Who may call: a session, and an API token where one of its scopes opens the endpoint. */
function securityOf(endpoint: Endpoint & { name: string }): object {
  const scope = scopeFor(endpoint);
  return {
    ...(endpoint.access === 'open' ? {} : { security: [{ session: [] }, { bearer: [] }], 'x-access': endpoint.access }),
    ...(scope ? { 'x-token-scope': scope } : {}),
  };
}

function operation(endpoint: Endpoint & { name: string }): object {
  const format = endpoint.format ?? 'json';
  const type = {
    json: 'application/json',
    csv: 'text/csv',
    text: 'text/plain',
    file: 'image/png',
    events: 'text/event-stream',
    redirect: '',
  }[format];
  const body = endpoint.response ? schemaOf(endpoint.response) : { type: 'object' };
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
    ...new Set([...endpoint.errors, ...GENERAL, ...(endpoint.access === 'open' ? [] : (['UNAUTHENTICATED'] as const))]),
  ];
  const responses: Record<string, object> =
    format === 'redirect'
      ? {
          '302': {
            description: 'Sends the browser on',
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
    const before = (responses[status] as { description: string } | undefined)?.description;
    responses[status] = {
      description: before ? `${before}, ${code}` : code,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    };
  }
  return {
    operationId: endpoint.name,
    tags: [endpoint.name.split('.')[0]],
    ...securityOf(endpoint),
    ...(endpoint.flag ? { 'x-feature-flag': endpoint.flag } : {}),
    parameters: parameters(endpoint),
    ...(endpoint.body
      ? { requestBody: { required: true, content: { 'application/json': { schema: schemaOf(endpoint.body) } } } }
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
