import { expect, test } from 'bun:test';
import { connect } from 'node:net';
import { fakeClock, testIds } from './clock.ts';

test('a warning that is expected does not fail the test', () => {
  expectConsole(/disk is .* full/);
  console.warn('disk is', { nearly: true }, 'full');
  expect(true).toBe(true);
});

test('the real network is refused, this machine is not', async () => {
  await expect(fetch('https://example.com/')).rejects.toThrow('a test tried to reach example.com');
  expect(() => connect({ host: '203.0.113.1', port: 80 })).toThrow('a test tried to reach 203.0.113.1');
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('here') });
  expect(await (await fetch(server.url)).text()).toBe('here');
  await server.stop(true);
});

test('time stands still until it is moved, identifiers are the same in every run and sortable', () => {
  const clock = fakeClock(1000);
  expect([clock.now(), clock.advance(5), clock.now()]).toEqual([1000, 1005, 1005]);
  const [one, two] = [testIds(), testIds()];
  const made = Array.from({ length: 300 }, () => one.uuid());
  expect(made).toEqual(Array.from({ length: 300 }, () => two.uuid()));
  expect(made.toSorted()).toEqual(made);
  expect(made[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
});
