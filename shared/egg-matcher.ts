import { RE2JS } from 're2js';
import { parsePattern, type ParsedPattern } from './egg-pattern.ts';

/** Maximum number of cached programs. */
const MAX_PROGRAMS = 500;
const programs = new Map<string, ((value: string) => boolean) | null>();

/** The value as PCRE sees it: without its UTF mode each byte is a character. */
function toSubject(value: string, { unicode }: ParsedPattern): string {
  return unicode ? value : String.fromCharCode(...new TextEncoder().encode(value));
}

function compilePattern(text: string): ((value: string) => boolean) | null {
  const read = parsePattern(text);
  if (!read) return null;
  const flags =
    (read.caseless ? RE2JS.CASE_INSENSITIVE : 0) |
    (read.multiline ? RE2JS.MULTILINE : 0) |
    (read.dotAll ? RE2JS.DOTALL : 0);
  try {
    const program = RE2JS.compile(read.source, flags);
    return (value) => program.test(toSubject(value, read));
  } catch {
    // What the engine rejects is left to the panel.
    return null;
  }
}

/**
 * Whether a value fits a PCRE pattern with delimiters; null where that is left to the panel (see readPattern), also for
 * a value that is too long for it. The engine (RE2) takes time in proportion to pattern and value, whatever they are:
 * nothing here goes back and tries another way (attacks T52, T58). In: among how many patterns one run's time is
 * shared.
 */
export function matchPattern(text: string, value: string, among = 1): boolean | null {
  const read = parsePattern(text);
  if (!read || toSubject(value, read).length * among > read.maxLength) return null;
  let run = programs.get(text);
  if (run === undefined) {
    run = compilePattern(text);
    if (programs.size >= MAX_PROGRAMS) programs.clear();
    programs.set(text, run);
  }
  return run ? run(value) : null;
}
