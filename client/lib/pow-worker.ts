import { solveChallenge } from './pow.ts';

/**
 * The worker that solves challenges: a file of its own (scripts/client-build.ts), so that the page stays quick
 * meanwhile. Takes one challenge, gives one answer.
 */
globalThis.addEventListener('message', (event: MessageEvent<string>) => {
  void solveChallenge(event.data).then(
    (answer) => globalThis.postMessage({ answer }, {}),
    () => globalThis.postMessage({ answer: null }, {}),
  );
});
