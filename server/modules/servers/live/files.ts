import type { LiveDeps } from './deps.ts';
import { DomainError, type ErrorCode } from '#shared/errors.ts';
import type { FileCall, FileInput, FileRefusal } from '#shared/schemas/server-files.ts';
import type { ServerEvent } from '#shared/server-codes.ts';
import type { SignedIn } from '../../kernel.ts';
import type { FileResult } from '../panel/ports.ts';
import { createHourlyEvents } from './hourly-events.ts';
import { problemOf, REFUSALS, serverFor, targetOf } from './live.ts';

const FILE_CODES = {
  absent: 'FILE_NOT_FOUND',
  exists: 'FILE_EXISTS',
  changed: 'FILE_CHANGED',
  not_text: 'FILE_NOT_TEXT',
  too_large: 'FILE_TOO_LARGE',
  disk_full: 'FILES_FULL',
  denied: 'FILE_REFUSED',
  gap: 'UPLOAD_GAP',
  bad_archive: 'ARCHIVE_UNREADABLE',
  archive_too_large: 'ARCHIVE_TOO_LARGE',
  working: 'FILES_WORKING',
} as const satisfies Record<FileRefusal, ErrorCode>;
const isKnown = (reason: string): reason is FileRefusal => Object.hasOwn(FILE_CODES, reason);

/** Calls that only read; every other one changes files. */
const READING: ReadonlySet<FileCall> = new Set(['list', 'open', 'part', 'bin']);
/** What the history of a server tells of the others; an upload and its discarding are no change of a file yet. */
const EVENTS: Partial<Record<FileCall, ServerEvent>> = {
  save: 'filesChanged',
  makeFolder: 'filesChanged',
  move: 'filesChanged',
  pack: 'filesChanged',
  unpack: 'filesChanged',
  receive: 'filesChanged',
  restore: 'filesChanged',
  delete: 'filesDeleted',
  empty: 'filesDeleted',
};

/** The code of a refusal; null for what is none. */
export const fileErrorOf = (reason: string): ErrorCode | null => (isKnown(reason) ? FILE_CODES[reason] : null);

/** Files of servers whose panel works on them here: that is this installation's node. */
export function createServerFiles(deps: Pick<LiveDeps, 'uow' | 'clock' | 'panels' | 'history'>) {
  const noteHourly = createHourlyEvents(deps);
  /**
   * Works on the files of a server. In: the call, what it takes, and the bytes that it writes. Nothing is logged of
   * what was refused: it is about the player's own names. Throws NOT_FOUND, FORBIDDEN, SERVER_SUSPENDED,
   * SERVER_NOT_READY, SERVER_BUSY, NO_GAME_PROCESS, FILES_UNAVAILABLE where its panel has none here, PANEL_UNREACHABLE,
   * and the codes of FILE_CODES.
   */
  return async <N extends FileCall>(
    ctx: SignedIn,
    id: string,
    call: N,
    input: FileInput<N>,
    bytes?: Uint8Array,
  ): Promise<FileResult<N>> => {
    const right = READING.has(call) ? 'readFiles' : 'writeFiles';
    const target = targetOf(deps, await serverFor(deps, ctx, id, right));
    if (typeof target === 'string') throw new DomainError(REFUSALS[target]);
    const files = deps.panels.find(target.panel)?.files;
    if (!files) throw new DomainError('FILES_UNAVAILABLE');
    const answer = await files(target.identifier, call, input, bytes);
    const event = EVENTS[call];
    if (event && (answer.outcome === 'ok' || answer.outcome === 'unknown')) await noteHourly(ctx, id, event);
    if (answer.outcome === 'ok') return answer.value;
    if (answer.outcome === 'refused' && isKnown(answer.reason)) throw new DomainError(FILE_CODES[answer.reason]);
    throw new DomainError(REFUSALS[problemOf(answer)]);
  };
}
