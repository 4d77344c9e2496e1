import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PanelRight } from '#server/modules/servers/panel/ports.ts';
import { RECORDED } from '#tests/support/panel-recorded.ts';
import { readAnswer, type Exchange } from './exchange.ts';
import { classifyAnswer, type CallKind } from './outcome.ts';
import {
  readAllocations,
  readEggs,
  readLocations,
  readNodes,
  readServer,
  readServers,
  readUsage,
  readUser,
} from './shapes.ts';

type Api = 'application' | 'client';
const json = { 'Content-Type': 'application/json' };
const said = (kind: CallKind, exchange: Exchange, api: Api = 'application', right: PanelRight = 'servers'): string => {
  const { outcome, reason, daemon } = classifyAnswer({ kind, api, right }, exchange);
  return [outcome, reason, daemon ? '(machine)' : null].filter((part) => part !== null).join(' ');
};
const error = (status: number, code: string, detail = 'text', meta?: object): Exchange =>
  readAnswer(
    status,
    new Headers(json),
    JSON.stringify({ errors: [{ code, status: String(status), detail, ...(meta ? { meta } : {}) }] }),
  );
const html = (status: number): Exchange =>
  readAnswer(status, new Headers({ 'Content-Type': 'text/html' }), '<h1>Hello</h1>');
const field = (source: string, rule: string): Exchange =>
  error(422, 'ValidationException', 'text', { source_field: source, rule });

describe('what an answer means', () => {
  // Kind of call, exchange, meaning. Written by hand from the contract.
  const table: readonly (readonly [string, CallKind, Exchange, string])[] = [
    [
      'a server that is not there',
      'read',
      error(404, 'NotFoundHttpException', 'The requested resource could not be found on the server.'),
      'not_found',
    ],
    [
      'T26 a route that is not there',
      'read',
      error(404, 'NotFoundHttpException', 'The route api/application/servers/1 could not be found.'),
      'unavailable',
    ],
    [
      'T26 a 404 of something else',
      'read',
      readAnswer(404, new Headers(json), '{"message":"Not Found"}'),
      'unavailable',
    ],
    ['T26 a page that says 404', 'read', html(404), 'unavailable'],
    [
      'T26 a machine that does not know the server',
      'write',
      error(404, 'DaemonConnectionException'),
      'unknown (machine)',
    ],
    [
      'a machine that does not know the server, asked',
      'read',
      error(404, 'DaemonConnectionException'),
      'unavailable (machine)',
    ],
    ['T26 a 422 of the machine', 'create', error(422, 'DaemonConnectionException'), 'unknown (machine)'],
    [
      'a 422 of the machine, the panel in debug mode',
      'create',
      error(422, 'DaemonConnectionException', 'x', { trace: [], previous: [] }),
      'unknown (machine)',
    ],
    ['a 422 without a field', 'create', error(422, 'HttpException'), 'unknown'],
    ['a machine that is away', 'create', error(504, 'DaemonConnectionException'), 'unknown (machine)'],
    ['a machine that is away, Pelican', 'write', error(500, 'ConnectionException'), 'unknown (machine)'],
    ['a machine that fails, Pelican', 'create', error(500, 'RequestException'), 'unknown (machine)'],
    ['T26 the loser of a race, by its check', 'create', error(500, 'DataValidationException'), 'conflict'],
    ['T26 the loser of a race, by the key', 'create', error(500, 'UniqueConstraintViolationException'), 'conflict'],
    ['T26 the loser of a race, by a deadlock', 'create', error(500, 'QueryException'), 'unknown'],
    ['the same of a change', 'write', error(500, 'QueryException'), 'unknown'],
    ['the same of a question', 'read', error(500, 'QueryException'), 'unavailable'],
    ['a fault of the panel', 'create', error(500, 'TypeError'), 'unknown'],
    ['an id that is taken', 'create', field('external_id', 'unique'), 'conflict'],
    ['a port that is taken', 'create', field('allocation.additional.0', 'exists'), 'refused port_taken'],
    ['a port that is missing', 'create', field('allocation.default', 'required'), 'refused place'],
    ['a variable', 'create', field('environment.SERVER_JARFILE', 'regex'), 'refused rule:SERVER_JARFILE'],
    ['an address that is taken', 'create', field('email', 'unique'), 'refused email_taken'],
    ['a name that is taken', 'create', field('username', 'unique'), 'refused username_taken'],
    ['an owner that is gone', 'write', field('user', 'exists'), 'refused user'],
    ['something that nobody knows', 'write', field('colour', 'in'), 'refused rejected'],
    ['no room', 'create', error(400, 'NoViableNodeException'), 'refused no_room'],
    ['no port', 'create', error(400, 'NoViableAllocationException'), 'refused no_port'],
    ['a no of the panel', 'write', error(400, 'DisplayException'), 'refused rejected'],
    ['an unknown key', 'write', error(401, 'AuthenticationException'), 'refused key'],
    [
      'a key without the right',
      'write',
      error(403, 'AccessDeniedHttpException', 'This action is unauthorized.'),
      'refused right:servers',
    ],
    [
      'a key whose owner is no administrator',
      'read',
      error(403, 'AccessDeniedHttpException', 'This account does not have permission to access the API.'),
      'refused key_owner',
    ],
    [
      'a key for other addresses',
      'read',
      error(
        403,
        'AccessDeniedHttpException',
        'This IP address (192.0.2.1) does not have permission to access the API.',
      ),
      'refused key_address',
    ],
    ['T26 too many calls', 'create', error(429, 'ThrottleRequestsException'), 'unavailable'],
    ['too many calls, says a proxy', 'write', html(429), 'unavailable'],
    ['a server that moves', 'write', error(409, 'ConflictHttpException'), 'unavailable'],
    ['maintenance of the panel', 'create', error(503, 'HttpException'), 'unknown'],
    ['maintenance of the panel, asked', 'read', error(503, 'HttpException'), 'unavailable'],
    ['T26 a proxy that gave up waiting', 'create', html(504), 'unknown'],
    ['T26 a proxy that gave up waiting, asked', 'read', html(504), 'unavailable'],
    ['a proxy that lost it', 'write', html(502), 'unknown'],
    ['a proxy that did not like the call, or its answer', 'write', html(403), 'unknown'],
    ['a proxy that did not like the question', 'read', html(403), 'unavailable'],
    ['T26 a page with 200, asked', 'read', html(200), 'unavailable'],
    ['T26 a page with 200', 'create', html(200), 'unknown'],
    ['T26 a redirect', 'create', html(302), 'unknown'],
    ['T26 a redirect, asked', 'read', html(302), 'unavailable'],
    ['half an answer', 'create', readAnswer(201, new Headers(json), '{"object":"ser'), 'unknown'],
    ['errors with 200', 'read', error(200, 'Odd'), 'unavailable'],
    ['done', 'write', readAnswer(204, new Headers(), ''), 'ok'],
    ['T26 nobody there', 'create', { kind: 'silence', why: 'refused', sent: false }, 'unavailable'],
    ['T26 a certificate that is wrong', 'create', { kind: 'silence', why: 'tls', sent: false }, 'unavailable'],
    ['T26 a line that broke', 'create', { kind: 'silence', why: 'reset', sent: true }, 'unknown'],
    ['T26 no answer in time', 'write', { kind: 'silence', why: 'timeout', sent: true }, 'unknown'],
    ['T26 no answer in time, asked', 'read', { kind: 'silence', why: 'timeout', sent: true }, 'unavailable'],
    ['an answer without end', 'create', { kind: 'silence', why: 'too_large', sent: true }, 'unknown'],
  ];
  test.each(table)('the answer means %s (%s)', (_, kind, exchange, meaning) => {
    expect(said(kind, exchange)).toBe(meaning);
  });

  test('the id that is taken comes before the ports that its server has', () => {
    const errors = [
      {
        code: 'ValidationException',
        status: '422',
        detail: 'x',
        meta: { source_field: 'allocation.default', rule: 'exists' },
      },
      {
        code: 'ValidationException',
        status: '422',
        detail: 'x',
        meta: { source_field: 'external_id', rule: 'unique' },
      },
    ];
    expect(said('create', readAnswer(422, new Headers(json), JSON.stringify({ errors })))).toBe('conflict');
  });

  test('the client API hides what its key may not see, so its 404 proves nothing', () => {
    expect(
      said(
        'read',
        error(404, 'NotFoundHttpException', 'The requested resource does not exist on this server.'),
        'client',
      ),
    ).toBe('refused not_visible');
    expect(said('read', error(409, 'ServerStateConflictException'), 'client')).toBe('refused busy');
    expect(said('read', error(401, 'AuthenticationException'), 'client')).toBe('refused client_key');
    expect(said('read', error(403, 'AccessDeniedHttpException'), 'client')).toBe('refused client_key');
  });

  test('trouble of a machine is none of the panel, and neither is a refusal; silence, pages and faults are', () => {
    const fault = (exchange: Exchange) =>
      classifyAnswer({ kind: 'write', api: 'application', right: 'servers' }, exchange).fault;
    expect(
      [
        error(504, 'DaemonConnectionException'),
        error(500, 'ConnectionException'),
        error(401, 'X'),
        error(429, 'X'),
        field('name', 'required'),
      ].map(fault),
    ).toEqual([false, false, false, false, false]);
    expect(
      [
        html(200),
        html(302),
        html(502),
        error(500, 'TypeError'),
        { kind: 'silence', why: 'timeout', sent: true } as const,
      ].map(fault),
    ).toEqual([true, true, true, true, true]);
  });
});

const FOLDER = process.env.PANEL_TRANSCRIPTS ?? join(import.meta.dir, '../../../../shared/panel/transcripts');
interface Recording {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly exchange: Exchange;
}
function text(value: unknown): string {
  return value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
}
function recording(file: string): Recording {
  const {
    name,
    request,
    response,
  }: {
    name: string;
    request: { method: string; path: string };
    response: { status: number; headers: Record<string, string>; body: unknown };
  } = JSON.parse(readFileSync(join(FOLDER, file), 'utf8'));
  return {
    name,
    ...request,
    status: response.status,
    exchange: readAnswer(response.status, new Headers(response.headers), text(response.body)),
  };
}
const RIGHTS: readonly PanelRight[] = ['servers', 'users', 'nodes', 'allocations', 'locations', 'nests', 'eggs'];
function meaning({ method, path, exchange }: Recording): string {
  const api = path.startsWith('/api/client') ? 'client' : 'application';
  const kind =
    method === 'GET'
      ? 'read'
      : method === 'POST' && /^\/api\/application\/(servers|users)(\?|$)/.test(path)
        ? 'create'
        : 'write';
  return said(kind, exchange, api, RIGHTS.find((right) => path.startsWith(`/api/application/${right}`)) ?? 'servers');
}

// The recordings stay out of the repository; the tables above hold without them.
if (existsSync(FOLDER)) {
  describe('the recorded exchanges', () => {
    const all = readdirSync(FOLDER)
      .filter((file) => /^\d+-.*\.json$/.test(file))
      .toSorted()
      .map(recording);

    test('T26 every recorded failure means what the contract says it does', () => {
      const failures = all.filter(({ status }) => status >= 300);
      expect(failures.length).toBeGreaterThan(100);
      expect(Object.fromEntries(failures.map((each) => [each.name, meaning(each)]))).toEqual(RECORDED);
    });
    test('every recorded success is one', () => {
      const successes = all.filter(({ status }) => status < 300);
      expect(successes.length).toBeGreaterThan(200);
      expect(successes.filter((each) => meaning(each) !== 'ok').map(({ name }) => name)).toEqual([]);
    });
    test('every recorded server, account and offer can be read', () => {
      const bodies = all
        .filter(({ status }) => status < 300)
        .flatMap(({ name, path, exchange }) =>
          exchange.kind === 'answer' && exchange.body !== null ? [{ name, path, body: exchange.body }] : [],
        );
      const unread = (pattern: RegExp, read: (body: unknown) => unknown, least = 5) => {
        const those = bodies.filter(({ path }) => pattern.test(path));
        return {
          some: those.length >= least,
          unread: those.filter(({ body }) => read(body) === undefined).map(({ name }) => name),
        };
      };
      expect(
        unread(/^\/api\/application\/servers(\/(\d+|external\/[^/?]+)(\/(details|build|startup))?)(\?|$)/, readServer),
      ).toEqual({ some: true, unread: [] });
      expect(unread(/^\/api\/application\/servers\?/, (body) => readServers(body) ?? readServer(body))).toEqual({
        some: true,
        unread: [],
      });
      expect(
        unread(
          /^\/api\/application\/nodes(\?(page|sort|filter)|$)/,
          (body) =>
            readNodes(body) ?? readNodes({ data: [body], meta: { pagination: { current_page: 1, total_pages: 1 } } }),
          3,
        ),
      ).toEqual({ some: true, unread: [] });
      expect(unread(/^\/api\/application\/nodes\/\d+\/allocations\?/, readAllocations('1'))).toEqual({
        some: true,
        unread: [],
      });
      expect(unread(/^\/api\/application\/locations\?(filter|include)/, readLocations, 2)).toEqual({
        some: true,
        unread: [],
      });
      expect(unread(/^\/api\/application\/nests\/\d+\/eggs\?include=variables/, readEggs, 1)).toEqual({
        some: true,
        unread: [],
      });
      expect(unread(/\/resources$/, readUsage, 3)).toEqual({ some: true, unread: [] });
      expect(unread(/^\/api\/application\/users\/(\d+|external\/[^/?]+)(\?|$)/, readUser)).toEqual({
        some: true,
        unread: [],
      });
    });
  });
}
