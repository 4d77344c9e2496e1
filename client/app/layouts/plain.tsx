import type { ReactNode } from 'react';
import { Link, Outlet } from 'react-router';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Button } from '#client/ui/button.tsx';
import { Wordmark } from '#client/ui/brand.tsx';
import { href } from '#shared/routes/href.ts';
import { LanguageSwitch, ThemeSwitch } from '#client/ui/switches.tsx';
import { hasDebugPanel, toggleDebugPanel } from '../debug/toggle.ts';

/** A page without navigation: brand on top, the page below. */
export default function PlainLayout(): ReactNode {
  const t = useT('shell');
  const { settings } = useShell();
  const name = String(settings.app_name ?? 'Spawnpoint');
  return (
    <div className="sp-plain">
      <header className="sp-plain__top">
        <Link to={href('dashboard')} aria-label={name}>
          <Wordmark name={name} />
        </Link>
        <span className="sp-plain__end">
          <LanguageSwitch />
          <ThemeSwitch />
        </span>
      </header>
      <main id="main" tabIndex={-1}>
        <Outlet />
      </main>
      {hasDebugPanel(settings) && (
        <footer className="sp-plain__foot">
          <Button variant="ghost" size="sm" onClick={toggleDebugPanel}>
            {t('debugPanel')}
          </Button>
        </footer>
      )}
    </div>
  );
}
