import type { ReactNode } from 'react';
import { renderToString } from 'react-dom/server';
import { Unavailable } from '#client/features/system/unavailable.tsx';
import { BlockedOverlay, ProxyHelp } from '#client/features/system/blocked.tsx';
import { I18nProvider } from '#client/lib/i18n.tsx';
import { accessIssues } from '#shared/access.ts';
import { statusOf, type ErrorCode } from '#shared/errors.ts';
import { LOCALE_INFO } from '#shared/i18n/locales.ts';
import { SETTINGS } from '#shared/settings.ts';
import { UI_STYLE_ID } from '#shared/ui-settings.ts';
import type { PageCall } from '#server/http/app.ts';
import type { Peer } from '#server/http/peer.ts';
import { newNonce, pageHeaders } from '#server/http/security.ts';
import { documentUi, themeOf } from './document-ui.ts';
import { LookStyle, type Look } from './look.tsx';
import type { Manifest } from './manifest.ts';
import type { ServerTexts } from './texts.ts';

/** What the host says about the installation. */
interface Site {
  readonly name: string;
  readonly look: Look;
}
const PLAIN_LOOK: Look = { theme: 'dark', style: '', icon: null, preview: null, description: '' };
/** The installation of which nothing is known. */
export const PLAIN_SITE: Site = { name: SETTINGS.app_name.default, look: PLAIN_LOOK };

interface Frame {
  readonly call: PageCall;
  readonly site: Site;
  readonly title: string;
  readonly status: number;
  readonly body: ReactNode;
}

/**
 * Pages that stand alone, without scripts and session, in the visitor's own look: the blocking overlay, and the
 * documentation it links to.
 */
export function createPlainPages(texts: ServerTexts, manifest: Manifest, getSite: () => Promise<Site>) {
  const page = ({ call, site, title, status, body }: Frame): Response => {
    const { locale } = call.info;
    const nonce = newNonce();
    const ui = documentUi(call.cookie);
    const theme = themeOf(call.cookie, site.look.theme);
    const html = renderToString(
      <html lang={LOCALE_INFO[locale].lang} data-theme={theme} {...ui.attributes}>
        <head>
          <meta charSet="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content={theme} />
          <title>{title}</title>
          <link rel="stylesheet" href={manifest.css} />
          <LookStyle look={site.look} nonce={nonce} />
          {ui.style && (
            <style id={UI_STYLE_ID} nonce={nonce}>
              {ui.style}
            </style>
          )}
        </head>
        <body>
          <I18nProvider translator={texts.translator(locale)} timeZone="UTC">
            {body}
          </I18nProvider>
        </body>
      </html>,
    );
    const headers = { ...pageHeaders(nonce), 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' };
    return new Response(`<!doctype html>${html}`, { status, headers });
  };
  return {
    /** The blocking overlay of the specification (sections 2 and 8): status 403. */
    blocked: async (call: PageCall, peer: Peer): Promise<Response> => {
      const t = texts.translator(call.info.locale).t('system');
      const url = peer.origin + call.url.pathname + call.url.search;
      const site = await getSite();
      return page({
        call,
        site,
        title: t('blocked.title'),
        status: 403,
        body: <BlockedOverlay app={site.name} issues={accessIssues(peer.reached)} url={url} />,
      });
    },
    /** A page that could not begin. In: the code of what happened. */
    failed: async (call: PageCall, code: ErrorCode): Promise<Response> => {
      const t = texts.translator(call.info.locale).t('system');
      return page({
        call,
        // The server that knows more does not answer.
        site: PLAIN_SITE,
        title: t('serverError.title'),
        status: statusOf(code),
        body: <Unavailable code={code} requestId={call.info.requestId} />,
      });
    },
    /** How to put a reverse proxy in front. */
    proxyHelp: async (call: PageCall): Promise<Response> => {
      const t = texts.translator(call.info.locale).t('system');
      const site = await getSite();
      return page({ call, site, title: t('proxyHelp.title'), status: 200, body: <ProxyHelp app={site.name} /> });
    },
  };
}
