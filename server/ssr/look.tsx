import type { ReactNode } from 'react';
import type { PageCard } from '#client/lib/page-card.ts';
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

/** The icons of the installation, its manifest, and what other services show of a link to it. */
export function SiteHead({
  system,
  description,
  card,
}: {
  system: System;
  description: string;
  /** That of the page; null: that of the installation. */
  card: PageCard | null;
}): ReactNode {
  const { look, settings } = system;
  const name = String(settings.app_name ?? '');
  return (
    <>
      <meta name="description" content={look.description || description} />
      <meta property="og:type" content="website" />
      {card ? (
        <CardHead card={card} />
      ) : (
        <>
          <meta property="og:title" content={name} />
          <meta property="og:site_name" content={name} />
          <meta property="og:description" content={look.description || description} />
          {look.preview !== null && (
            <>
              <meta property="og:image" content={`${baseOf(settings.app_url)}${pictureUrl(look.preview, 'whole')}`} />
              <meta name="twitter:card" content="summary_large_image" />
            </>
          )}
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

/** What other services show of a link to one page. */
function CardHead({ card: { title, description, site, color, image } }: { card: PageCard }): ReactNode {
  return (
    <>
      <meta property="og:title" content={title} />
      <meta property="og:site_name" content={site} />
      {description !== '' && <meta property="og:description" content={description} />}
      {color !== '' && <meta name="theme-color" content={color} />}
      {image && (
        <>
          <meta property="og:image" content={image.url} />
          {image.width !== null && <meta property="og:image:width" content={String(image.width)} />}
          {image.height !== null && <meta property="og:image:height" content={String(image.height)} />}
          <meta name="twitter:card" content="summary_large_image" />
        </>
      )}
    </>
  );
}

/** The public address without a slash at its end: other services read no relative addresses. */
const baseOf = (url: unknown): string => String(url ?? '').replace(/\/+$/, '');
