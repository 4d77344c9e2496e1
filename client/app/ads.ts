import { recordedFetch } from '#client/lib/fetch.ts';

/** Page-level ads (specification, section 7). */
const AD_SCRIPT = 'https://pagead2.googlesyndication.com/pagead/js/adsbygoogle.js';

/** The ad client code. Rejects where it cannot be had. */
export async function fetchAdCode(): Promise<string> {
  const response = await recordedFetch('/api/system/ga-ads');
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.text();
}

/** Loads the script of page-level ads, under the page's nonce. */
export function showAds(client: string, warn: (text: string) => void): void {
  const script = document.createElement('script');
  script.async = true;
  script.crossOrigin = 'anonymous';
  script.nonce = document.querySelector('script')?.nonce ?? '';
  script.src = `${AD_SCRIPT}?client=${encodeURIComponent(client)}`;
  // An ad blocker, or a network that blocks ads.
  script.addEventListener('error', () => warn('ads skipped: their script could not be loaded'), { once: true });
  document.head.append(script);
}
