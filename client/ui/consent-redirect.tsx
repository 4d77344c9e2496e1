import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { Banner } from './banner.tsx';

/**
 * The way to the consent page of another service: scripts take it by themselves. A form of ours may not lead to another
 * site, so without scripts it is a link. In: the address, what happens there, and the words of the link.
 */
export function ConsentRedirect({ url, text, link }: { url: string; text: string; link: string }): ReactNode {
  // An effect, because leaving the page is outside React.
  useEffect(() => window.location.assign(url), [url]);
  return (
    <Banner
      live
      action={
        <a className="sp-link" href={url} rel="noreferrer">
          {link}
        </a>
      }
    >
      {text}
    </Banner>
  );
}
