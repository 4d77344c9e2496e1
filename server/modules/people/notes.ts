import { DomainError } from '#shared/errors.ts';
import { can } from '#shared/permissions.ts';
import { writeAudit } from '../audit/index.ts';
import { runOnce } from '../idempotency/index.ts';
import type { Clock, Ids, SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { UnitOfWork } from '../tx.ts';
import type { UserNote } from './ports.ts';

/** Notes of one user; the oldest are read no more. */
const MAX_NOTES = 200;

/** What staff note of a user for other staff (behaviour 8.3). The user never reads it. */
export function createNotes(deps: { readonly uow: UnitOfWork; readonly clock: Clock; readonly ids: Ids }) {
  const { uow, clock, ids } = deps;

  /** The notes of a user, newest first. Throws FORBIDDEN, NOT_FOUND. */
  async function list(ctx: SignedIn, userId: string): Promise<UserNote[]> {
    assertMay(ctx, 'admin.users.edit');
    return uow.read(async (tx) => {
      if (!(await tx.identity.findUser(userId))) throw new DomainError('NOT_FOUND');
      return tx.people.listNotes(userId, MAX_NOTES);
    });
  }

  /** Adds a note, once an Idempotency-Key. Throws FORBIDDEN, NOT_FOUND, CONFLICT for a deleted user. */
  function add(ctx: SignedIn, userId: string, text: string): Promise<{ id: string }> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      assertMay(ctx, 'admin.users.edit');
      const user = await tx.identity.lockUser(userId);
      if (!user) throw new DomainError('NOT_FOUND');
      if (user.status === 'deleted') throw new DomainError('CONFLICT');
      const id = ids.uuid();
      await tx.people.addNote({ id, userId, authorId: ctx.actor.userId, text, createdMs: clock.now() });
      await writeAudit(tx, deps, ctx, {
        action: 'user_notes.create',
        target: userId,
        after: { username: user.username },
      });
      return { id };
    });
  }

  /** Deletes a note: its author may, and `admin.root`. Throws NOT_FOUND, FORBIDDEN. */
  function remove(ctx: SignedIn, userId: string, noteId: string): Promise<void> {
    return uow.run(async (tx) => {
      assertMay(ctx, 'admin.users.edit');
      const note = await tx.people.findNote(noteId);
      if (!note || note.userId !== userId) throw new DomainError('NOT_FOUND');
      if (note.authorId !== ctx.actor.userId && !can(ctx.actor.permissions, 'admin.root'))
        throw new DomainError('FORBIDDEN');
      await tx.people.deleteNote(noteId);
      const username = (await tx.identity.findUser(userId))?.username;
      await writeAudit(tx, deps, ctx, { action: 'user_notes.delete', target: userId, before: { username } });
    });
  }

  return { list, add, remove };
}
export type Notes = ReturnType<typeof createNotes>;
