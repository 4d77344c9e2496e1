import { redirect } from 'react-router';
import { STORAGE } from '#shared/constants.ts';
import type { Flags } from '#shared/flags.ts';
import { decide } from '#shared/guard.ts';
import { href } from '#shared/routes/href.ts';
import type { RouteId, RouteRow } from '#shared/routes/table.ts';
import { takeTarget } from '#client/lib/redirect-target.ts';
import type { SessionStore } from './session-store.ts';

export interface GuardDeps {
  readonly session: SessionStore;
  readonly flags: Flags;
  /** The Access Denied dialog of the specification, section 8. */
  readonly sayDenied: () => Promise<void>;
}

/** The navigation guard of the browser: the same decision as on the server, with the presence cookies (specification, section 2). */
export function createGuard({ session, flags, sayDenied }: GuardDeps): (row: RouteRow & { id: RouteId }, request: Request) => Promise<void> {
  return async (row, request) => {
    const present = session.present();
    // A log-in or log-out happened since the last answer: the permissions are asked for before they are used.
    if (present !== (session.get() !== null)) await session.refresh();
    const decision = decide(row, { signedIn: session.present(), permissions: session.permissions() }, flags);
    if (decision === 'allow') return;
    const url = new URL(request.url);
    if (decision === 'login') {
      localStorage.setItem(STORAGE.redirect, url.pathname + url.search);
      throw redirect(href('auth.login'));
    }
    if (decision === 'home') throw redirect(takeTarget(request));
    if (decision === 'forbidden') {
      await sayDenied();
      throw redirect(href('errors.403'));
    }
    throw new Response(null, { status: 404 });
  };
}
