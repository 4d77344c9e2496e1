import { expect, test } from 'bun:test';
import { createPuzzles } from '#server/abuse/altcha.ts';
import { solveChallenge } from './pow.ts';

const puzzles = createPuzzles({ signature: 'a'.repeat(43), key: 'b'.repeat(43) });

test('what the browser solves is what the server takes, in the tries that were meant', async () => {
  const facts = { action: 'register', holder: 'somebody' } as const;
  const answer = await solveChallenge(await puzzles.make({ ...facts, cost: 100, expiresMs: 2000 }));
  expect(await puzzles.check(answer, { ...facts, nowMs: 1000 })).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{32}$/),
    expiresMs: 2000,
  });
  const { solution } = JSON.parse(atob(answer)) as { solution: { counter: number } };
  expect(solution.counter).toBeGreaterThanOrEqual(250);
  expect(solution.counter).toBeLessThanOrEqual(500);
});

test('the worked example of the contract holds', async () => {
  const parameters = {
    algorithm: 'PBKDF2/SHA-256',
    cost: 1000,
    keyLength: 32,
    keyPrefix: '6a2cd316e270dcf9e6606d127b818859',
    nonce: 'd17a4d0ce017230ee36ec07419c2f91b',
    salt: 'd26461d8c009a0faca944d695c837bbb',
  };
  const answer = JSON.parse(atob(await solveChallenge(JSON.stringify({ parameters, signature: '' })))) as {
    solution: object;
  };
  expect(answer.solution).toEqual({
    counter: 37,
    derivedKey: '6a2cd316e270dcf9e6606d127b8188591b9623fa06c5d716860fa7b3c3778e4e',
  });
});

test('a puzzle that is none is refused', async () => {
  for (const text of ['', 'null', '{}', '[]'])
    expect(
      await solveChallenge(text).then(
        () => 'solved',
        () => 'refused',
      ),
    ).toBe('refused');
});
