import type { Accepted } from './accepted.types.ts';

const QUERY = 'return start < 0 ? {} : Object.fromEntries(new URLSearchParams(url.slice(start + 1)));';
const DECLARED = 'if (declared > 0) return new Uint8Array(await request.arrayBuffer());';
const EMPTY = 'if (!request.body) return new Uint8Array();';
const KEPT = 'return kept.success && kept.data !== undefined ? [[name, kept.data]] : [];';
const FORBIDDEN =
  "if (endpoint.access !== 'signed-in' && !can(actor.permissions, endpoint.access)) throw new DomainError('FORBIDDEN');";
const UNVERIFIED = "if (endpoint.verified && !actor.verified) throw new DomainError('ACCOUNT_UNVERIFIED');";
const HEADER_PARTS = "for (const part of accepted.slice(0, 500).split(',')) {";
const CODEC_DATA = "codec.on('data', (bytes: Uint8Array) => encodedParts.push(bytes));";
const CODEC_ERROR_NOTE = '// Whoever awaits the codec gets the error; without a listener it would end the process.';
const CODEC_ERROR = "codec.on('error', () => undefined);";
const HEALTHZ = "if (path === '/healthz') return textResponse('ok');";
const ROBOTS_TXT =
  "if (path === '/robots.txt') return textResponse(deps.page ? ROBOTS : 'User-agent: *\\nDisallow: /');";
const READYZ =
  "if (path === '/readyz') return (await deps.ready()) ? textResponse('ready') : textResponse('not ready', 503);";
const NO_PAGES = "if (!deps.page) throw new DomainError('NOT_FOUND');";
const NO_SUCH_METHOD = "if (!isRead && request.method !== 'POST') throw new DomainError('METHOD_NOT_ALLOWED');";
const REQUEST_ID = "headers.set('x-request-id', caller.requestId);";
const FORWARDED_FOR = "headers.set('x-forwarded-for', caller.address);";
const LANGUAGE = "headers.set('accept-language', LOCALE_INFO[caller.locale].lang);";
const READ_TIMEOUT =
  'const timeoutMs = !isRead ? callMs : visitor.page ? Math.max(0, deadline - performance.now()) : readMs;';
const READY_WITHIN = 'const signal = AbortSignal.timeout(2_000);';
const TOO_LARGE = "controller.error(new DomainError('PAYLOAD_TOO_LARGE'));";
const CANCEL_READER = 'await reader.cancel();';
const LOG_LEVELS =
  'const LEVELS = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 } as const satisfies Record<LogLevel, number>;';
const AT_ONCE = "if (name === 'error' || buffer.length > 32_768) flush();";
const LATER = 'else timer ??= setTimeout(flush, 50);';

export const HTTP: readonly Accepted[] = [
  {
    file: 'server/http/app.ts',
    within: 'route',
    changes: [
      [`${HEALTHZ} ${ROBOTS_TXT}`, `${ROBOTS_TXT} ${HEALTHZ}`],
      [`${ROBOTS_TXT} ${READYZ}`, `${READYZ} ${ROBOTS_TXT}`],
      [`${NO_PAGES} ${NO_SUCH_METHOD}`, `${NO_SUCH_METHOD} ${NO_PAGES}`],
    ],
    because: 'A path is one of them; and without pages either refusal is true.',
  },
  {
    file: 'server/http/transport.ts',
    within: '',
    changes: [
      ['const CALL_TIMEOUT_MS = 15_000;', 'const CALL_TIMEOUT_MS = 15001;'],
      ['export const READ_TIMEOUT_MS = 2_500;', 'export const READ_TIMEOUT_MS = 2501;'],
    ],
    because: 'Nobody notices a millisecond more.',
  },
  {
    file: 'server/http/transport.ts',
    within: 'ready',
    changes: [[READY_WITHIN, READY_WITHIN.replace('2_000', '2001')]],
    because: 'Nobody notices a millisecond more.',
  },
  {
    file: 'server/http/transport.ts',
    within: 'sender',
    changes: [
      [`${REQUEST_ID} ${FORWARDED_FOR}`, `${FORWARDED_FOR} ${REQUEST_ID}`],
      [`${FORWARDED_FOR} ${LANGUAGE}`, `${LANGUAGE} ${FORWARDED_FOR}`],
    ],
    because: 'Headers have no order.',
  },
  {
    file: 'server/http/transport.ts',
    within: 'fetcher',
    changes: [[READ_TIMEOUT, READ_TIMEOUT.replace('0,', '1,')]],
    because: 'Nothing is left of the time either way.',
  },
  {
    file: 'server/http/transport.ts',
    within: 'pull',
    changes: [[`${TOO_LARGE} ${CANCEL_READER}`, `${CANCEL_READER} ${TOO_LARGE}`]],
    because: 'Both happen, and nobody waits for the end of either.',
  },
  {
    file: 'server/http/compress.ts',
    within: 'chooseCoding',
    changes: [[HEADER_PARTS, HEADER_PARTS.replace('500', '501')]],
    because: 'Only that the header is not read without end matters.',
  },
  {
    file: 'server/http/compress.ts',
    within: 'encodeStream',
    changes: [
      [`${CODEC_DATA} ${CODEC_ERROR_NOTE} ${CODEC_ERROR}`, `${CODEC_ERROR} ${CODEC_ERROR_NOTE} ${CODEC_DATA}`],
      [CODEC_ERROR, 'codec;'],
      [CODEC_ERROR, ';'],
    ],
    because:
      'They listen to different events; and a codec fails only after it was destroyed, which is the second wall.',
  },
  {
    file: 'server/http/compress.ts',
    within: 'pull',
    changes: [
      ['if (codec.destroyed) return;', ';'],
      ['codec.destroy();', ';'],
    ],
    because: 'A stream that was cancelled or failed takes no part; this saves the attempt, and frees the codec sooner.',
  },
  {
    file: 'server/http/compress.ts',
    within: 'cancel',
    changes: [['codec.destroy();', ';']],
    because: 'The codec goes with the stream; this frees it sooner.',
  },
  {
    file: 'server/http/log.ts',
    within: '',
    changes: [[LOG_LEVELS, LOG_LEVELS.replace('4', '5')]],
    because: 'Only the order of the levels counts, and nothing is logged at the last.',
  },
  {
    file: 'server/http/log.ts',
    within: 'line',
    changes: [
      [AT_ONCE, AT_ONCE.replace('>', '>=')],
      [AT_ONCE, AT_ONCE.replace('32_768', '32769')],
      [LATER, LATER.replace('50', '51')],
    ],
    because: 'A character or a millisecond more before lines are written changes nothing that anybody notices.',
  },
  {
    file: 'server/http/authorize.ts',
    within: 'requireAccess',
    changes: [[`${FORBIDDEN} ${UNVERIFIED}`, `${UNVERIFIED} ${FORBIDDEN}`]],
    because: 'No endpoint asks for a permission of staff and for a verified address (tests/specification/access.ts).',
  },
  {
    file: 'server/http/input.ts',
    within: 'parseQuery',
    changes: [
      [QUERY, QUERY.replace('< 0', '<= 0')],
      [QUERY, QUERY.replace('< 0', '< 1')],
    ],
    because: 'The address of a request begins with its protocol, so that no question mark is its first sign.',
  },
  {
    file: 'server/http/peer.ts',
    within: 'addressKey',
    changes: [["if (!address.includes(':')) return address;", ';']],
    because: 'An IPv4 address is written again as it was, only not as quickly.',
  },
  {
    file: 'server/http/body.ts',
    within: 'readBytes',
    changes: [[`${DECLARED} ${EMPTY}`, `${EMPTY} ${DECLARED}`]],
    because: 'A request whose length is declared has a body.',
  },
  {
    file: 'server/http/respond.ts',
    within: 'toResponseFields',
    changes: [[KEPT, KEPT.replace('&&', '||')]],
    because: 'What does not fit has no data, and JSON leaves out a field without a value.',
  },
  {
    file: 'server/http/sse.ts',
    within: 'stop',
    changes: [['if (!open) return;', ';']],
    because: 'Who ends a stream takes the other ways to end it away; this is the second wall.',
  },
  {
    file: 'server/http/sse.ts',
    within: 'pull',
    changes: [['if (!open) return;', ';']],
    because: 'A stream that has ended takes no event; this saves the attempt.',
  },
];
