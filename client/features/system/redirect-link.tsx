import type { ReactNode } from 'react';
import { redirect, useLoaderData } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { Rich, useT } from '#client/lib/i18n.tsx';
import { saveTarget } from '#client/lib/redirect-target.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { LinkButton } from '#client/ui/link-button.tsx';
import { ApiError } from '#shared/contract/client.ts';
import { href } from '#shared/routes/href.ts';
import { SystemPage } from './system-page.tsx';

/** Follows the link; what is left to show is a question, or the way to the log-in (null). */
export async function loader(args: LoaderFunctionArgs) {
  const slug = args.params.slug ?? '';
  try {
    const link = await apiOf(args).redirectLinks.follow({ params: { slug } });
    if (!link.asks) throw redirect(link.url);
    return { slug, link };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'SESSION_EXPIRED') return { slug, link: null };
    throw error;
  }
}

/** The name of the link that asks. */
export const pageName = (data: Awaited<ReturnType<typeof loader>>): string | undefined => data.link?.name;

/** /go/:slug (behaviour 7.6) */
export default function RedirectLinkScreen(): ReactNode {
  const t = useT('system');
  const { settings, session } = useShell();
  const { slug, link } = useLoaderData<typeof loader>();
  if (!link)
    return (
      <SystemPage
        scene="forbidden"
        title={t('redirectLink.forPlayers')}
        actions={
          <LinkButton
            to={href('auth.login')}
            variant="primary"
            size="lg"
            onClick={() => saveTarget(href('redirectLink', { slug }))}
          >
            {t('toLogin')}
          </LinkButton>
        }
      >
        <p>{t('redirectLink.forPlayersText')}</p>
      </SystemPage>
    );
  return (
    <SystemPage
      scene="leaving"
      title={t('redirectLink.title', { app: String(settings.app_name ?? '') })}
      actions={
        <>
          <a className="sp-btn" data-variant="primary" data-size="lg" href={link.url} rel="noreferrer nofollow">
            {t('redirectLink.continue', { host: link.host })}
          </a>
          <LinkButton to={href(session.signedIn ? 'dashboard' : 'auth.login')} size="lg">
            {t('redirectLink.stay')}
          </LinkButton>
        </>
      }
    >
      <p>
        <Rich t={t} k="redirectLink.text" vars={{ name: link.name, host: <b>{link.host}</b> }} />
      </p>
      <p className="sp-lead">
        <code>{link.url}</code>
      </p>
    </SystemPage>
  );
}
