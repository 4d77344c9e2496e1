import type { Handlers } from '#server/http/implement.types.ts';
import type { Identity } from '#server/modules/identity/index.ts';
import type { CONTRACT } from '#shared/contract/index.ts';
import { iso } from '#shared/time.ts';
import { clearSessionCookies } from './session-cookies.ts';

interface Services {
  readonly identity: Pick<Identity, 'emailChange'>;
  readonly mailing: { isConfigured(): boolean };
}

/** The address of one's own account: its change, and the links that confirm or undo that. */
export function accountEmailHandlers({
  identity: { emailChange },
  mailing,
}: Services): Handlers<typeof CONTRACT.accountEmail> {
  return {
    async get(ctx) {
      const { email, pending } = await emailChange.getState(ctx);
      return {
        email,
        pending: pending && { email: pending.email, expires_at: iso(pending.expiresMs) },
        sends_mail: mailing.isConfigured(),
      };
    },
    request: (ctx, { body }) => emailChange.request(ctx, body),
    cancel: (ctx) => emailChange.cancel(ctx),
    confirm: (ctx, { body }) => emailChange.confirm(ctx, body.token),
    async undo(ctx, { body }) {
      const userId = await emailChange.undo(ctx, body.token);
      // The undo has ended the caller's own session: the next page is a guest's.
      if (ctx.actor?.userId === userId) clearSessionCookies(ctx.cookies);
    },
  };
}
