import type { Handlers } from '#server/http/implement.types.ts';
import type { Activity } from '#server/modules/audit/index.ts';
import type { Mailbox } from '#server/modules/mailing/index.ts';
import type { CONTRACT } from '#shared/contract/index.ts';
import { PAST_CURSOR } from '#shared/past-cursor.ts';
import { iso } from '#shared/time.ts';

interface Services {
  readonly activity: Activity;
  readonly mailbox: Mailbox;
}

/** What happened to an account, and the e-mails to its user. */
export function accountActivityHandlers({ activity, mailbox }: Services): Handlers<typeof CONTRACT.accountActivity> {
  return {
    async activity(ctx, { query }) {
      const cursor = parseCursor(query.before);
      const { rows, older } = await activity.list(ctx, cursor && { atMs: cursor.ms, id: cursor.id });
      return {
        rows: rows.map(({ id, atMs, action, own, address, device }) => ({
          id,
          at: iso(atMs),
          action,
          own,
          address,
          device,
        })),
        older: older && `${older.atMs}.${older.id}`,
      };
    },
    async mails(ctx, { query }) {
      const cursor = parseCursor(query.before);
      const { rows, older } = await mailbox.list(ctx, cursor && { createdMs: cursor.ms, id: cursor.id });
      return {
        rows: rows.map(({ id, createdMs, address, state, subject, text }) => ({
          id,
          at: iso(createdMs),
          address,
          state,
          subject,
          text,
        })),
        older: older && `${older.createdMs}.${older.id}`,
      };
    },
  };
}

/** Parses the cursor of a query; null where it is absent or malformed. */
export function parseCursor(text: string | undefined): { ms: number; id: string } | null {
  const [, ms, id] = PAST_CURSOR.exec(text ?? '') ?? [];
  return ms !== undefined && id !== undefined ? { ms: Number(ms), id } : null;
}
