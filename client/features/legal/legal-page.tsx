import { useId } from 'react';
import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import type { PublicSettings } from '#client/lib/shell-context.ts';
import { TextLink } from '#client/ui/link-button.tsx';

/** A heading with its paragraphs. */
export interface LegalSection {
  readonly title: string;
  readonly paragraphs: readonly string[];
}

interface LegalPageProps {
  title: string;
  intro: string;
  sections: readonly LegalSection[];
  /** The other legal page. */
  other: { to: string; label: string };
}

/** Name of the site, for the texts. */
export function siteName(settings: PublicSettings): string {
  return String(settings.company_name || settings.app_name || '');
}

/** A legal page: contents, who runs the host, sections. */
export function LegalPage({ title, intro, sections, other }: LegalPageProps): ReactNode {
  const t = useT('system');
  const id = useId();
  return (
    <article className="sp-legal">
      <header className="sp-legal__head">
        <h1>{title}</h1>
        <p>{intro}</p>
      </header>
      <nav className="sp-legal__toc" aria-labelledby={`${id}-toc`}>
        <h2 id={`${id}-toc`}>{t('legal.contents')}</h2>
        <ol>
          {sections.map((section, index) => (
            <li key={section.title}>
              <a href={`#${id}-${index}`}>{section.title}</a>
            </li>
          ))}
        </ol>
        <TextLink to={other.to}>{other.label}</TextLink>
      </nav>
      <div className="sp-legal__body">
        {sections.map((section, index) => (
          <section key={section.title} id={`${id}-${index}`}>
            <h2>{section.title}</h2>
            {section.paragraphs.map((paragraph) => (
              <p key={paragraph}>{paragraph}</p>
            ))}
          </section>
        ))}
        <section>
          <h2>{t('legal.runBy')}</h2>
          <Company />
        </section>
        <p className="sp-meta">{t('legal.standard')}</p>
      </div>
    </article>
  );
}

/** Name and address from the company settings, as far as they are filled in. */
function Company(): ReactNode {
  const t = useT('system');
  const { settings } = useShell();
  const text = (key: string): string => String(settings[key] ?? '').trim();
  const name = siteName(settings);
  const place = [text('company_zip'), text('company_city')].filter(Boolean).join(' ');
  const lines = [text('company_address'), place, text('company_state'), text('company_country')].filter(Boolean);
  const vat = text('company_vat');
  if (lines.length === 0) return <p>{t('legal.nameOnly', { name })}</p>;
  return (
    <address>
      {[name, ...lines, ...(vat ? [t('legal.vat', { number: vat })] : [])].map((line) => (
        <span key={line}>{line}</span>
      ))}
    </address>
  );
}
