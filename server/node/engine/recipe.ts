import { matchPattern } from '#shared/egg-matcher.ts';
import type { ContainerSpec } from '#shared/engine.ts';
import type { Recipe } from '../recipes.ts';
import type { Spec } from '../store.ts';

/** It saves its world first. */
const STOP_SECONDS = 60;
const PATTERN = 'regex:';
// eslint-disable-next-line no-control-regex
const COLOUR = /\u001b\[[0-9;]*m/g;

/**
 * What knows the line that says a server is ready: parts of it, or patterns, which the engine reads that takes linear
 * time. One that it does not read knows no line; with none that is left a server is ready as soon as it runs.
 */
function readyOf(done: readonly string[]): Recipe['ready'] {
  const knows = done.flatMap((text): ((line: string) => boolean)[] => {
    if (text === '') return [];
    if (!text.startsWith(PATTERN)) return [(line) => line.includes(text)];
    const pattern = `/${text.slice(PATTERN.length).replaceAll(/(?<!\\)\//g, '\\/')}/`;
    return matchPattern(pattern, '') === null ? [] : [(line) => matchPattern(pattern, line) === true];
  });
  if (knows.length === 0) return null;
  return (line) => {
    const plain = line.replaceAll(COLOUR, '');
    return knows.some((know) => know(plain));
  };
}
/** How it is asked to end: the words of eggs for a signal, or what is written into its standard input. */
function stopOf(stop: string): Recipe['stop'] {
  if (/^\^{1,2}C$/i.test(stop)) return 'SIGINT';
  return stop === '' || stop.startsWith('^') ? 'SIGTERM' : { command: stop };
}

/** How a server in a container is started and stopped. */
export const recipeOfContainer = ({ stop, done }: ContainerSpec): Recipe => ({
  files: {},
  inside: {},
  argv: [],
  ready: readyOf(done),
  stop: stopOf(stop),
  stopSeconds: STOP_SECONDS,
});

/**
 * What a server in a container finds in its environment: what images of eggs expect. Their entry script reads the start
 * command there, and puts the variables into it.
 */
export const environmentOfContainer = (
  { id, environment, ports, memory }: Spec,
  { startup }: ContainerSpec,
  isInstallation: boolean,
): Record<string, string> => ({
  // First, so that none of them takes the place of what every server has.
  ...environment,
  // Installations are root inside.
  ...(isInstallation ? { HOME: '/root' } : { HOME: '/home/container', USER: 'container' }),
  TZ: 'UTC',
  STARTUP: startup,
  SERVER_IP: '0.0.0.0',
  SERVER_PORT: String(ports[0]),
  SERVER_MEMORY: String(memory),
  P_SERVER_UUID: id,
});
