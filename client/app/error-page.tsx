import { isRouteErrorResponse, useRouteError } from 'react-router';
import type { ReactNode } from 'react';
import { useErrorText } from '#client/lib/error-text.ts';
import { useT } from '#client/lib/i18n.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { href } from '#shared/routes/href.ts';
import type { PageError } from './boot.ts';

/** What is known of an error that reached the page: our own code, or SERVER_ERROR. */
export function pageError(error: unknown): PageError {
  if (isRouteErrorResponse(error)) {
    const body = error.data as Partial<PageError> | null;
    return { status: error.status, code: body?.code ?? (error.status === 404 ? 'NOT_FOUND' : 'SERVER_ERROR'), requestId: body?.requestId ?? null };
  }
  return { status: 500, code: 'SERVER_ERROR', requestId: null };
}

/** The page of a loader's or a screen's error: what happened in words, the request id, and a way on. */
export function ErrorPage(): ReactNode {
  const { status, code, requestId } = pageError(useRouteError());
  const errors = useErrorText();
  const t = useT('shell');
  return (
    <main className="sp-page" id="main" tabIndex={-1}>
      <EmptyState
        title={status === 404 ? t('error.notFound') : t('error.title')}
        text={errors.code(code)}
        action={<LinkButton to={href('dashboard')} variant="primary">{t('error.home')}</LinkButton>}
      />
      {requestId && <p className="sp-muted sp-center">{t('error.requestId', { id: requestId })}</p>}
    </main>
  );
}
