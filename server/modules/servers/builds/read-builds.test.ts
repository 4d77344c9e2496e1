import { expect, test } from 'bun:test';
import type { Tx } from '../../tx.ts';
import type { ServerBuild } from '../core/ports.ts';
import { createBuildReader } from './read-builds.ts';

/** A reader over builds that are there under these ids, and the questions that it asks. */
function openReader(there: readonly string[]) {
  const questions: (readonly string[])[] = [];
  const servers = {
    async findBuilds(ids: readonly string[]) {
      questions.push(ids);
      return ids.filter((id) => there.includes(id)).map((id) => ({ entry: { id } }) as ServerBuild);
    },
  };
  // A reader asks for builds and for nothing else: the rest of a transaction is not there.
  const uow = { read: <T>(work: (tx: Tx) => Promise<T>) => work({ servers } as unknown as Tx) };
  const read = createBuildReader({ uow } as unknown as Parameters<typeof createBuildReader>[0]);
  return { questions, idOf: async (id: string) => (await read(id))?.entry.id ?? null };
}

test('jobs that are looked at together share one question, and each gets its own build or none', async () => {
  const { questions, idOf } = openReader(['a', 'b']);
  expect(await Promise.all([idOf('a'), idOf('gone'), idOf('b')])).toEqual(['a', null, 'b']);
  expect(questions).toEqual([['a', 'gone', 'b']]);
});

test('a build that is asked for later is read once more', async () => {
  const { questions, idOf } = openReader(['a']);
  await idOf('a');
  expect(await idOf('a')).toBe('a');
  expect(questions).toEqual([['a'], ['a']]);
});
