import { expect, test } from 'bun:test';
import { createRouter } from './router.ts';

test('a fixed path is found by its name, with all its handlers in order, and before a pattern that fits as well', () => {
  const router = createRouter<string>();
  router.add('GET', '/api/servers/usage', 'check');
  router.add('GET', '/api/servers/usage', 'answer');
  router.add('GET', '/api/servers/:id', 'one');
  const handlersOf = (method: string, path: string) => router.match(method, path)[0].map(([handler]) => handler);
  expect(handlersOf('GET', '/api/servers/usage')).toEqual(['check', 'answer']);
  expect(handlersOf('GET', '/api/servers/7')).toEqual(['one']);
  expect(handlersOf('POST', '/api/servers/usage')).toEqual([]);
  expect(handlersOf('GET', '/api/servers/usage/')).toEqual([]);
});
