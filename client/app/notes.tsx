import { createContext, useContext, useSyncExternalStore, type ReactNode } from 'react';
import { useLocation } from 'react-router';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import type { Store } from '#client/lib/store.ts';
import { Banner } from '#client/ui/banner.tsx';
import { can } from '#shared/can.ts';
import type { Boot } from './boot.ts';

/** The banner while the server does not respond; null otherwise. */
export type LostNote = Store<ReactNode>;

/** The state behind the banners of every page. */
export interface PageState {
  readonly safe: Boot['safe'];
  /** Null while the server renders. */
  readonly lost: LostNote | null;
}
export const PageStateContext = createContext<PageState>({ safe: null, lost: null });

const never = () => () => undefined;
const none = () => null;

/** The banner of the lost connection; null while the server responds. */
export function useLostNote(): ReactNode {
  const { lost } = useContext(PageStateContext);
  return useSyncExternalStore(lost?.subscribe ?? never, lost?.get ?? none, none);
}

/** The banner of safe mode, for those who may change settings; first in the page. */
export function SafeNote(): ReactNode {
  const { safe } = useContext(PageStateContext);
  const { session } = useShell();
  return safe && can(session.permissions, 'admin.settings.edit') ? <SafeBanner server={safe === 'server'} /> : null;
}

/** The banner of the lost connection: shown over the page, but last in it, so that the skip link stays first. */
export function ConnectionNote(): ReactNode {
  return useLostNote();
}

/** Explains safe mode and how to leave it. */
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
