import { solveChallenge } from './pow.ts';

/**
 * The worker that solves challenges: a file of its own (scripts/client-build.ts), so that the page stays responsive.
 * Takes one challenge, posts one answer.
 */
globalThis.addEventListener('message', (event: MessageEvent<string>) => {
  void solveChallenge(event.data).then(
    (answer) => globalThis.postMessage({ answer }, {}),
    () => globalThis.postMessage({ answer: null }, {}),
  );
});
