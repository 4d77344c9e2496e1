import { storage } from '#client/lib/storage.ts';
import { saveTarget } from '#client/lib/redirect-target.ts';
import { dialogs } from '#client/ui/dialogs.ts';
import { SECOND_FACTOR_PATH, UI_COOKIE } from '#shared/constants.ts';
import type { KeyOf } from '#shared/i18n/types.ts';
import { href } from '#shared/routes/href.ts';
import { matchKnownRoute } from '#client/lib/known-routes.ts';
import { cacheBoot } from './session-cache.ts';
import {
  createSessionStore,
  expireCookie,
  type SessionFailure,
  type SessionPorts,
  type SessionStore,
} from './session-store.ts';
import { createTabChannel } from './session-tabs.ts';
import type { Boot } from './boot.ts';

const YEAR_S = 365 * 24 * 3600;

/** A text of the error catalogue. */
type Text = (key: KeyOf<'errors'>) => string;

/** The session over this browser: its cookies, local storage, tabs, dialogs and addresses. */
export function createBrowserSession(
  boot: Boot,
  api: SessionPorts['api'],
  t: Text,
  onVisitor: () => void,
): SessionStore {
  cacheBoot(storage, boot);
  return createSessionStore(
    {
      api,
      storage,
      onVisitor,
      cookies: () => document.cookie,
      clearCookie: (name) => (document.cookie = expireCookie(name)),
      tabs: createTabChannel({
        storage,
        locks: 'locks' in navigator ? navigator.locks : null,
        channel: 'BroadcastChannel' in window ? new BroadcastChannel('spawnpoint-session') : null,
        onStorage: (listener) => listen(window, 'storage', (event) => listener(event.key, event.newValue)),
      }),
      now: () => performance.now(),
      wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      every: (ms, run) => {
        const timer = setInterval(run, ms);
        return () => clearInterval(timer);
      },
      isVisible: () => document.visibilityState === 'visible',
      onVisible: (run) => {
        const runIfVisible = () => document.visibilityState === 'visible' && run();
        document.addEventListener('visibilitychange', runIfVisible);
        return () => document.removeEventListener('visibilitychange', runIfVisible);
      },
      onFailure: (why) => {
        // Emptying local storage also removes the visitor's UI settings, and with them their cookie.
        const uiCookie = document.cookie.split('; ').find((each) => each.startsWith(`${UI_COOKIE}=`));
        const restore = () => uiCookie && (document.cookie = `${uiCookie}; Path=/; Max-Age=${YEAR_S}; SameSite=Lax`);
        void showSessionFailure(why, t)
          .then(restore)
          .then(() => leaveToLogin(href('auth.login')));
      },
      onSecondFactor: () => {
        if (location.pathname !== SECOND_FACTOR_PATH) leaveToLogin(SECOND_FACTOR_PATH);
      },
    },
    boot,
  );
}

/** Shows the dialog of the error catalogue (specification, section 8) for a failed session. */
export function showSessionFailure(why: SessionFailure, t: Text): Promise<void> {
  const title = t(`dialog.${why}.title`);
  const text = t(`dialog.${why}.text`);
  return dialogs.alert(why === 'session' ? { title, text, footer: t('dialog.session.footer') } : { title, text });
}

/** Missing permission: the dialog before /errors/403. */
export function showAccessDenied(t: Text): Promise<void> {
  return dialogs.alert({ title: t('dialog.denied.title'), text: t('dialog.denied.text') });
}

/** Goes to the login or its second step, and afterwards back to the page on which the session failed. */
function leaveToLogin(path: string): void {
  const guard = matchKnownRoute(location.pathname)?.row.guard;
  if (guard && guard !== 'open' && guard !== 'guest-only')
    saveTarget(location.pathname + location.search + location.hash);
  location.assign(path);
}

function listen<K extends keyof WindowEventMap>(
  target: Window,
  kind: K,
  run: (event: WindowEventMap[K]) => void,
): () => void {
  target.addEventListener(kind, run);
  return () => target.removeEventListener(kind, run);
}
