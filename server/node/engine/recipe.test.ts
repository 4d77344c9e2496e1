import { expect, test } from 'bun:test';
import { specSchema } from '../store.ts';
import { environmentOfContainer, recipeOfContainer } from './recipe.ts';

const CONTAINER = { image: 'a', startup: 'java -jar {{JAR}}', stop: '', done: [] as string[], install: null };
const readyOf = (...done: string[]) => recipeOfContainer({ ...CONTAINER, done }).ready;
const isReady = (line: string, ...done: string[]) => {
  const ready = readyOf(...done);
  return typeof ready === 'function' ? ready(line) : null;
};

test('a server is ready by any part of a line or pattern of its egg, whatever its colours', () => {
  expect(isReady('[12:00] Done (3.1s)! For help', ')! For help')).toBe(true);
  expect(isReady('\u001b[32mServer \u001b[0mstarted', 'nothing', 'Server started')).toBe(true);
  expect(isReady('Listening on /0.0.0.0:25565', 'regex:^Listening on /[\\d.]+:\\d+$')).toBe(true);
  expect(isReady('Loading', ')! For help', 'regex:^Listening')).toBe(false);
});

test('without anything that can be known a server is ready as soon as it runs', () => {
  expect([readyOf(), readyOf(''), readyOf('regex:(?<=a)b(')]).toEqual([null, null, null]);
});

test('N24 a pattern of exponential time is matched in time', () => {
  expect(isReady(`${'a'.repeat(5000)}b`, 'regex:^(a+)+$')).not.toBe(true);
});

test('words of eggs for a signal are signals, everything else is written', () => {
  const stops = ['^C', '^^C', '^X', '', 'stop', '/stop now'];
  expect(stops.map((stop) => recipeOfContainer({ ...CONTAINER, stop }).stop)).toEqual([
    'SIGINT',
    'SIGINT',
    'SIGTERM',
    'SIGTERM',
    { command: 'stop' },
    { command: '/stop now' },
  ]);
});

test('no variable of an egg takes the place of what every server has', () => {
  const spec = specSchema.parse({
    id: '0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7c01',
    revision: 1,
    installation: 1,
    recipe: 'container',
    memory: 512,
    disk: 100,
    cpu: 100,
    ports: [25_565],
    suspended: false,
    environment: { JAR: 'a.jar', SERVER_PORT: '1', STARTUP: 'rm', SERVER_MEMORY: '9', HOME: '/x' },
    container: CONTAINER,
  });
  const env = environmentOfContainer(spec, CONTAINER, false);
  expect(env).toMatchObject({
    JAR: 'a.jar',
    SERVER_PORT: '25565',
    SERVER_MEMORY: '512',
    STARTUP: 'java -jar {{JAR}}',
    HOME: '/home/container',
  });
  expect(environmentOfContainer(spec, CONTAINER, true).HOME).toBe('/root');
});
