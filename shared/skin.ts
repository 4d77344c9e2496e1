/** Largest file of a skin, in bytes. */
export const SKIN_MAX_BYTES = 64 * 1024;
/** The sizes of a skin: the current format, and the old one without second layers. Width and height in pixels. */
const SKIN_SIZES = [
  [64, 64],
  [64, 32],
] as const;
/** Content type of a skin, both ways. */
export const SKIN_TYPE = 'image/png';

/** Address of the default skin. */
export const DEFAULT_SKIN = '/assets/skin.png';

/** Whether a picture of this size can be a skin. */
export function isSkinSize(width: number, height: number): boolean {
  return SKIN_SIZES.some(([w, h]) => w === width && h === height);
}
