import type { LiveDeps } from './deps.ts';
import { DomainError, type ErrorCode } from '#shared/errors.ts';
import type { FileCall, FileInput, FileRefusal } from '#shared/schemas/server-files.ts';
import type { ServerEvent } from '#shared/server-codes.ts';
import type { SignedIn } from '../../kernel.ts';
import type { FileResult } from '../panel/ports.ts';
import type { ServerAccess } from '../core/index.ts';
import type { ActNotes } from './act-notes.ts';
import { accessTo, problemOf, REFUSALS, targetOf } from './live.ts';

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

/** Paths of one call that the audit log names at most. */
const MOST_NAMED = 20;
const SUBJECTS = ['path', 'paths', 'from', 'to', 'ids'];
/** What a call is about, for the audit log: paths, not what is in the files. */
function subjectOf(input: object): Record<string, unknown> {
  const named = Object.entries(input).filter(([key, value]) => SUBJECTS.includes(key) && typeof value !== 'number');
  return Object.fromEntries(
    named.map(([key, value]: [string, unknown]) => [key, Array.isArray(value) ? value.slice(0, MOST_NAMED) : value]),
  );
}
/** Whether a call begins to read a file; its further parts do not. */
const isBegunReading = (call: FileCall, input: object): boolean =>
  call === 'open' || (call === 'part' && 'from' in input && input.from === 0);

/** The code of a refusal; null for what is none. */
export const fileErrorOf = (reason: string): ErrorCode | null => (isKnown(reason) ? FILE_CODES[reason] : null);

/** Files of servers whose panel works on them here: that is this installation's node. */
export function createServerFiles(deps: Pick<LiveDeps, 'uow' | 'panels'> & { readonly notes: ActNotes }) {
  /** A call that nobody answered may have been carried out: it is noted like one that was. */
  async function note(ctx: SignedIn, access: ServerAccess, call: FileCall, input: object): Promise<void> {
    // Parts of an upload after its first are the same act.
    if (access.as === 'staff' && 'at' in input && input.at !== 0) return;
    const isRead = access.as === 'staff' && isBegunReading(call, input);
    const event = isRead ? 'opened' : (EVENTS[call] ?? null);
    if (event !== null)
      await deps.notes.worked(ctx, access, {
        event,
        audit: { action: 'servers.files', after: { did: call, ...subjectOf(input) } },
      });
  }
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
    const access = await accessTo(deps, ctx, id, right);
    const target = targetOf(deps, access.server);
    if (typeof target === 'string') throw new DomainError(REFUSALS[target]);
    const files = deps.panels.find(target.panel)?.files;
    if (!files) throw new DomainError('FILES_UNAVAILABLE');
    const answer = await files(target.identifier, call, input, bytes);
    if (answer.outcome === 'ok' || answer.outcome === 'unknown') await note(ctx, access, call, input);
    if (answer.outcome === 'ok') return answer.value;
    if (answer.outcome === 'refused' && isKnown(answer.reason)) throw new DomainError(FILE_CODES[answer.reason]);
    throw new DomainError(REFUSALS[problemOf(answer)]);
  };
}
