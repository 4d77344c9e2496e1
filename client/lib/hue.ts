/** Number of hue buckets in the tokens (`data-hue`), one every 30 degrees. */
export const HUES = 12;

/** The bucket (0 to 11) of a name or id: always the same for the same text (FNV-1a). */
export function hueOf(seed: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < seed.length; index++) {
    hash ^= seed.charCodeAt(index);
    hash = Math.imul(hash, 0x01000193);
  }
  return (hash >>> 0) % HUES;
}
