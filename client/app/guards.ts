import { redirect } from 'react-router';
import { SECOND_FACTOR_PATH } from '#shared/constants.ts';
import type { ApiError } from '#shared/contract/client.ts';
import type { FeatureSwitch } from '#shared/earning-sources.ts';
import { decideAccess, secondFactorDetour } from '#shared/guard.ts';
import { href } from '#shared/routes/href.ts';
import type { RouteId, RouteRow } from '#shared/routes/table.ts';
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
  /** Before a loader or an action runs. Throws a redirect, or 404 for a feature that is switched off. */
  authorizeRoute(row: RouteRow & { id: RouteId }, request: Request): Promise<void>;
  /**
   * The API refused what a loader or an action asked for. Throws a redirect where the error catalogue has an answer;
   * otherwise the error is the page's.
   */
  handleRefusal(error: ApiError, request: Request): Promise<void>;
}

/**
 * The navigation guard of the browser: the same decision as on the server, with the presence cookies (specification,
 * section 2), and what the server refuses in spite of it. SERVER_UNAVAILABLE is not among that: one part may be away
 * while the session lives, so the page says so and offers another try.
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
   * Whether somebody waits for their second factor and may see the route nevertheless, as a guest; leads redirectToStep
   * where something is missing of the log-in.
   */
  const passesAsGuest = (row: RouteRow & { id: RouteId }, request: Request): boolean => {
    const waiting = session.state() === 'blocked';
    redirectToStep(secondFactorDetour(row, waiting, session.get()?.user_info.second_factor), request);
    return waiting && row.guard === 'guest-only';
  };

  return {
    async authorizeRoute(row, request) {
      // Another tab may have passed it meanwhile.
      if (session.state() === 'blocked') await session.refresh();
      if (passesAsGuest(row, request)) return;
      const decideRow = () =>
        decideAccess(row, { signedIn: session.isPresent(), permissions: session.permissions() }, flags);
      let decision = decideRow();
      if (session.isPresent() !== (session.get() !== null)) {
        // A log-in or log-out that this page has not heard of yet. The cached permissions are enough to go on; to
        // refuse, the server is asked.
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
      if (code === 'TWO_FACTOR_REQUIRED') redirectToStep('set-up', request);
      if (code === 'FORBIDDEN') {
        // The permissions that this page went by are out of date.
        void session.forceRefresh();
        await deny();
      }
      if (status !== 401) return;
      await session.forceRefresh();
      // The dialog is on screen and leads to the login: the page behind it stays as it is.
      if (session.state() === 'failed') return new Promise<never>(() => undefined);
      session.disown();
      if (!session.isPresent()) toLogin(request);
    },
  };
}
