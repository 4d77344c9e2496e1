import { isRouteErrorResponse, UNSAFE_ErrorResponseImpl, useLocation, useRouteError } from 'react-router';
import type { ReactNode } from 'react';
import { useErrorText } from '#client/lib/error-text.ts';
import { useT } from '#client/lib/i18n.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { href } from '#shared/routes/href.ts';
import type { PageError } from './boot.ts';
import { useLostNote } from './notes.tsx';

/** Converts an error that reached the page: its own code, or SERVER_ERROR. */
export function toPageError(error: unknown): PageError {
  if (isRouteErrorResponse(error)) {
    const body = error.data as Partial<PageError> | null;
    return {
      status: error.status,
      code: body?.code ?? (error.status === 404 ? 'NOT_FOUND' : 'SERVER_ERROR'),
      requestId: body?.requestId ?? null,
    };
  }
  return { status: 500, code: 'SERVER_ERROR', requestId: null };
}

/** Converts errors by route to the router's own type, so that server and browser render the same. */
export function toRouteErrors(errors: Readonly<Record<string, PageError>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(errors).map(([id, error]) => [id, new UNSAFE_ErrorResponseImpl(error.status, '', error)]),
  );
}

/** The page for an error of a layout or of the root. */
export function ErrorPage(): ReactNode {
  return (
    <main id="main" tabIndex={-1}>
      <ScreenError />
    </main>
  );
}

/** What an error is called: who views as a user meets parts that are shut, which is no fault. */
const titleOf = (status: number, code: string) => {
  if (code === 'VIEWING_READ_ONLY') return 'error.viewing';
  return status === 404 ? 'error.notFound' : 'error.title';
};

/** Replaces a screen after an error of its loader or its rendering: what happened, the request id, and a link onwards. */
export function ScreenError(): ReactNode {
  const { status, code, requestId } = toPageError(useRouteError());
  const errors = useErrorText();
  const t = useT('shell');
  const ui = useT('ui');
  const { pathname, search } = useLocation();
  // Without a connection the request itself is not at fault.
  const away = useLostNote() !== null;
  return (
    <div className="sp-page">
      <EmptyState
        as="h1"
        title={t(titleOf(status, code))}
        text={errors.code(away ? 'SERVER_UNAVAILABLE' : code)}
        action={
          <>
            {status >= 500 && (
              <LinkButton to={pathname + search} variant="primary">
                {ui('tryAgain')}
              </LinkButton>
            )}
            <LinkButton to={href('dashboard')} {...(status >= 500 ? {} : { variant: 'primary' as const })}>
              {t('error.home')}
            </LinkButton>
          </>
        }
      />
      {requestId && <p className="sp-muted sp-center">{t('error.requestId', { id: requestId })}</p>}
    </div>
  );
}
