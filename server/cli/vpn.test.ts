import { afterEach, expect, test } from 'bun:test';
import { abuseWorld, type AbuseWorld } from '#tests/support/abuse.ts';
import { vpnCommand } from './vpn.ts';

let world: AbuseWorld;
afterEach(() => world.close());

test('a list is loaded, shown and removed, and what is wrong is named', async () => {
  world = await abuseWorld();
  const lines: string[] = [];
  const output = { out: (line: string) => void lines.push(line), err: (line: string) => void lines.push(`! ${line}`) };
  const files: Record<string, string> = { good: '203.0.113.0/24\nnothing\n2001:db8::/32\n', bad: 'nothing\n' };
  const run = async (...argv: string[]) => [
    await vpnCommand(world, argv, async (path) => files[path] ?? '', output),
    ...lines.splice(0),
  ];
  expect(await run('show')).toEqual([0, 'No list is loaded.']);
  expect(await run('load', 'good')).toEqual([0, '2 networks loaded.', '! 1 lines aren’t networks: 2']);
  expect(await run('load', 'bad')).toEqual([1, '! No line is a network. No changes were made.']);
  expect(await run('show')).toEqual([0, `2 networks, loaded ${new Date(world.clock.now()).toISOString()}`]);
  expect(await run('clear')).toEqual([0, 'List cleared.']);
  for (const argv of [[], ['load'], ['load', 'a', 'b'], ['show', 'x'], ['drop']])
    expect((await run(...argv))[0]).toBe(2);
});
