import { expect, test } from 'bun:test';
import type { ServerView } from '#shared/contract/server-views.ts';
import { stagesOf } from './stages.ts';
import { queue, server } from './testing.ts';

const steps = (...entries: readonly [code: string, second: number][]) =>
  entries.map(([code, second]) => ({
    at: new Date(Date.UTC(2026, 10, 21, 18, 0, second)).toISOString(),
    code,
    detail: null,
  }));
const states = (state: ServerView['state'], ...entries: readonly [string, number][]) =>
  stagesOf(server({ state, queue: queue({ steps: steps(...entries) }) })).map((stage) => stage.state);

test('a waiting server stands in the queue', () => {
  expect(states('queued', ['queued', 0])).toEqual(['current', 'todo', 'todo', 'todo']);
});

test('a server that is being built shows the stage the log has reached, with how long the earlier ones took', () => {
  expect(states('installing', ['queued', 0], ['started', 20], ['userEnsured', 21])).toEqual([
    'done',
    'current',
    'todo',
    'todo',
  ]);
  const stages = stagesOf(
    server({
      state: 'installing',
      queue: queue({ steps: steps(['queued', 0], ['started', 20], ['created', 24], ['waiting', 25]) }),
    }),
  );
  expect(stages.map(({ state, tookMs }) => [state, tookMs])).toEqual([
    ['done', 20_000],
    ['done', 4000],
    ['current', null],
    ['todo', null],
  ]);
});

test('a failed server shows the stage where it stopped', () => {
  expect(states('failed', ['queued', 0], ['started', 5], ['retry', 40], ['failed', 90], ['released', 90])).toEqual([
    'done',
    'error',
    'todo',
    'todo',
  ]);
  expect(states('failed', ['queued', 0], ['started', 5], ['created', 9], ['failed', 90])).toEqual([
    'done',
    'done',
    'error',
    'todo',
  ]);
});

test('Screen 7 the stepper of a failed server shows the step that failed, and never the last one as failed', () => {
  expect(states('failed', ['queued', 0], ['started', 5], ['failed', 20])).toEqual(['done', 'error', 'todo', 'todo']);
  expect(states('failed', ['queued', 0], ['started', 5], ['created', 9], ['installed', 50], ['failed', 90])).toEqual([
    'done',
    'done',
    'error',
    'todo',
  ]);
  expect(states('failed', ['queued', 0], ['failed', 20])).toEqual(['error', 'todo', 'todo', 'todo']);
});

test('a server that is queued once more begins again', () => {
  expect(states('queued', ['queued', 0], ['started', 5], ['failed', 9], ['queued', 30])).toEqual([
    'current',
    'todo',
    'todo',
    'todo',
  ]);
});

test('a ready server has everything done', () => {
  expect(states('active', ['queued', 0], ['started', 5], ['created', 9], ['installed', 50])).toEqual([
    'done',
    'done',
    'done',
    'done',
  ]);
  expect(stagesOf(server()).map((stage) => stage.state)).toEqual(['done', 'done', 'done', 'done']);
});
