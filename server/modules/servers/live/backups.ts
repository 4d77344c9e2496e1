import { DomainError, type ErrorCode } from '#shared/errors.ts';
import {
  MOST_SERVER_BACKUPS,
  type ServerBackupCall,
  type ServerBackupInput,
  type ServerBackupOutput,
  type ServerBackupRefusal,
} from '#shared/schemas/server-backups.ts';
import type { ServerEvent } from '#shared/server-codes.ts';
import type { SignedIn } from '../../kernel.ts';
import type { ServerAccess } from '../core/index.ts';
import type { ServerRow } from '../core/ports.ts';
import type { LiveDeps } from './deps.ts';
import { accessTo, problemOf, REFUSALS, targetOf } from './live.ts';

const CODES = {
  absent: 'BACKUP_NOT_FOUND',
  limit: 'BACKUP_LIMIT',
  locked: 'BACKUP_LOCKED',
  running: 'SERVER_RUNNING',
} as const satisfies Record<ServerBackupRefusal, ErrorCode>;
const isKnown = (reason: string): reason is ServerBackupRefusal => Object.hasOwn(CODES, reason);
/** What the history of a server tells; what only reads is not in it. */
const EVENTS: Partial<Record<ServerBackupCall, ServerEvent>> = {
  make: 'backupMade',
  restore: 'backupRestored',
  delete: 'backupDeleted',
};

/** Backups of servers whose panel makes them here: that is this installation's node. */
export function createServerBackups(deps: Pick<LiveDeps, 'uow' | 'panels' | 'history'>) {
  /** A call that nobody answered may have been carried out: it is noted like one that was. */
  async function note(
    ctx: SignedIn,
    { server: { id }, as }: ServerAccess,
    call: ServerBackupCall,
    input: { readonly backup: string },
  ): Promise<void> {
    const event = EVENTS[call] ?? null;
    // Of staff also what its history does not tell: locking, and reading, whose later parts are the same act.
    const isNoted = event !== null || (as === 'staff' && !('from' in input && input.from !== 0));
    if (!isNoted) return;
    const after = { did: call, backup: input.backup };
    await deps.uow.run(async (tx) => {
      const server = await tx.servers.find(id);
      if (!server) return;
      const audit = { action: 'servers.backup', after, ofAll: true } as const;
      await deps.history.recordAct(tx, ctx, { server, as }, { event, audit });
    });
  }
  async function ask<N extends ServerBackupCall>(
    ctx: SignedIn,
    access: ServerAccess,
    call: N,
    input: ServerBackupInput<N>,
  ): Promise<{ readonly value: ServerBackupOutput<N>; readonly bytes: Uint8Array }> {
    const target = targetOf(deps, access.server);
    if (typeof target === 'string') throw new DomainError(REFUSALS[target]);
    const backups = deps.panels.find(target.panel)?.backups;
    if (!backups) throw new DomainError('BACKUPS_UNAVAILABLE');
    const answer = await backups(target.identifier, call, input);
    if ('backup' in input && (answer.outcome === 'ok' || answer.outcome === 'unknown'))
      await note(ctx, access, call, { ...input, backup: input.backup });
    if (answer.outcome === 'ok') return answer.value;
    if (answer.outcome === 'refused' && isKnown(answer.reason)) throw new DomainError(CODES[answer.reason]);
    throw new DomainError(REFUSALS[problemOf(answer)]);
  }
  const mostOf = (server: ServerRow) => Math.min(server.resources.backups, MOST_SERVER_BACKUPS);
  return {
    /** Backups of a server, the newest first, and how many it may have. Throws as `call` does. */
    async list(ctx: SignedIn, id: string) {
      const access = await accessTo(deps, ctx, id, 'backups');
      return { ...(await ask(ctx, access, 'list', {})).value, most: mostOf(access.server) };
    },
    /** Begins to make one. Throws as `call` does. */
    async make(ctx: SignedIn, id: string, backup: string, name: string): Promise<void> {
      const access = await accessTo(deps, ctx, id, 'backups');
      await ask(ctx, access, 'make', { backup, name, most: mostOf(access.server), rotate: false });
    },
    /**
     * Works on the backups of a server. Throws NOT_FOUND, FORBIDDEN, SERVER_SUSPENDED, SERVER_NOT_READY, SERVER_BUSY,
     * NO_GAME_PROCESS, BACKUPS_UNAVAILABLE where its panel has none here, PANEL_UNREACHABLE, and the codes of CODES.
     */
    async call<N extends 'restore' | 'lock' | 'delete' | 'part'>(
      ctx: SignedIn,
      id: string,
      call: N,
      input: ServerBackupInput<N>,
    ) {
      return ask(ctx, await accessTo(deps, ctx, id, 'backups'), call, input);
    },
  };
}
