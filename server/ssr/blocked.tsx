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
import { ApiDocs, subjectOf, titleOf } from './api-docs/page.tsx';
import { readReference, type Reference } from './api-docs/reference.ts';
import { SCRIPT, STYLE } from './api-docs/style.ts';
import { WORDS } from './api-docs/words.ts';
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
  /** In another language than the visitor’s. */
  readonly lang?: 'en';
  /** For this page alone. */
  readonly style?: string;
  readonly script?: string;
}
interface Parts {
  readonly texts: ServerTexts;
  readonly manifest: Manifest;
  readonly getSite: () => Promise<Site>;
  /** The document of the API, and the address of the installation where it is known. */
  readonly apiDocument: () => object;
  readonly appOrigin: () => string;
}

/**
 * Pages that stand alone, without scripts and session, in the visitor's own look: the blocking overlay, and the
 * documentation it links to, and the reference of the API.
 */
export function createPlainPages({ texts, manifest, getSite, apiDocument, appOrigin }: Parts) {
  const page = ({ call, site, title, status, body, lang, style, script }: Frame): Response => {
    const locale = lang ?? call.info.locale;
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
          {style && <style nonce={nonce} dangerouslySetInnerHTML={{ __html: style }} />}
        </head>
        <body>
          <I18nProvider translator={texts.translator(locale)} timeZone="UTC">
            {body}
          </I18nProvider>
          {script && <script nonce={nonce} dangerouslySetInnerHTML={{ __html: script }} />}
        </body>
      </html>,
    );
    const headers = { ...pageHeaders(nonce), 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' };
    return new Response(`<!doctype html>${html}`, { status, headers });
  };
  let reference: Reference | undefined;
  return {
    /** The reference of the API, in English: made from its document, and read without scripts. */
    apiDocs: async (call: PageCall): Promise<Response> => {
      reference ??= readReference(apiDocument());
      const site = await getSite();
      const path = call.url.pathname.slice('/docs/api'.length).replaceAll(/^\/|\/$/g, '');
      const subject = subjectOf(reference, path, call.url.searchParams);
      const errors = texts.translator('en').t('errors');
      const frame = { call, site, lang: 'en', style: STYLE, script: SCRIPT } as const;
      if (!subject) {
        const body = (
          <ApiDocs app={site.name} reference={reference} subject={{ kind: 'lost' }} origin="" errorText={String} />
        );
        return page({ ...frame, title: WORDS.lost, status: 404, body });
      }
      return page({
        ...frame,
        title: `${titleOf(subject)} · ${site.name} ${WORDS.title}`,
        status: 200,
        body: (
          <ApiDocs
            app={site.name}
            reference={reference}
            subject={subject}
            origin={appOrigin()}
            errorText={(code) => errors(code as 'NOT_FOUND')}
          />
        ),
      });
    },
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
