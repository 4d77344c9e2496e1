/** A picture is loaded when it comes this near, or a tenth of it is in view (specification, section 9). */
export const LAZY = { rootMargin: '50px', threshold: 0.1 } as const;

/**
 * The address of a picture, if it is one: absolute, or a path of our own. Anything that does not parse, and anything
 * but http(s), data and blob pictures, is dropped with a warning (specification, section 5).
 */
export function imageUrl(source: string, base: string): string | null {
  const url = URL.parse(source, base);
  if (
    source.trim() !== '' &&
    url &&
    (['https:', 'http:', 'blob:'].includes(url.protocol) || url.href.startsWith('data:image/'))
  )
    return url.href;
  // oxlint-disable-next-line no-console
  console.warn('picture dropped: not a valid address', source);
  return null;
}

/**
 * Addresses of the same picture in several widths, for `srcset`. The server makes the widths; see the picture's own
 * address.
 */
export function variants(url: string, widths: readonly number[]): string {
  return widths
    .map((width) => {
      const sized = new URL(url);
      sized.searchParams.set('w', String(width));
      return `${sized.href} ${width}w`;
    })
    .join(', ');
}
