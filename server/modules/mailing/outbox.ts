import { DomainError } from '#shared/errors.ts';
import type { MailState } from '#shared/mails.ts';
import { can } from '#shared/permissions.ts';
import { DAY } from '#shared/time.ts';
import { writeAudit } from '../audit/index.ts';
import { runOnce } from '../idempotency/index.ts';
import type { Clock, Ids, SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { LongReads, Tx, UnitOfWork } from '../tx.ts';
import { enqueueMail } from './delivery.ts';
import { withoutTokens } from './job.ts';
import { PROOFS } from './mailbox.ts';
import type { MailCursor, OutboxQuery, StoredMail } from './ports.ts';
import { toPreview, type MailPreview } from './preview.ts';
import type { Mailing } from './service.ts';

/** Rows of a page. */
const PAGE = 50;
/** Over how long the figures above the list count. */
const COUNTED_MS = 7 * DAY;
/** From where a mail may be sent again. */
const RESENDABLE: readonly MailState[] = ['failed', 'unknown', 'cancelled', 'kept'];
/** What is left of a link whose token was taken out (`withoutTokens`). */
const EMPTIED_LINK = /[?&;](?:token|setup)=…/;

/** A mail as staff see it in the outbox. */
export interface OutboxMail extends Omit<StoredMail, 'text' | 'html' | 'subject'> {
  readonly username: string | null;
  /** Null where it would show a code that only the mailbox may show, or a ticket; so is what stands in it. */
  readonly subject: string | null;
  readonly canCancel: boolean;
  readonly canResend: boolean;
}
interface Deps {
  readonly uow: UnitOfWork;
  readonly long: LongReads;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly mailing: Pick<Mailing, 'isConfigured'>;
}
export type Outbox = ReturnType<typeof createOutbox>;

/** The outbox for staff: the fate of each mail, and what can be done about it (behaviour 8.5). */
export function createOutbox(deps: Deps) {
  const { uow, long, clock, mailing } = deps;

  /**
   * A page of the mails of everybody, the newest first, where the next one begins, and how many of the last seven days
   * wait, failed or were not confirmed. Throws FORBIDDEN.
   */
  async function list(ctx: SignedIn, query: OutboxQuery, before: MailCursor | null) {
    assertMay(ctx, 'admin.mails.list');
    const sinceMs = clock.now() - COUNTED_MS;
    const ask = async (tx: Tx) => {
      const found = await tx.mail.listOutbox(query, before, PAGE + 1);
      const last = found.slice(0, PAGE).at(-1);
      const rows: OutboxMail[] = [];
      for (const mail of found.slice(0, PAGE)) rows.push(await toRow(tx, ctx, mail, mailing.isConfigured()));
      const count = (state: MailState) => tx.mail.count(state, sinceMs);
      return {
        rows,
        older: found.length > PAGE && last ? { createdMs: last.createdMs, id: last.id } : null,
        counts: {
          waiting: (await count('queued')) + (await count('sending')),
          sent: await count('sent'),
          failed: await count('failed'),
          unknown: await count('unknown'),
          kept: await count('kept'),
        },
      };
    };
    // Counted over a week, and searched: away from the thread that answers everybody.
    return long.read(ask, { for: 'visitor' });
  }

  /** One mail with what stands in it, links without what opens them. Throws FORBIDDEN, NOT_FOUND. */
  async function get(ctx: SignedIn, id: string): Promise<OutboxMail & { readonly preview: MailPreview | null }> {
    assertMay(ctx, 'admin.mails.list');
    return uow.read(async (tx) => {
      const mail = await tx.mail.find(id);
      if (!mail) throw new DomainError('NOT_FOUND');
      const row = await toRow(tx, ctx, mail, mailing.isConfigured());
      const { subject } = row;
      if (subject === null) return { ...row, preview: null };
      // Without a mail server the outbox is the mailbox, whose owner reads it whole (behaviour 8.5).
      const isMailbox = mail.state === 'kept' && can(ctx.actor.permissions, 'admin.root');
      const shown = isMailbox ? (body: string) => body : withoutTokens;
      return {
        ...row,
        preview: toPreview({ subject, text: shown(mail.text), html: shown(mail.html) }, mail.address),
      };
    });
  }

  /** Takes back a mail that waits. Throws FORBIDDEN, NOT_FOUND; MAIL_NOT_WAITING where it is on its way or over. */
  function cancel(ctx: SignedIn, id: string): Promise<Record<string, never>> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      assertMay(ctx, 'admin.mails.edit');
      const mail = await tx.mail.find(id);
      if (!mail) throw new DomainError('NOT_FOUND');
      if (!(await tx.mail.move(id, ['queued'], 'cancelled'))) throw new DomainError('MAIL_NOT_WAITING');
      await tx.mail.replaceBodies(id, withoutTokens(mail.text), withoutTokens(mail.html));
      await writeAudit(tx, deps, ctx, { action: 'mails.cancel', target: id, before: toAuditFacts(mail) });
      tx.touch('mail');
      return {};
    });
  }

  /**
   * Sends a mail again that did not arrive, with the same Message-ID. Throws FORBIDDEN, NOT_FOUND; MAIL_NOT_RESENDABLE
   * for one that left, that waits, or whose link works no more.
   */
  function resend(ctx: SignedIn, id: string): Promise<Record<string, never>> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      assertMay(ctx, 'admin.mails.edit');
      const mail = await tx.mail.find(id);
      if (!mail) throw new DomainError('NOT_FOUND');
      if (!(await requeue(tx, deps, ctx, mail))) throw new DomainError('MAIL_NOT_RESENDABLE');
      return {};
    });
  }

  /** The same of several, as after an outage of the mail server. Out: how many, and of how many it was refused. */
  function resendMany(ctx: SignedIn, mailIds: readonly string[]): Promise<{ done: number; refused: number }> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      assertMay(ctx, 'admin.mails.edit');
      const ids = new Set(mailIds);
      let done = 0;
      for (const id of ids) {
        const mail = await tx.mail.find(id);
        if (mail && (await requeue(tx, deps, ctx, mail))) done += 1;
      }
      return { done, refused: ids.size - done };
    });
  }

  return { list, get, cancel, resend, resendMany };
}

/** Has a mail sent again; false where it cannot be. */
async function requeue(tx: Tx, deps: Deps, ctx: SignedIn, mail: StoredMail): Promise<boolean> {
  const { id } = mail;
  if (!deps.mailing.isConfigured() || !isResendable(mail) || !(await tx.mail.move(id, RESENDABLE, 'queued')))
    return false;
  const fate = { state: 'queued', attempts: 0, error: null, sentMs: null, replyCode: null, bounced: false } as const;
  await tx.mail.setFate(id, fate);
  await enqueueMail(tx, deps, id);
  await writeAudit(tx, deps, ctx, { action: 'mails.resend', target: id, before: toAuditFacts(mail) });
  tx.touch('mail');
  return true;
}

/** What the audit log keeps of a mail. */
const toAuditFacts = ({ template, address, state }: StoredMail) => ({ template, address, state });

/** Whether a mail did not arrive for sure, and everything in it still works. */
const isResendable = ({ state, text }: StoredMail): boolean => RESENDABLE.includes(state) && !EMPTIED_LINK.test(text);

/** A mail as a member of staff may see it. `sendsMail`: there is a mail server. */
async function toRow(tx: Tx, { actor }: SignedIn, mail: StoredMail, sendsMail: boolean): Promise<OutboxMail> {
  const { text: _text, html: _html, ...rest } = mail;
  const user = mail.userId === null ? null : await tx.identity.findUser(mail.userId);
  const isProof = PROOFS.has(mail.template) && !(mail.state === 'kept' && can(actor.permissions, 'admin.root'));
  // What stands in a ticket is for those who may read tickets (attacks T59).
  const isHidden = isProof || (mail.ticketId !== null && !can(actor.permissions, 'admin.tickets.view'));
  const mayEdit = can(actor.permissions, 'admin.mails.edit');
  return {
    ...rest,
    username: user?.username ?? null,
    subject: isHidden ? null : mail.subject,
    canCancel: mayEdit && mail.state === 'queued',
    canResend: mayEdit && sendsMail && isResendable(mail),
  };
}
