/**
 * The address of an image, absolute or a path of our own; null, with a warning, for anything that does not parse or is
 * not an http(s), data or blob URL (specification, section 5).
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
