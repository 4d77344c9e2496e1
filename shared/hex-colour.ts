const HEX = /^#[0-9a-f]{6}$/i;

/** Whether a text is a colour as settings hold it: `#rrggbb`. */
export function isHexColour(text: string): boolean {
  return HEX.test(text);
}
