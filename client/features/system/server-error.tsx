import type { ReactNode } from 'react';
import { useLocation } from 'react-router';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { CopyButton } from '#client/ui/copy-button.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { SupportLinks } from '#client/ui/support-links.tsx';
import { href } from '#shared/routes/href.ts';
import { SystemPage } from './system-page.tsx';

/** /errors/500. `requestId`: the id of the request that failed; without it the page's own, which the log knows as well. */
export default function ServerErrorScreen({ requestId }: { requestId?: string | null }): ReactNode {
  const t = useT('system');
  const { requestId: own } = useShell();
  const { pathname, search } = useLocation();
  const id = requestId ?? own;
  const elsewhere = pathname !== href('errors.500');
  return (
    <SystemPage
      scene="broken"
      code={t('serverError.code')}
      title={t('serverError.title')}
      actions={
        <>
          {elsewhere && (
            <a className="sp-btn" data-variant="primary" data-size="lg" href={pathname + search}>
              <Icon name="refresh" />
              {t('tryAgain')}
            </a>
          )}
          <LinkButton to={href('dashboard')} size="lg" variant={elsewhere ? 'secondary' : 'primary'}>
            {t('toDashboard')}
          </LinkButton>
        </>
      }
    >
      <p>
        {t('serverError.text')} <SupportLinks />
      </p>
      {id && (
        <p className="sp-lead">
          {t('requestLabel')} <CopyButton text={id} what={t('requestWhat')} />
        </p>
      )}
    </SystemPage>
  );
}
