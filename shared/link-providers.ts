/** Providers of links for rewards (behaviour 4.5); `generic` is described by templates in the settings alone. */
export const LINK_PROVIDERS = ['linkvertise', 'shareus', 'linkpays', 'gyanilinks', 'generic'] as const;
export type LinkProviderId = (typeof LINK_PROVIDERS)[number];

/** Whether a text names a provider. */
export function isLinkProvider(text: string): text is LinkProviderId {
  return LINK_PROVIDERS.some((id) => id === text);
}
