import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, test } from 'bun:test';
import { ENDPOINTS } from '#shared/contract/index.ts';
import { ERRORS } from '#shared/errors.ts';
import { openApiDocument } from './openapi.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Record<string, unknown>;
}
interface Content {
  readonly [type: string]: { readonly schema: Record<string, unknown> };
}
interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security?: readonly object[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Record<string, { readonly description: string; readonly content: Content }>;
  readonly [extension: `x-${string}`]: string;
}
interface Document {
  readonly openapi: string;
  readonly info: object;
  readonly servers: readonly object[];
  readonly tags: readonly { readonly name: string }[];
  readonly components: {
    readonly schemas: { readonly Error: Record<string, unknown>; readonly Success: object };
    readonly parameters: { readonly IdempotencyKey: object };
  };
  readonly paths: Record<string, Record<string, Operation>>;
}

interface Described {
  readonly [keyword: string]: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Described>>;
}

const document = openApiDocument('1.2.3') as Document;
/** The operation of an endpoint. In: its method and path, as `GET /api/servers/{id}`. */
function operation(name: string): Operation {
  const [method = '', path = ''] = name.split(' ');
  const found = document.paths[path]?.[method.toLowerCase()];
  if (!found) throw new Error(`there is no ${name}`);
  return found;
}
const mediaTypes = (name: string) => Object.keys(operation(name).responses['200']?.content ?? {});
const codes = (name: string, status: number) => operation(name).responses[status]?.description.split(', ');

describe('the OpenAPI document', () => {
  test('the document names its version and the product’s, and describes every endpoint once', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.info).toMatchObject({ title: 'Spawnpoint hosting API', version: '1.2.3' });
    expect(document.servers).toEqual([{ url: '/', description: 'This installation' }]);
    expect(openApiDocument('1.2.3', 'https://panel.example.org')).toMatchObject({
      servers: [{ url: 'https://panel.example.org' }],
    });
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    expect(operations.map(({ operationId }) => operationId).toSorted()).toEqual(
      ENDPOINTS.map(({ name }) => name).toSorted(),
    );
    expect(operation('GET /api/servers/{id}')).toMatchObject({ operationId: 'servers.get', tags: ['Servers'] });
    const tags = new Set(operations.flatMap((each) => each.tags));
    expect(document.tags.map(({ name }) => name).toSorted()).toEqual([...tags].toSorted());
  });

  test('an error has its code from the whole list, its fields and the number of the request', () => {
    const { Error: schema } = document.components.schemas;
    expect(schema.required).toEqual(['success', 'error_code', 'request_id']);
    expect(schema.properties).toEqual({
      success: { const: false },
      error_code: { type: 'string', enum: Object.keys(ERRORS) },
      fields: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
      request_id: { type: 'string' },
    });
  });

  test('an operation says who may call it, and by which scope a token may', () => {
    const both = [{ session: [] }, { bearer: [] }];
    expect(operation('GET /api/servers/{id}')).toMatchObject({
      security: both,
      'x-access': 'signed-in',
      'x-token-scope': 'servers:read',
    });
    expect(operation('GET /api/admin/users')).toMatchObject({ security: both, 'x-access': 'admin.users.list' });
    const login = operation('POST /api/auth/login');
    expect([login.security, login['x-access'], login['x-token-scope']]).toEqual([[], undefined, undefined]);
    expect(operation('GET /api/user/session').security).toEqual([{}, { bearer: [] }]);
    expect(operation('POST /api/account/password')).toMatchObject({ security: [{ session: [] }] });
    expect(operation('POST /api/earn/redeem')).toMatchObject({ 'x-feature-flag': 'code_redemption_enabled' });
    expect(operation('GET /api/servers/{id}')).not.toHaveProperty('x-feature-flag');
  });

  test('parameters of a path are required, those of a query by contract, and the Idempotency-Key never is', () => {
    const [id, ...others] = operation('GET /api/servers/{id}').parameters;
    expect(id).toEqual({
      name: 'id',
      in: 'path',
      required: true,
      description: 'Its id.',
      schema: { type: 'string', pattern: expect.any(String) },
    });
    expect(others).toEqual([]);
    const page = operation('GET /api/account/statement').parameters;
    expect(page.map(({ name, in: location, required }) => [name, location, required])).toEqual(
      ['kind', 'direction', 'from', 'to', 'before', 'after', 'per_page'].map((name) => [name, 'query', false]),
    );
    expect(page[1]?.schema).toEqual({ type: 'string', enum: ['in', 'out'] });
    // What the text of a query is read as.
    expect(page[6]?.schema).toEqual({ type: 'integer', minimum: 1, maximum: 100 });
    const users = new Map(operation('GET /api/admin/users').parameters.map(({ name, schema }) => [name, schema]));
    expect([users.get('debt'), users.get('unspent')]).toEqual([{ type: 'boolean' }, { type: 'boolean', const: true }]);
    expect(operation('GET /api/challenge').parameters).toMatchObject([{ name: 'action', in: 'query', required: true }]);
    expect(operation('POST /api/earn/redeem').parameters).toEqual([
      { $ref: '#/components/parameters/IdempotencyKey' } as never,
    ]);
    expect(document.components.parameters.IdempotencyKey).toMatchObject({
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      schema: { type: 'string', minLength: 8, maxLength: 200 },
    });
    expect(operation('POST /api/auth/login').parameters).toEqual([]);
  });

  test('a body is JSON by its schema, or a file of its type and size, and a question has none', () => {
    expect(operation('POST /api/earn/redeem').requestBody).toMatchObject({
      required: true,
      content: {
        'application/json': {
          schema: { type: 'object', required: ['code'], properties: { code: { type: 'string', maxLength: 64 } } },
        },
      },
    });
    expect(operation('PUT /api/account/skin').requestBody).toEqual({
      required: true,
      content: { 'image/png': { schema: { type: 'string', format: 'binary', maxLength: 65_536 } } },
    });
    expect(operation('GET /api/servers/{id}').requestBody).toBeUndefined();
  });

  test('an answer is the envelope with its fields, a file or a stream of its type, or a redirect', () => {
    const schemaOf = (name: string) => operation(name).responses['200']?.content['application/json']?.schema;
    const [envelope, fields] = (schemaOf('POST /api/earn/redeem')?.allOf ?? []) as readonly object[];
    expect(envelope).toEqual({ $ref: '#/components/schemas/Success' });
    expect(document.components.schemas.Success).toEqual({
      type: 'object',
      properties: { success: { const: true }, error_code: { type: 'null' } },
      required: ['success', 'error_code'],
    });
    expect(fields).toMatchObject({ type: 'object', properties: { credits: { type: 'integer', minimum: 0 } } });
    expect(schemaOf('POST /api/auth/logout')).toEqual({ $ref: '#/components/schemas/Success' });
    expect(
      [
        'GET /api/account/statement.csv',
        'GET /api/system/custom.css',
        'GET /api/payments/orders/{id}/receipt.pdf',
        'GET /api/events',
      ].map(mediaTypes),
    ).toEqual([['text/csv'], ['text/*'], ['*/*'], ['text/event-stream']]);
    expect(operation('GET /api/events').responses['200']?.content['text/event-stream']?.schema).toEqual({
      type: 'string',
    });
    const { '200': success, '302': redirect } = operation('GET /api/auth/2fa/setup/kill').responses;
    expect(Object.keys(success?.content ?? {})).toEqual(['text/html']);
    expect(redirect).toEqual({
      description: 'Redirects the browser',
      headers: { Location: { required: true, schema: { type: 'string' } } },
    } as never);
  });

  test('an operation names the codes of its own errors and of the checks that it passes, by status', () => {
    const redeem = operation('POST /api/earn/redeem');
    expect(redeem.responses['429']).toEqual({
      description: expect.stringContaining('RATE_LIMITED'),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    });
    expect(codes('POST /api/auth/login', 403)).toEqual([
      'ACCOUNT_BANNED',
      'CHALLENGE_REQUIRED',
      'CHALLENGE_FAILED',
      'ORIGIN_REFUSED',
    ]);
    expect(codes('POST /api/auth/login', 401)).toEqual(['LOGIN_FAILED']);
    for (const [name, code] of [
      ['POST /api/earn/redeem', 'UNAUTHENTICATED'],
      ['POST /api/earn/redeem', 'TW0_FA_BLOCKED'],
      ['POST /api/earn/redeem', 'TWO_FACTOR_REQUIRED'],
      ['POST /api/earn/redeem', 'FEATURE_DISABLED'],
      ['POST /api/earn/redeem', 'VALIDATION_FAILED'],
      ['POST /api/earn/redeem', 'PAYLOAD_TOO_LARGE'],
      ['PUT /api/account/skin', 'UNSUPPORTED_MEDIA_TYPE'],
      ['GET /api/account/statement', 'VALIDATION_FAILED'],
      ['GET /api/system/legal/{page}', 'NOT_FOUND'],
      ['GET /api/admin/users', 'FORBIDDEN'],
      ['POST /api/servers', 'ACCOUNT_UNVERIFIED'],
    ] as const)
      expect([name, codes(name, ERRORS[code])]).toEqual([name, expect.arrayContaining([code])]);
    for (const [name, code] of [
      ['GET /api/account', 'FORBIDDEN'],
      ['GET /api/account', 'VALIDATION_FAILED'],
      ['GET /api/account', 'PAYLOAD_TOO_LARGE'],
      ['GET /api/account', 'FEATURE_DISABLED'],
      ['GET /api/auth/2fa', 'TWO_FACTOR_REQUIRED'],
      ['POST /api/auth/2fa/verify', 'TW0_FA_BLOCKED'],
      ['GET /api/events', 'NOT_FOUND'],
    ] as const)
      expect([name, codes(name, ERRORS[code]) ?? []]).toEqual([name, expect.not.arrayContaining([code])]);
  });

  test('a foreign linter finds nothing by its recommended rules, on an installation with an address and on one without', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    for (const origin of [null, 'https://panel.example.org']) {
      const source = JSON.stringify(openApiDocument('1.2.3', origin));
      const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
      expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
    }
  });

  test('a summary is a short order of its own, and a description says more than that', () => {
    const summaries = ENDPOINTS.map(({ summary }) => summary);
    expect(summaries.filter((text) => !/^[A-Z][^.]{3,59}$/.test(text))).toEqual([]);
    expect(summaries.filter((text, at) => summaries.indexOf(text) !== at)).toEqual([]);
    const descriptions = ENDPOINTS.flatMap(({ description }) => description ?? []);
    expect(descriptions.filter((text) => !/^[A-Z`].*\.$/s.test(text))).toEqual([]);
  });

  test('a field is described by its name and its type, alike in every call, and a field that says nothing is not', () => {
    const answer = (name: string) => {
      const all = operation(name).responses['200']?.content['application/json']?.schema.allOf as readonly Described[];
      return all[1]?.properties ?? {};
    };
    const user = answer('GET /api/admin/users/{id}');
    expect(user.id).toMatchObject({ description: 'Its id.' });
    expect(user.role_id).toMatchObject({ description: 'The id of its role.' });
    expect(user.created_at).toEqual({ type: 'string', format: 'date-time', description: 'When it was made.' });
    expect(user.balance).toMatchObject({ type: 'integer', description: 'Whole credits that can be spent.' });
    expect(user.first_name).toEqual({ type: 'string' });
    // A moment that may not be there is a time all the same.
    expect(user.banned_until).toEqual({ anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] });
    // A kind of resource is an amount where it is a number, and a meter elsewhere.
    expect(user.limits?.properties?.memory).not.toHaveProperty('description');
    const units: string[] = [];
    const walk = (schema: unknown): void => {
      if (typeof schema !== 'object' || schema === null) return;
      for (const [name, field] of Object.entries((schema as Described).properties ?? {}))
        if (/_(ms|s|minor|bytes)$/.test(name) && field.description === undefined) units.push(name);
      Object.values(schema).forEach(walk);
    };
    walk(document.paths);
    expect(units).toEqual([]);
    expect(operation('GET /api/admin/users').parameters.map(({ schema }) => schema.description)).toEqual(
      operation('GET /api/admin/users').parameters.map(() => undefined),
    );
  });

  test('patterns that Python and Go do not read are left out, and all others stand', () => {
    const text = JSON.stringify(document);
    expect(text).not.toMatch(/\\\\p\{|\(\?[!=<]/);
    expect(text).toContain('"pattern":"^[0-9a-f]{8}-');
  });

  test('an operation tells its rate limit, of a user or an address', () => {
    expect(operation('POST /api/servers')['x-rate-limit']).toEqual({ max: 30, window_s: 60, per: 'user' } as never);
    expect(operation('GET /api/news')['x-rate-limit']).toMatchObject({ per: 'address' } as never);
  });

  test('an object whose keys are known names each of them', () => {
    const [, answer] = (operation('GET /api/dashboard').responses['200']?.content['application/json']?.schema.allOf ??
      []) as { properties: Record<string, { properties: object; propertyNames?: object }> }[];
    expect(Object.keys(answer?.properties.meters?.properties ?? {})).toContain('memory');
    expect(answer?.properties.meters?.propertyNames).toBeUndefined();
  });

  test('every operation names the codes that any call, any session, its path and its body may meet', () => {
    const COMMON = ['BAD_REQUEST', 'ORIGIN_REFUSED', 'RATE_LIMITED', 'SERVER_ERROR', 'SERVER_UNAVAILABLE'];
    for (const { name, method, path, access, errors, verified, params, body, upload } of ENDPOINTS) {
      const { responses } = operation(`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
      const named = Object.values(responses).flatMap(({ description }) => description.split(', '));
      const expected = [
        ...COMMON,
        ...errors,
        ...(access === 'open' ? [] : ['UNAUTHENTICATED', 'TOKEN_SCOPE_MISSING', 'TOKEN_ADDRESS_REFUSED']),
        ...(verified ? ['ACCOUNT_UNVERIFIED'] : []),
        ...(params ? ['NOT_FOUND'] : []),
        ...(body || upload ? ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] : []),
      ];
      expect([name, expected.filter((code) => !named.includes(code))]).toEqual([name, []]);
    }
  });
});
