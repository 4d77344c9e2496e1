import type { ReactNode } from 'react';
import { Link, Outlet } from 'react-router';
import { useShell } from '#client/lib/shell-context.ts';
import { Wordmark } from '#client/ui/brand.tsx';
import { href } from '#shared/routes/href.ts';
import { LanguageSwitch, ThemeSwitch } from '#client/ui/switches.tsx';

/** A page without navigation: brand on top, the page below. */
export default function PlainLayout(): ReactNode {
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
    </div>
  );
}
