import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { href } from '#shared/routes/href.ts';
import { LegalPage, siteName } from './legal-page.tsx';

const SECTIONS = ['data', 'purpose', 'cookies', 'others', 'time', 'rights', 'security'] as const;

/** /privacy-policy: what the software keeps by itself. */
export default function PrivacyScreen(): ReactNode {
  const t = useT('system');
  const { settings } = useShell();
  return (
    <LegalPage
      title={t('privacy.title')}
      intro={t('privacy.intro', { name: siteName(settings) })}
      sections={SECTIONS.map((key) => ({ title: t(`privacy.${key}Title`), paragraphs: [t(`privacy.${key}Text`)] }))}
      other={{ to: href('terms'), label: t('legal.toTerms') }}
    />
  );
}
