import type { SignedIn } from '../kernel.ts';
import type { UnitOfWork } from '../tx.ts';
import { withoutTokens } from './job.ts';
import type { MailCursor, MailOrigin, StoredMail } from './ports.ts';

/** Mails of a page. */
const PAGE = 25;
/** What proves that somebody reads the mailbox itself: it is shown nowhere else. */
export const PROOFS: ReadonlySet<MailOrigin> = new Set(['panelAccount']);

/** A mail as its receiver reads it again: without what opens anything. `text` null: it was a code. */
interface MailboxRow extends Pick<StoredMail, 'id' | 'address' | 'state' | 'createdMs' | 'template'> {
  readonly subject: string | null;
  readonly text: string | null;
}
export type Mailbox = ReturnType<typeof createMailbox>;

/** The mails that were written to a user, for the user (behaviour 3.8). */
export function createMailbox({ uow }: { readonly uow: UnitOfWork }) {
  /**
   * A page of the mails to the caller, the newest first, and the cursor of the next one (null: none). Links in them
   * have no token: a session proves less than the mailbox does (attacks T35).
   */
  async function list(
    ctx: SignedIn,
    before: MailCursor | null,
  ): Promise<{ rows: MailboxRow[]; older: MailCursor | null }> {
    const found = await uow.read((tx) => tx.mail.listOf(ctx.actor.userId, before, PAGE + 1));
    const rows = found.slice(0, PAGE).map(({ id, address, state, createdMs, template, subject, text }) => {
      const proof = PROOFS.has(template);
      return {
        id,
        address,
        state,
        createdMs,
        template,
        subject: proof ? null : subject,
        text: proof ? null : withoutTokens(text),
      };
    });
    const last = rows.at(-1);
    return { rows, older: found.length > PAGE && last ? { createdMs: last.createdMs, id: last.id } : null };
  }

  return { list };
}
