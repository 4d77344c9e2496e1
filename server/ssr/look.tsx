import type { ReactNode } from 'react';
import type { LinkPreview } from '#client/lib/link-preview.ts';
import type { Api } from '#shared/contract/index.ts';
import { LOOK_STYLE_ID } from '#shared/look.ts';
import { pictureUrl } from '#shared/picture-url.ts';

type System = Awaited<ReturnType<Api['system']['settings']>>;
export type Look = System['look'];

/** The tokens that the host's settings replace, as a style; nothing where there are none. */
export function LookStyle({ look, nonce }: { look: Look; nonce: string }): ReactNode {
  return (
    look.style && (
      <style id={LOOK_STYLE_ID} nonce={nonce}>
        {look.style}
      </style>
    )
  );
}

interface SiteHeadProps {
  readonly system: System;
  /** Of the product, where neither the page nor the host says anything. */
  readonly description: string;
  /** What the page itself wants shown; undefined: what the installation does. */
  readonly preview: LinkPreview | undefined;
}

/** The icons of the installation, its manifest, and what other services show of a link to it. */
export function SiteHead({ system, description, preview }: SiteHeadProps): ReactNode {
  const { look, settings } = system;
  const name = String(settings.app_name ?? '');
  const said = preview?.description || look.description || description;
  const picture = preview?.picture ?? (look.preview === null ? null : pictureUrl(look.preview, 'whole'));
  return (
    <>
      <meta name="description" content={said} />
      <meta property="og:type" content={preview ? 'article' : 'website'} />
      <meta property="og:title" content={preview?.title ?? name} />
      <meta property="og:site_name" content={name} />
      <meta property="og:description" content={said} />
      {picture !== null && (
        <>
          <meta property="og:image" content={`${baseOf(settings.app_url)}${picture}`} />
          <meta name="twitter:card" content="summary_large_image" />
        </>
      )}
      {look.icon === null ? (
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
      ) : (
        <>
          <link rel="icon" href={pictureUrl(look.icon, '64')} type="image/png" />
          <link rel="apple-touch-icon" href={pictureUrl(look.icon, '192')} />
        </>
      )}
      <link rel="manifest" href="/api/system/manifest.webmanifest" />
    </>
  );
}

/** The public address without a slash at its end: other services read no relative addresses. */
const baseOf = (url: unknown): string => String(url ?? '').replace(/\/+$/, '');
