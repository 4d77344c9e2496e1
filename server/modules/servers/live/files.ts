import type { LiveDeps } from './deps.ts';
import { DomainError, type ErrorCode } from '#shared/errors.ts';
import type { FileCall, FileInput, FileRefusal } from '#shared/schemas/server-files.ts';
import type { SignedIn } from '../../kernel.ts';
import type { FileResult } from '../panel/ports.ts';
import { ownServer, problemOf, REFUSALS, targetOf } from './live.ts';

const FILE_CODES = {
  absent: 'FILE_NOT_FOUND',
  exists: 'FILE_EXISTS',
  changed: 'FILE_CHANGED',
  not_text: 'FILE_NOT_TEXT',
  too_large: 'FILE_TOO_LARGE',
  disk_full: 'FILES_FULL',
  denied: 'FILE_REFUSED',
  gap: 'UPLOAD_GAP',
} as const satisfies Record<FileRefusal, ErrorCode>;
const isKnown = (reason: string): reason is FileRefusal => Object.hasOwn(FILE_CODES, reason);

/** Files of servers whose panel works on them here: that is this installation's node. */
export function createServerFiles(deps: Pick<LiveDeps, 'uow' | 'panels'>) {
  /**
   * Works on the files of a server of the caller's. In: the call, what it takes, and the bytes that it writes. Nothing
   * is logged of what was refused: it is about the player's own names. Throws NOT_FOUND, SERVER_SUSPENDED,
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
    const target = targetOf(deps, await ownServer(deps, ctx, id));
    if (typeof target === 'string') throw new DomainError(REFUSALS[target]);
    const files = deps.panels.find(target.panel)?.files;
    if (!files) throw new DomainError('FILES_UNAVAILABLE');
    const answer = await files(target.identifier, call, input, bytes);
    if (answer.outcome === 'ok') return answer.value;
    if (answer.outcome === 'refused' && isKnown(answer.reason)) throw new DomainError(FILE_CODES[answer.reason]);
    throw new DomainError(REFUSALS[problemOf(answer)]);
  };
}
