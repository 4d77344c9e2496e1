import { redirect } from 'react-router';
import { SECOND_FACTOR_PATH } from '#shared/constants.ts';
import type { ApiError } from '#shared/contract/client.ts';
import type { FeatureSwitch } from '#shared/earning-sources.ts';
import { decideAccess, secondFactorDetour } from '#shared/guard.ts';
import { href } from '#shared/routes/href.ts';
import type { Route } from '#shared/routes/row.ts';
import type { RouteId } from '#shared/routes/table.ts';
import { saveTarget, consumeTarget } from '#client/lib/redirect-target.ts';
import type { SessionStore } from './session-store.ts';

export interface GuardDeps {
  readonly session: Pick<
    SessionStore,
    'get' | 'state' | 'isPresent' | 'permissions' | 'refresh' | 'forceRefresh' | 'disown'
  >;
  /** Flags and the other switches of features. */
  readonly flags: Readonly<Partial<Record<FeatureSwitch, unknown>>>;
  /** The Access Denied dialog of the specification, section 8. */
  readonly showAccessDenied: () => Promise<void>;
}

export interface Guard {
  /** Runs before a loader or an action. Throws a redirect, or 404 for a feature that is off. */
  authorizeRoute(row: Route<RouteId>, request: Request): Promise<void>;
  /**
   * Handles an API error of a loader or an action. Throws a redirect if the error catalogue has one; otherwise returns,
   * and the page shows the error.
   */
  handleRefusal(error: ApiError, request: Request): Promise<void>;
}

/**
 * The navigation guard of the browser: the same decision as on the server, with the presence cookies (specification,
 * section 2), and the handling of the server's refusals. SERVER_UNAVAILABLE is not one of them: a part may be down
 * while the session lives, so the page offers another try.
 */
export function createGuard({ session, flags, showAccessDenied }: GuardDeps): Guard {
  let dialog: Promise<void> | null = null;
  const deny = async (): Promise<never> => {
    await (dialog ??= showAccessDenied().finally(() => (dialog = null)));
    throw redirect(href('errors.403'));
  };
  const toLogin = (request: Request): never => {
    const { pathname, search, hash } = new URL(request.url);
    saveTarget(pathname + search + hash);
    throw redirect(href('auth.login'));
  };

  const redirectToStep = (where: ReturnType<typeof secondFactorDetour>, request: Request): void => {
    if (where === null) return;
    const { pathname, search, hash } = new URL(request.url);
    saveTarget(pathname + search + hash);
    throw redirect(where === 'factor' ? SECOND_FACTOR_PATH : href('auth.factorSetup'));
  };

  /**
   * Whether a visitor whose session waits for its second factor may see the route as a guest. Redirects to the missing
   * step of the log-in otherwise.
   */
  const passesAsGuest = (row: Route<RouteId>, request: Request): boolean => {
    const waiting = session.state() === 'blocked';
    redirectToStep(secondFactorDetour(row, waiting, session.get()?.user_info.second_factor), request);
    return waiting && row.guard === 'guest-only';
  };

  return {
    async authorizeRoute(row, request) {
      // Another tab may have passed it in the meantime.
      if (session.state() === 'blocked') await session.refresh();
      if (passesAsGuest(row, request)) return;
      const decideRow = () =>
        decideAccess(row, { signedIn: session.isPresent(), permissions: session.permissions() }, flags);
      let decision = decideRow();
      if (session.isPresent() !== (session.get() !== null)) {
        // A log-in or log-out that this page does not know of yet. Cached permissions suffice to allow; before
        // refusing, the server is asked.
        const asked = session.refresh();
        if (decision !== 'allow') {
          await asked;
          if (passesAsGuest(row, request)) return;
          decision = decideRow();
        }
      }
      if (decision === 'login') toLogin(request);
      if (decision === 'home') throw redirect(consumeTarget(request));
      if (decision === 'forbidden') await deny();
      if (decision === 'hidden') throw new Response(null, { status: 404 });
    },

    async handleRefusal({ code, status }, request) {
      if (code === 'TW0_FA_BLOCKED') redirectToStep('factor', request);
      if (code === 'TWO_FACTOR_REQUIRED') {
        // The session of this page is from before the host required it: the set-up says why it is shown.
        await session.forceRefresh();
        redirectToStep('set-up', request);
      }
      if (code === 'FORBIDDEN') {
        // The permissions of this page are out of date.
        void session.forceRefresh();
        await deny();
      }
      if (status !== 401) return;
      await session.forceRefresh();
      // The dialog is on screen and leads to the login: the page behind it stays.
      if (session.state() === 'failed') return new Promise<never>(() => undefined);
      session.disown();
      if (!session.isPresent()) toLogin(request);
    },
  };
}
