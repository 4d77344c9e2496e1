import { describe, expect, test } from 'bun:test';
import { DomainError } from '#shared/errors.ts';
import { runEach } from './run-each.ts';

/** Runs a command that is refused for some ids and breaks at others. Out: what was tried, the outcome, and the log. */
async function attempt(ids: readonly string[], refused: readonly string[], broken: readonly string[]) {
  const tried: string[] = [];
  const logged: string[] = [];
  const outcome = await runEach({ error: (event) => void logged.push(event) }, ids, async (id) => {
    tried.push(id);
    if (refused.includes(id)) throw new DomainError('REPORT_CLOSED');
    if (broken.includes(id)) throw new Error('disk is full');
  }).catch((error: Error) => error.message);
  return { tried, outcome, logged };
}

describe('a command on several', () => {
  test('a refusal stops nobody else, and each is counted once', async () => {
    expect(await attempt(['a', 'a', 'b', 'c'], ['b'], [])).toEqual({
      tried: ['a', 'b', 'c'],
      outcome: { done: 2, refused: [{ id: 'b', code: 'REPORT_CLOSED' }] },
      logged: [],
    });
  });

  test('a fault of the server is logged once, and the answer says what was done before it and what was not', async () => {
    expect(await attempt(['a', 'b', 'c', 'd'], ['b'], ['c', 'd'])).toEqual({
      tried: ['a', 'b', 'c'],
      outcome: {
        done: 1,
        refused: [
          { id: 'b', code: 'REPORT_CLOSED' },
          { id: 'c', code: 'SERVER_ERROR' },
          { id: 'd', code: 'SERVER_ERROR' },
        ],
      },
      logged: ['bulk.broke_off'],
    });
  });

  test('a fault before anything was done is thrown', async () => {
    expect(await attempt(['a', 'b', 'c'], ['a'], ['b'])).toEqual({
      tried: ['a', 'b'],
      outcome: 'disk is full',
      logged: [],
    });
  });

  test('a refusal of the command itself is thrown only where nothing was done', async () => {
    const outcome = (from: string) =>
      runEach(
        { error: () => {} },
        ['a', 'b'],
        async (id) => {
          if (id >= from) throw new DomainError('VALIDATION_FAILED');
        },
        () => true,
      );
    await expect(outcome('a')).rejects.toThrow('VALIDATION_FAILED');
    expect(await outcome('b')).toEqual({ done: 1, refused: [{ id: 'b', code: 'VALIDATION_FAILED' }] });
  });
});
