import { journal } from '#client/lib/journal.ts';

/** The outcome of typed code: its value, or what it threw. */
export type Outcome = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown };

/** Runs a text as a script. Out: what it threw, a syntax error, or null. */
export type RunScript = (text: string) => { readonly error: unknown } | null;

declare global {
  interface Window {
    /** Typed code passes itself to this function, which exists only while a script of the terminal starts. */
    __debugRun?: (work?: () => unknown) => void;
  }
}

/** Declarations, which would also parse as expressions. */
const DECLARES = /^\s*(?:async\s+)?(?:function\b(?!\s*\()|class\b)/;

/**
 * Runs typed code and waits for its value, promises included. First as an expression; on a syntax error as a script, so
 * that its declarations stay; if it uses await, as the body of an async function. Never throws.
 */
export async function runCode(code: string, runScript: RunScript = runNonced): Promise<Outcome> {
  if (code.trim() === '') return { ok: true, value: undefined };
  if (!DECLARES.test(code)) {
    const asExpression = start(`__debugRun(async () => (\n${code.replace(/[;\s]+$/, '')}\n))`, runScript);
    if (asExpression.read) return asExpression.outcome;
  }
  const asScript = start(`__debugRun();\n${code}`, runScript);
  if (asScript.read || !/\bawait\b/.test(code)) return asScript.outcome;
  return start(`__debugRun(async () => {\n${code}\n})`, runScript).outcome;
}

function start(text: string, runScript: RunScript): { readonly read: boolean; readonly outcome: Promise<Outcome> } {
  let read = false;
  let outcome: Promise<Outcome> = Promise.resolve({ ok: true, value: undefined });
  window.__debugRun = (work) => {
    read = true;
    if (work)
      outcome = Promise.resolve()
        .then(work)
        .then(
          (value) => ({ ok: true, value }),
          (error: unknown) => ({ ok: false, error }),
        );
  };
  const failure = runScript(text);
  delete window.__debugRun;
  if (failure) outcome = Promise.resolve({ ok: false, error: failure.error });
  return { read, outcome };
}

/**
 * Runs a text under the page's content security policy: as a script with the page's nonce, which needs no
 * `unsafe-eval`.
 */
function runNonced(text: string): { readonly error: unknown } | null {
  let failure: { error: unknown } | null = null;
  const onError = (event: ErrorEvent) => {
    failure = { error: event.error ?? new Error(event.message) };
    event.preventDefault();
  };
  // The terminal shows what was thrown; it is not an error of the page. Window listeners run in the order they were
  // added, so a later one cannot hide an event from the journal: recording is paused instead.
  const { errors } = journal.recorded();
  journal.record('errors', false);
  addEventListener('error', onError);
  const script = document.createElement('script');
  // The attribute reads as empty, so that styles cannot leak it; the property does not.
  script.nonce = [...document.scripts].find(({ nonce }) => nonce !== '')?.nonce ?? '';
  script.textContent = text;
  document.head.append(script);
  script.remove();
  removeEventListener('error', onError);
  journal.record('errors', errors);
  return failure;
}
