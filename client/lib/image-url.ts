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
