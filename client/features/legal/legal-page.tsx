import { useId } from 'react';
import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import type { PublicSettings } from '#client/lib/shell-context.ts';
import { TextLink } from '#client/ui/link-button.tsx';
import { Prose } from '#client/ui/prose.tsx';
import { SupportLinks } from '#client/ui/support-links.tsx';

/** A heading with its paragraphs. */
export interface LegalSection {
  readonly title: string;
  readonly paragraphs: readonly string[];
}

/** The host's own text: HTML that the server wrote from Markdown (server/markdown.ts), and its sections. */
interface OwnText {
  readonly html: string;
  readonly sections: readonly { readonly id: string; readonly title: string }[];
}

interface LegalPageProps {
  title: string;
  intro: string;
  sections: readonly LegalSection[];
  /** Replaces intro and sections; null: the product's own text. */
  own: OwnText | null;
  /** The other legal page. */
  other: { to: string; label: string };
}

/** Name of the site, for the texts. */
export function siteName(settings: PublicSettings): string {
  return String(settings.company_name || settings.app_name || '');
}

/** A legal page: contents, who runs the host, sections. */
export function LegalPage({ title, intro, sections, own, other }: LegalPageProps): ReactNode {
  const t = useT('system');
  const id = useId();
  const contents = own?.sections ?? sections.map((section, index) => ({ id: `${id}-${index}`, title: section.title }));
  return (
    <article className="sp-legal">
      <header className="sp-legal__head">
        <h1>{title}</h1>
        {!own && <p>{intro}</p>}
      </header>
      <nav className="sp-legal__toc" aria-labelledby={`${id}-toc`}>
        <h2 id={`${id}-toc`}>{t('legal.contents')}</h2>
        <ol>
          {contents.map((section) => (
            <li key={section.id}>
              <a href={`#${section.id}`}>{section.title}</a>
            </li>
          ))}
        </ol>
        <TextLink to={other.to}>{other.label}</TextLink>
      </nav>
      <div className="sp-legal__body">
        {own ? (
          <Prose html={own.html} />
        ) : (
          sections.map((section, index) => <Section key={section.title} id={`${id}-${index}`} section={section} />)
        )}
        <section>
          <h2>{t('legal.runBy')}</h2>
          <Company />
        </section>
        {!own && <p className="sp-meta">{t('legal.standard')}</p>}
      </div>
    </article>
  );
}

function Section({ id, section }: { id: string; section: LegalSection }): ReactNode {
  return (
    <section id={id}>
      <h2>{section.title}</h2>
      {section.paragraphs.map((paragraph) => (
        <p key={paragraph}>{paragraph}</p>
      ))}
    </section>
  );
}

/** Name and address from the company settings, if set. */
function Company(): ReactNode {
  const t = useT('system');
  const { settings } = useShell();
  const text = (key: string): string => String(settings[key] ?? '').trim();
  const name = siteName(settings);
  const place = [text('company_zip'), text('company_city')].filter(Boolean).join(' ');
  const lines = [text('company_address'), place, text('company_state'), text('company_country')].filter(Boolean);
  const vat = text('company_vat');
  if (lines.length === 0)
    return (
      <p>
        {t('legal.nameOnly', { name })} <SupportLinks />
      </p>
    );
  return (
    <address>
      {[name, ...lines, ...(vat ? [t('legal.vat', { number: vat })] : [])].map((line, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- a line of an address is its place
        <span key={index}>{line}</span>
      ))}
      <SupportLinks />
    </address>
  );
}
