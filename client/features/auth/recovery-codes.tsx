import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { CopyButton } from '#client/ui/copy-button.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { href } from '#shared/routes/href.ts';
import { AuthHead } from './parts.tsx';

/** The recovery codes, shown this once. `fresh`: the factor has just been switched on. */
export function RecoveryCodes({ codes, fresh }: { codes: readonly string[]; fresh: boolean }): ReactNode {
  const t = useT('twoFactor');
  return (
    <>
      <AuthHead title={t(fresh ? 'doneTitle' : 'renewedTitle')} text={t('codesText')} />
      <Banner tone="warning">{t('codesOnce')}</Banner>
      <ul className="sp-factor__codes" aria-label={t('codes')}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <CopyButton text={codes.join('\n')} what={t('codes')}>
        {t('copyCodes')}
      </CopyButton>
      <LinkButton to={`${href('account')}?tab=security`} variant="primary" size="lg" block>
        {t('codesKept')}
      </LinkButton>
    </>
  );
}
