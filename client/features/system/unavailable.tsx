import type { ReactNode } from 'react';
import { useErrorText } from '#client/lib/error-text.ts';
import { useT } from '#client/lib/i18n.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { SystemPage } from './system-page.tsx';

/**
 * A page that could not even begin: the server is away, or failed before it knew who asks. Works without scripts and
 * session.
 */
export function Unavailable({ code, requestId }: { code: string; requestId: string }): ReactNode {
  const t = useT('system');
  const errors = useErrorText();
  return (
    <main className="sp-blocked" id="main">
      <SystemPage
        scene="broken"
        title={t('serverError.title')}
        actions={
          // oxlint-disable-next-line jsx-a11y/anchor-is-valid -- the empty address is this page with its query, which is what to try again
          <a className="sp-btn" data-variant="primary" data-size="lg" href="">
            <Icon name="refresh" />
            {t('tryAgain')}
          </a>
        }
      >
        <p>{errors.code(code)}</p>
        <p className="sp-lead">
          {t('requestLabel')} <code>{requestId}</code>
        </p>
      </SystemPage>
    </main>
  );
}
