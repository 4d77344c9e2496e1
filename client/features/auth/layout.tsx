import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Wordmark } from '#client/ui/brand.tsx';
import { LanguageSwitch, ThemeSwitch } from '#client/ui/switches.tsx';
import { pictureSrcSet, pictureUrl } from '#shared/picture-url.ts';
import { href } from '#shared/routes/href.ts';
import { World } from './world.tsx';

/** The frame of the pages before the login: name, language, theme, the page, legal links, and the picture. */
export function AuthLayout({ children }: { children: ReactNode }): ReactNode {
  const t = useT('auth');
  const ui = useT('ui');
  const { settings } = useShell();
  const name = String(settings.app_name ?? '');
  const hero = String(settings.hero_picture ?? '');
  const company = String(settings.company_name ?? '');
  return (
    <div className="sp-auth">
      <a className="sp-skip" href="#main">
        {ui('skipToContent')}
      </a>
      <header className="sp-auth__top sp-glass-0">
        <Link className="sp-auth__brand" to={href('auth.login')} aria-label={name}>
          <Wordmark name={name} />
        </Link>
        <div className="sp-auth__switches">
          <LanguageSwitch />
          <ThemeSwitch />
        </div>
      </header>
      <main id="main" className="sp-auth__main sp-glass-0" tabIndex={-1}>
        <div className="sp-auth__page">{children}</div>
      </main>
      <footer className="sp-auth__foot sp-glass-0">
        <nav className="sp-auth__legal" aria-label={t('legalLinks')}>
          <Link to={href('terms')}>{t('terms')}</Link>
          <Link to={href('privacy')}>{t('privacy')}</Link>
        </nav>
        {company && <span>{company}</span>}
      </footer>
      <aside className="sp-auth__art">
        {hero === '' ? (
          <>
            <World />
            <p className="sp-auth__line">{t('artLine')}</p>
          </>
        ) : (
          <img
            className="sp-auth__hero"
            src={pictureUrl(hero, 'wide')}
            srcSet={pictureSrcSet(hero, 'hero')}
            sizes="50vw"
            alt=""
          />
        )}
      </aside>
    </div>
  );
}
