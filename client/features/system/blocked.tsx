import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Wordmark } from '#client/ui/brand.tsx';
import { Icon } from '#client/ui/icon.tsx';
import type { AccessIssue } from '#shared/access.ts';
import { SystemPage } from './system-page.tsx';

/** The page on how to put the product behind a reverse proxy; the access check lets it through. */
const DOCUMENTATION_URL = '/docs/reverse-proxy';

/**
 * The overlay that blocks a visit by plain HTTP, by an address, or by a port. Works without scripts: Refresh Page is a
 * link to the same page.
 */
export function BlockedOverlay({
  app,
  issues,
  url,
}: {
  app: string;
  issues: readonly AccessIssue[];
  url: string;
}): ReactNode {
  const t = useT('system');
  return (
    <main className="sp-blocked" id="main">
      <div className="sp-blocked__brand">
        <Wordmark name={app} />
      </div>
      <SystemPage
        scene="blocked"
        title={t('blocked.title')}
        actions={
          <>
            <a className="sp-btn" data-variant="primary" data-size="lg" href={url}>
              <Icon name="refresh" />
              {t('blocked.refresh')}
            </a>
            <a className="sp-btn" data-variant="secondary" data-size="lg" href={DOCUMENTATION_URL}>
              {t('blocked.docs')}
            </a>
          </>
        }
      >
        <p>{t('blocked.text', { app })}</p>
        <h2 className="sp-sr">{t('blocked.issues')}</h2>
        <ul className="sp-blocked__issues">
          {issues.map((issue) => (
            <li key={issue.code}>
              <Icon name="x" size="sm" />
              {issue.code === 'port' ? t('blocked.port', { port: issue.port }) : t(`blocked.${issue.code}`)}
            </li>
          ))}
        </ul>
        <div className="sp-blocked__url">
          <h2>{t('blocked.current')}</h2>
          <code>{url}</code>
        </div>
        <p className="sp-lead">{t('blocked.proxy')}</p>
      </SystemPage>
    </main>
  );
}

const NGINX = `server {
  listen 443 ssl;
  server_name panel.example.com;
  ssl_certificate     /etc/letsencrypt/live/panel.example.com/fullchain.pem;
  ssl_certificate_key /etc/letsencrypt/live/panel.example.com/privkey.pem;
  client_max_body_size 26m;
  location / {
    proxy_pass http://127.0.0.1:3000;
    proxy_http_version 1.1;
    proxy_request_buffering off;
    proxy_set_header Host $host;
    proxy_set_header Connection "";
    proxy_set_header X-Forwarded-Host $host;
    proxy_set_header X-Forwarded-Proto https;
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
  }
}`;
const CADDY = `panel.example.com {
  request_body {
    max_size 27MB
  }
  reverse_proxy 127.0.0.1:3000
}`;

/** How to put a reverse proxy in front: the documentation linked by the overlay. */
export function ProxyHelp({ app }: { app: string }): ReactNode {
  const t = useT('system');
  return (
    <main className="sp-blocked" id="main">
      <div className="sp-blocked__brand">
        <Wordmark name={app} />
      </div>
      <article className="sp-proxy-help">
        <h1>{t('proxyHelp.title')}</h1>
        <p>{t('proxyHelp.intro')}</p>
        <h2>{t('proxyHelp.caddy')}</h2>
        <pre>
          <code>{CADDY}</code>
        </pre>
        <h2>{t('proxyHelp.nginx')}</h2>
        <pre>
          <code>{NGINX}</code>
        </pre>
        <p>{t('proxyHelp.trusted')}</p>
        <p>{t('proxyHelp.appUrl')}</p>
        <div className="sp-btn-row">
          <a className="sp-btn" data-variant="secondary" href="/">
            <Icon name="arrow-left" />
            {t('proxyHelp.back')}
          </a>
        </div>
      </article>
    </main>
  );
}
