/** Where the build puts the worker. */
const WORKER = '/assets/pow.js';
/** After this long a puzzle counts as unsolvable. */
const PUZZLE_TIMEOUT_MS = 120_000;
/** How long Turnstile's script may take to load. */
const SCRIPT_TIMEOUT_MS = 15_000;

/**
 * Solves a puzzle in a worker. In: the puzzle as the server gave it. Rejects when the worker cannot be loaded or finds
 * no solution; aborting `signal` stops it.
 */
export function solvePuzzle(puzzle: string, signal: AbortSignal): Promise<string> {
  const worker = new Worker(WORKER, { type: 'module' });
  return new Promise<string>((resolve, reject) => {
    const fail = (): void => reject(new Error('the puzzle was not solved'));
    const timer = setTimeout(fail, PUZZLE_TIMEOUT_MS);
    signal.addEventListener('abort', () => (clearTimeout(timer), fail()));
    worker.addEventListener('error', fail);
    worker.addEventListener('message', ({ data }: MessageEvent<{ answer: string | null }>) =>
      data.answer === null ? fail() : resolve(data.answer),
    );
    worker.postMessage(puzzle, []);
  }).finally(() => worker.terminate());
}

/** The part of Turnstile that is used (services: its page side). */
interface Turnstile {
  render(element: HTMLElement, options: Readonly<Record<string, unknown>>): string;
  remove(widget: string): void;
}
declare global {
  interface Window {
    turnstile?: Turnstile;
  }
}

/**
 * Shows Turnstile's widget in an element and waits for its token. Rejects where the script is blocked, the widget
 * fails, or neither responds; aborting `signal` removes the widget.
 */
export async function requestTurnstileToken(
  element: HTMLElement,
  facts: { siteKey: string; script: string; action: string },
  signal: AbortSignal,
): Promise<string> {
  await loadScript(facts.script);
  const { turnstile } = window;
  if (!turnstile) throw new Error('the script brought no widget');
  return new Promise<string>((resolve, reject) => {
    const fail = (): void => reject(new Error('the widget gave no token'));
    const widget = turnstile.render(element, {
      sitekey: facts.siteKey,
      action: facts.action,
      callback: resolve,
      'error-callback': fail,
      'expired-callback': fail,
      'timeout-callback': fail,
    });
    signal.addEventListener('abort', () => {
      turnstile.remove(widget);
      fail();
    });
  });
}

/** Third-party scripts run because one of our own loads them (`strict-dynamic`). */
function loadScript(src: string): Promise<void> {
  if (window.turnstile) return Promise.resolve();
  return new Promise<void>((resolve, reject) => {
    const script = document.createElement('script');
    const timer = setTimeout(() => reject(new Error('the script did not come')), SCRIPT_TIMEOUT_MS);
    script.src = src;
    script.async = true;
    script.addEventListener('load', () => (clearTimeout(timer), resolve()));
    script.addEventListener(
      'error',
      () => (clearTimeout(timer), script.remove(), reject(new Error('the script is blocked'))),
    );
    document.head.append(script);
  });
}
