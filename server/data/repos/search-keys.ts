/** After every text that begins with another one, byte by byte. */
export const LAST = '\u{10FFFF}';
export const ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
/** A support PIN, as it is stored or as it is read out. */
export const PIN = /^\d{3} ?\d{3}$/;
export const DISCORD_ID = /^\d{15,20}$/;
/** What may be an IP address, as sessions have it. */
export const IP_ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f:.]*:[0-9a-f:.]*)$/;

/** Folds as the databases' lower() does on columns that are compared byte by byte: only A to Z. */
export const folded = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
