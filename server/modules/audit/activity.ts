import type { SignedIn } from '../kernel.ts';
import type { UnitOfWork } from '../tx.ts';
import type { ActivityPlace } from './ports.ts';

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
  'users.view_as',
  'users.view_as_end',
] as const;

/** Something that was done to an account. */
interface ActivityRow extends ActivityPlace {
  /** `area.verb` of the audit log. */
  readonly action: string;
  /** By the user; otherwise by staff or the system. */
  readonly own: boolean;
  /** From where; null where unknown, and where others did it: their address is not the user's business. */
  readonly address: string | null;
  readonly device: string | null;
}
export type Activity = ReturnType<typeof createActivity>;

/** What was done to a user's account, for the user (behaviour 3.8). */
export function createActivity({ uow }: { readonly uow: UnitOfWork }) {
  /** A page of the caller's activity, the newest first, and the place where the next one begins (null: none). */
  async function list(
    ctx: SignedIn,
    before: ActivityPlace | null,
  ): Promise<{ rows: ActivityRow[]; older: ActivityPlace | null }> {
    const { userId } = ctx.actor;
    const found = await uow.read((tx) => tx.audit.listActivity(userId, SHOWN, before, PAGE + 1));
    const rows = found.slice(0, PAGE).map(({ id, atMs, action, actorId, address, device }) => {
      const own = actorId === userId;
      return { id, atMs, action, own, address: own ? address : null, device: own ? device : null };
    });
    const last = rows.at(-1);
    return { rows, older: found.length > PAGE && last ? { atMs: last.atMs, id: last.id } : null };
  }

  return { list };
}
