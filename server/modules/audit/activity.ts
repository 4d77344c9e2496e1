import { DomainError } from '#shared/errors.ts';
import type { SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { LongReads, UnitOfWork } from '../tx.ts';
import type { ActivityCursor } from './ports.ts';
import { nameInAudit, readableAreas } from './readers.ts';

/** Rows of a page. */
const PAGE = 25;

/** What staff did that its user is shown; notes and look-ups of support are their own (attacks T59). */
const SHOWN = [
  'users.create',
  'users.ban',
  'users.unban',
  'users.role',
  'users.sessions_end',
  'users.adjust',
  'users.profile',
  'users.username',
  'users.two_factor_off',
  'users.passkey_remove',
  'users.unlink',
  'users.limits',
  'users.view_as',
  'users.view_as_end',
] as const;

/** Something that was done to an account. */
interface ActivityRow extends ActivityCursor {
  /** `area.verb` of the audit log. */
  readonly action: string;
  /** By the user; otherwise by staff or the system. */
  readonly own: boolean;
  /** From where; null where unknown, and where others did it: their address is not the user's business. */
  readonly address: string | null;
  readonly device: string | null;
}
/** The same for staff: with who did it, and from where. */
interface StaffActivityRow extends ActivityRow {
  /** Username; null: the system, the command line, or an account that is gone. */
  readonly by: string | null;
  /** What it was done to, by name where it has one. */
  readonly target: string | null;
}
export type Activity = ReturnType<typeof createActivity>;

/** What was done to a user's account, for the user (behaviour 3.8). */
export function createActivity({ uow, long }: { readonly uow: UnitOfWork; readonly long: LongReads }) {
  /** A page of the caller's activity, the newest first, and the cursor of the next one (null: none). */
  async function list(
    ctx: SignedIn,
    before: ActivityCursor | null,
  ): Promise<{ rows: ActivityRow[]; older: ActivityCursor | null }> {
    const { userId } = ctx.actor;
    // Of staff, most of what they did is not of their account.
    const found = await long.read((tx) => tx.audit.listActivity(userId, SHOWN, before, PAGE + 1), { for: 'visitor' });
    const rows = found.slice(0, PAGE).map(({ id, atMs, action, actorId, address, device }) => {
      const own = actorId === userId;
      return { id, atMs, action, own, address: own ? address : null, device: own ? device : null };
    });
    const last = rows.at(-1);
    return { rows, older: found.length > PAGE && last ? { atMs: last.atMs, id: last.id } : null };
  }

  /**
   * A page of a user's activity for staff: of the user's account, and of every area that the caller may read. Throws
   * FORBIDDEN, NOT_FOUND.
   */
  async function listOf(
    ctx: SignedIn,
    userId: string,
    before: ActivityCursor | null,
  ): Promise<{ rows: StaffActivityRow[]; older: ActivityCursor | null }> {
    assertMay(ctx, 'admin.users.edit');
    const readable = readableAreas(ctx.actor.permissions);
    const areas = readable && ['account', ...readable];
    return uow.read(async (tx) => {
      if (!(await tx.identity.findUser(userId))) throw new DomainError('NOT_FOUND');
      const found = await tx.audit.listAreaActivity(userId, areas, before, PAGE + 1);
      const names = await tx.people.names(found.flatMap(({ actorId }) => (actorId === null ? [] : [actorId])));
      const rows = found.slice(0, PAGE).map((entry) => ({
        id: entry.id,
        atMs: entry.atMs,
        action: entry.action,
        own: entry.actorId === userId,
        by: entry.actorId === null ? null : (names.get(entry.actorId) ?? null),
        target: nameInAudit(entry) ?? entry.target,
        address: entry.address,
        device: entry.device,
      }));
      const last = rows.at(-1);
      return { rows, older: found.length > PAGE && last ? { atMs: last.atMs, id: last.id } : null };
    });
  }

  return { list, listOf };
}
