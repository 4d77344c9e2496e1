/** A piece of a line in one colour. */
interface Span {
  readonly text: string;
  /** Name of a colour and whether it is bold, as `data-ansi` has it; null for plain text. */
  readonly look: string | null;
}

// oxlint-disable-next-line no-control-regex -- colours of a terminal begin with the control character
const COLOUR = /\u001B\[([0-9;]*)m/g;

/** The text of a line without its colours. */
export const plainText = (text: string): string => text.replaceAll(COLOUR, '');

/** The name of a look, after the codes of one sequence (ECMA-48, SGR). Only the sixteen colours and bold are known. */
function lookAfter(look: { colour: number | null; bold: boolean }, codes: string): typeof look {
  let next = look;
  const numbers = codes.split(';').map(Number);
  for (let index = 0; index < numbers.length; index += 1) {
    const code = numbers[index] ?? 0;
    if (code === 0) next = { colour: null, bold: false };
    else if (code === 1 || code === 22) next = { ...next, bold: code === 1 };
    else if (code === 39) next = { ...next, colour: null };
    else if (code >= 30 && code <= 37) next = { ...next, colour: code - 30 };
    else if (code >= 90 && code <= 97) next = { ...next, colour: code - 90 };
    // Colours of a palette or of their own: what follows are their numbers, not codes.
    else if (code === 38 || code === 48) index += numbers[index + 1] === 5 ? 2 : 4;
  }
  return next;
}

const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

/** A line in pieces by colour. In: text with sequences of colours only. */
export function toSpans(text: string): readonly Span[] {
  const spans: Span[] = [];
  let look: { colour: number | null; bold: boolean } = { colour: null, bold: false };
  let from = 0;
  const add = (part: string): void => {
    if (part === '') return;
    const names = [look.colour === null ? null : COLOURS[look.colour], look.bold ? 'bold' : null].filter(Boolean);
    spans.push({ text: part, look: names.length > 0 ? names.join(' ') : null });
  };
  for (const found of text.matchAll(COLOUR)) {
    add(text.slice(from, found.index));
    look = lookAfter(look, found[1] ?? '');
    from = found.index + found[0].length;
  }
  add(text.slice(from));
  return spans;
}

/** A text cut at each place where `query` is found, whatever the case: every second piece is one. */
export function cutAt(text: string, query: string): readonly string[] {
  const [lower, needle] = [text.toLowerCase(), query.toLowerCase()];
  // A text that changes its length with its case cannot be cut by its places.
  if (needle === '' || lower.length !== text.length) return [text];
  const parts = lower.split(needle);
  let from = 0;
  return parts.flatMap((part, index) => {
    const at = from + part.length;
    const pieces = [text.slice(from, at), text.slice(at, at + needle.length)];
    from = at + needle.length;
    return index < parts.length - 1 ? pieces : pieces.slice(0, 1);
  });
}
