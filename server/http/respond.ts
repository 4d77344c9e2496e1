import { safeParse, ZodMiniObject } from 'zod/mini';
import type { Endpoint } from '#shared/contract/endpoint.ts';
import { DomainError, type ErrorCode } from '#shared/errors.ts';
import type { Log } from '#server/modules/kernel.ts';
import { errorResponse } from './errors.ts';
import {
  SerializedJson,
  type CallInfo,
  type CsvAnswer,
  type DownloadAnswer,
  type FileAnswer,
  type HandlerCtx,
  type RedirectAnswer,
  type ServerEvent,
  type TextAnswer,
} from './implement.types.ts';
import { JSON_HEADERS, SECRET_HEADERS } from './security.ts';
import { eventStream } from './sse.ts';
import { textStream } from './text-stream.ts';

/** The call that a response answers. */
interface AnsweredCall {
  readonly ctx: HandlerCtx;
  readonly info: CallInfo;
  readonly request: Request;
}

/**
 * Turns a handler's output into a response in its endpoint's format. JSON holds only what the response schema names.
 * Throws ZodError where the output does not fit the schema.
 */
export function respond(endpoint: Endpoint, output: unknown, { ctx, info, request }: AnsweredCall): Response {
  switch (endpoint.format) {
    case 'events':
      info.keepOpen();
      return eventStream(endpoint.events ?? {}, output as AsyncIterable<ServerEvent>, ctx.signal);
    case 'redirect':
      return respondRedirect(output as RedirectAnswer);
    case 'csv':
      return respondCsv(output as CsvAnswer);
    case 'file':
      return respondFile(output as FileAnswer, request);
    case 'download':
      info.keepOpen();
      return respondDownload(output as DownloadAnswer);
    case 'text':
      return respondText(output as TextAnswer, request);
    default:
      return respondJson(endpoint, output, ctx);
  }
}

function respondJson(endpoint: Endpoint, output: unknown, { idempotency }: HandlerCtx): Response {
  const headers = endpoint.secret ? SECRET_HEADERS : JSON_HEADERS;
  const status = endpoint.statuses?.ok ?? 200;
  if (output instanceof SerializedJson) return new Response(output.json, { status, headers });
  const fields = endpoint.response ? toResponseFields(endpoint.response, output, idempotency?.replayed === true) : {};
  const version = endpoint.versioned && endpoint.method === 'GET' ? versionOf(fields) : null;
  return new Response(JSON.stringify({ success: true, error_code: null, ...fields }), {
    status,
    headers: version === null ? headers : { ...headers, ETag: `"${version}"` },
  });
}

/** When what an answer is about was changed last; null where it does not say. */
function versionOf(fields: object): string | null {
  for (const value of Object.values(fields) as unknown[]) {
    const at: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'updated_at') : null;
    if (typeof at === 'string') return at;
  }
  return null;
}

function respondRedirect({ to }: RedirectAnswer): Response {
  return new Response(null, { status: 302, headers: { Location: to, 'Cache-Control': 'no-store' } });
}

/**
 * The fields of a response, without any that its schema does not name. In: `replayed` for an output that was stored
 * under an Idempotency-Key: one of an earlier version may lack fields of today's schema, so the fields that fit are
 * sent. Throws ZodError for an output of now that does not fit.
 */
function toResponseFields(schema: NonNullable<Endpoint['response']>, output: unknown, replayed: boolean): object {
  const parsed = schema.safeParse(output);
  if (parsed.success) return parsed.data as object;
  if (!replayed || !(schema instanceof ZodMiniObject)) throw parsed.error;
  const stored = new Map(Object.entries(output ?? {}));
  return Object.fromEntries(
    Object.entries(schema.shape).flatMap(([name, field]) => {
      const kept = safeParse(field, stored.get(name));
      return kept.success && kept.data !== undefined ? [[name, kept.data]] : [];
    }),
  );
}

function respondCsv({ body, filename }: CsvAnswer): Response {
  return new Response(typeof body === 'string' ? `\uFEFF${body}` : textStream(body, '\uFEFF'), {
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': attachment(filename),
      'Cache-Control': 'no-store',
    },
  });
}

function respondText({ type, body, version, immutable }: TextAnswer, request: Request): Response {
  const etag = `"${version}"`;
  const headers = {
    'Content-Type': `${type}; charset=utf-8`,
    ETag: etag,
    'Cache-Control': immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
  };
  return hasVersion(request, etag) ? new Response(null, { status: 304, headers }) : new Response(body, { headers });
}

/**
 * A picture or document of a user's: nothing in it can run, whatever type a browser takes it for (attacks T42), and
 * only the requesting browser may cache it, unless it is the same for everybody.
 */
function respondFile({ type, body, version, filename, immutable, forAnySite }: FileAnswer, request: Request): Response {
  const etag = `"${version}"`;
  const headers = {
    'Content-Type': type,
    ETag: etag,
    'Cache-Control': immutable ? 'public, max-age=31536000, immutable' : 'private, no-cache',
    'Content-Disposition': filename === undefined ? 'inline' : attachment(filename),
    'Content-Security-Policy': "default-src 'none'; sandbox",
    ...(forAnySite ? { 'Cross-Origin-Resource-Policy': 'cross-origin' } : {}),
  };
  if (hasVersion(request, etag)) return new Response(null, { status: 304, headers });
  return body instanceof Blob
    ? respondBlob(body, { ...headers, 'Accept-Ranges': 'bytes' }, request)
    : new Response(body, { headers });
}

/** A part of a file as it is asked for by one range, or all of it; several ranges are not looked at (RFC 9110, 14.2). */
function respondBlob(body: Blob, headers: Record<string, string>, request: Request): Response {
  const { size } = body;
  const condition = request.headers.get('if-range');
  const isSame = condition === null || condition === headers.ETag;
  const [, from = '', to = ''] = (isSame && /^bytes=(\d*)-(\d*)$/.exec(request.headers.get('range') ?? '')) || [];
  if (from === '' && to === '') return new Response(body, { headers: { ...headers, 'Content-Length': String(size) } });
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (start > end || start >= size)
    return new Response(null, { status: 416, headers: { ...headers, 'Content-Range': `bytes */${size}` } });
  return new Response(body.slice(start, end + 1, headers['Content-Type']), {
    status: 206,
    headers: {
      ...headers,
      'Content-Range': `bytes ${start}-${end}/${size}`,
      'Content-Length': String(end + 1 - start),
    },
  });
}

function respondDownload({ body, bytes, filename }: DownloadAnswer): Response {
  return new Response(body, {
    headers: {
      'Content-Type': 'application/octet-stream',
      'Content-Length': String(bytes),
      'Content-Disposition': attachment(filename),
      'Cache-Control': 'no-store',
      'Content-Security-Policy': "default-src 'none'; sandbox",
    },
  });
}

/**
 * The header of a file that is saved under a name (attacks T43): in the plain field only letters, digits and `._-`, and
 * whole in the one that is percent-encoded (RFC 6266, RFC 8187), so that no name leaves its place.
 */
function attachment(filename: string): string {
  const plain = filename.replaceAll(/[^A-Za-z0-9._-]/g, '_');
  const whole = encodeURIComponent(filename.toWellFormed().replaceAll(/\p{Cc}/gu, '_')).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"${plain === filename ? '' : `; filename*=UTF-8''${whole}`}`;
}

/** Whether the caller has this version already. */
function hasVersion(request: Request, etag: string): boolean {
  // A proxy that compresses marks the ETag as weak.
  return (request.headers.get('if-none-match') ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

/** Adds `Set-Cookie` lines to a response. Out: the same response. */
export function withCookies(response: Response, lines: readonly string[]): Response {
  for (const line of lines) response.headers.append('Set-Cookie', line);
  return response;
}

/**
 * The response to a thrown error: its code if it is a DomainError, SERVER_ERROR with only a request id otherwise.
 * `words`: what codes say, where the answer says that as well.
 */
export function toErrorResponse(
  log: Log,
  error: unknown,
  info: CallInfo,
  endpoint?: { readonly name: string; readonly statuses?: Endpoint['statuses'] },
  words?: (code: ErrorCode) => string,
): Response {
  if (error instanceof DomainError) {
    // For the session endpoint a session that has ended is a result, not a failed call (specification, section 4).
    const isEnded = endpoint?.name === 'session.get' && error.code !== 'SERVER_UNAVAILABLE';
    const status = isEnded ? 200 : endpoint?.statuses?.[error.code];
    return errorResponse(error.code, info.requestId, error, status, words?.(error.code));
  }
  if (error instanceof DOMException && error.name === 'AbortError') return errorResponse('BAD_REQUEST', info.requestId);
  log.error('api.failed', {
    request_id: info.requestId,
    endpoint: endpoint?.name,
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
  return errorResponse('SERVER_ERROR', info.requestId, undefined, undefined, words?.('SERVER_ERROR'));
}
