/** What was found of texts that are not as they should be. */
export interface TextFaults {
  /** Values that were not UTF-8 and were read as Windows-1252. */
  latin1: number;
  /** Values that were UTF-8 encoded twice ("Ã¼" for "ü") and were repaired. */
  mended: number;
}
export const noTextFaults = (): TextFaults => ({ latin1: 0, mended: 0 });

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const cp1252 = new TextDecoder('windows-1252');
/** The byte of every character that Windows-1252 has beyond ASCII. */
const BYTE_OF = new Map(
  Array.from({ length: 128 }, (_, i) => [cp1252.decode(new Uint8Array([128 + i])), 128 + i] as const),
);

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

/** The bytes that a text has in Windows-1252; null where it has characters beyond it. */
function toCp1252(text: string): Uint8Array | null {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    const byte = code < 128 ? code : BYTE_OF.get(text[i] ?? '');
    if (byte === undefined) return null;
    bytes[i] = byte;
  }
  return bytes;
}

/**
 * Repairs a text that was UTF-8 and was encoded once more, as old dumps over a latin1 connection are; any other text
 * stays as it is.
 */
export function mendText(text: string, faults: TextFaults): string {
  if (!/[\u00c2-\u00f4]./u.test(text)) return text;
  const bytes = toCp1252(text);
  const mended = bytes && decodeUtf8(bytes);
  if (mended === null || mended === text) return text;
  faults.mended += 1;
  return mended;
}

/**
 * The text of bytes that a dump has, as a string of one character a byte: UTF-8, or Windows-1252 where it is none. NUL
 * characters, which no column of ours takes, are left out.
 */
export function decodeBytes(binary: string, faults: TextFaults): string {
  // oxlint-disable-next-line no-control-regex -- bytes of a file: NUL is looked for on purpose
  const clean = binary.includes('\0') ? binary.replaceAll('\0', '') : binary;
  if (!/[\x80-\xff]/.test(clean)) return clean;
  const bytes = Buffer.from(clean, 'latin1');
  const text = decodeUtf8(bytes);
  if (text !== null) return mendText(text, faults);
  faults.latin1 += 1;
  return cp1252.decode(bytes);
}
