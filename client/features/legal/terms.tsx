import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { href } from '#shared/routes/href.ts';
import { LegalPage, siteName } from './legal-page.tsx';
import type { LegalSection } from './legal-page.tsx';

const BEFORE = ['account', 'credits', 'servers'] as const;
const AFTER = ['conduct', 'service', 'ending', 'liability', 'changes'] as const;

/** The host's own text, if it has one. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).system.legal({ params: { page: 'terms' } });
}

/** /terms-of-service: the host's own text, or general rules with the host's own numbers where it has set some. */
export default function TermsScreen(): ReactNode {
  const t = useT('system');
  const { text } = useLoaderData<typeof loader>();
  const { settings, flags } = useShell();
  const section = (key: (typeof BEFORE)[number] | (typeof AFTER)[number]): LegalSection => ({
    title: t(`terms.${key}Title`),
    paragraphs: [t(`terms.${key}Text`)],
  });
  const renewal: LegalSection = {
    title: t('terms.renewTitle'),
    paragraphs: [
      t('terms.renewText', { count: Number(settings.server_renew_days) }),
      t('terms.graceText', { count: Number(settings.renew_grace_days) }),
    ],
  };
  return (
    <LegalPage
      title={t('terms.title')}
      intro={t('terms.intro', { name: siteName(settings) })}
      sections={[...BEFORE.map(section), ...(flags.server_renew_enabled ? [renewal] : []), ...AFTER.map(section)]}
      own={text}
      other={{ to: href('privacy'), label: t('legal.toPrivacy') }}
    />
  );
}
