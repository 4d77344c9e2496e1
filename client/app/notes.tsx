import { createContext, useContext, useSyncExternalStore, type ReactNode } from 'react';
import { useLocation } from 'react-router';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import type { Store } from '#client/lib/store.ts';
import { Banner } from '#client/ui/banner.tsx';
import { can } from '#shared/can.ts';
import type { Boot } from './boot.ts';

/** A note that comes while the server does not answer, and goes when it does again: null for most of the time. */
export type LostNote = Store<ReactNode>;

/** What the notes of every page are about. */
export interface PageState {
  readonly safe: Boot['safe'];
  /** Null while the server renders. */
  readonly lost: LostNote | null;
}
export const PageStateContext = createContext<PageState>({ safe: null, lost: null });

const never = () => () => undefined;
const none = () => null;

/** The note of the lost connection; null while the server answers. */
export function useLostNote(): ReactNode {
  const { lost } = useContext(PageStateContext);
  return useSyncExternalStore(lost?.subscribe ?? never, lost?.get ?? none, none);
}

/** Safe mode is shown to those who may change settings: it comes first in the page. */
export function SafeNote(): ReactNode {
  const { safe } = useContext(PageStateContext);
  const { session } = useShell();
  return safe && can(session.permissions, 'admin.settings.edit') ? <SafeBanner server={safe === 'server'} /> : null;
}

/**
 * A server that does not answer: shown over the page, and last in it, so that the way past the navigation stays the
 * first link.
 */
export function ConnectionNote(): ReactNode {
  return useLostNote();
}

/** The page goes without the host's own code, and how to get it back. */
function SafeBanner({ server }: { server: boolean }): ReactNode {
  const t = useT('startup');
  const { pathname, search } = useLocation();
  const query = new URLSearchParams(search);
  query.delete('safe');
  return (
    <aside className="sp-note" aria-label={t('note')}>
      {/* A link of the document, because only a new document brings the code back. */}
      <Banner
        tone="warning"
        icon="info"
        action={
          server ? undefined : (
            <a className="sp-link" href={pathname + (query.size > 0 ? `?${query}` : '')}>
              {t('safeLeave')}
            </a>
          )
        }
      >
        {t(server ? 'safeServer' : 'safePage')}
      </Banner>
    </aside>
  );
}
