import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { href } from '#shared/routes/href.ts';
import { LegalPage, siteName } from './legal-page.tsx';

const SECTIONS = ['data', 'purpose', 'cookies', 'others', 'time', 'rights', 'security'] as const;

/** The host's own text, if it has one. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).system.legal({ params: { page: 'privacy' } });
}

/** /privacy-policy: the host's own text, or what the software keeps by itself. */
export default function PrivacyScreen(): ReactNode {
  const t = useT('system');
  const { text } = useLoaderData<typeof loader>();
  const { settings } = useShell();
  return (
    <LegalPage
      title={t('privacy.title')}
      intro={t('privacy.intro', { name: siteName(settings) })}
      sections={SECTIONS.map((key) => ({ title: t(`privacy.${key}Title`), paragraphs: [t(`privacy.${key}Text`)] }))}
      own={text}
      other={{ to: href('terms'), label: t('legal.toTerms') }}
    />
  );
}
