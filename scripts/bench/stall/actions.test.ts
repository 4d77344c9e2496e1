import { expect, test } from 'bun:test';
import { HELP } from '#server/cli/help.ts';
import { ACTIONS, LEFT_OUT } from './actions.ts';

/** Words that are no verb: what an operator fills in, and options. */
const isVerb = (word: string | undefined) => word !== undefined && /^[a-z0-9-]+$/.test(word) && !word.startsWith('-');

/** Every command of the help with each of its verbs: `backup list`, `user token create`, `doctor`. */
function documented(): string[] {
  const lines = HELP.slice(HELP.indexOf('Usage:'), HELP.indexOf('Environment'))
    .split('\n')
    .map((line) => /^ {2}([a-z][^\s].*?)(?: {2,}|$)/.exec(line)?.[1])
    .filter((line) => line !== undefined);
  return lines.flatMap((line) => {
    const [first = '', ...others] = line.split(' | ').map((part) => part.split(' '));
    const [command = '', ...rest] = first as string[];
    const before = rest.filter(isVerb).slice(0, -1);
    const verbs = [rest.filter(isVerb).at(-1), ...others.map(([word]) => word)].filter(isVerb);
    return verbs.length === 0 ? [command] : verbs.map((verb) => [command, ...before, verb].join(' '));
  });
}

test('every command of the help is asked for beside a running server, or has a reason why not', () => {
  const subjects = { largest: 'ann', networks: 'networks', dump: 'dump', folder: 'folder', url: 'url' };
  const asked = ACTIONS.map(({ words }) => words(subjects, new Map()).join(' '));
  const missing = documented().filter(
    (words) => LEFT_OUT[words] === undefined && !asked.some((each) => `${each} `.startsWith(`${words} `)),
  );
  expect(documented().length).toBeGreaterThan(40);
  expect(missing).toEqual([]);
});
