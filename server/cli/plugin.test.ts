import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { readPackage } from '#server/plugins/package.ts';
import { VERSION } from '#server/version.ts';
import { roomyFolder } from '#tests/support/folder.ts';
import { spawnSandbox } from '#tests/support/plugin-packages.ts';
import { pluginCommand } from './plugin.ts';

setDefaultTimeout(300_000);

let folder: string;
const lines: string[] = [];
const output = { out: (line: string) => void lines.push(line), err: (line: string) => void lines.push(`! ${line}`) };
beforeEach(() => {
  folder = mkdtempSync(join(roomyFolder(), 'spawnpoint-plugin-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (name: string): string => join(folder, name);
const run = async (...argv: string[]): Promise<(string | number)[]> => {
  const code = await pluginCommand(argv, spawnSandbox, output);
  return [code, ...lines.splice(0)];
};
/** The faults of the plugin in `greeter`, without their marks. */
const faults = async () => (await run('check', at('greeter'))).slice(1).map((line) => String(line).slice(2));
const manifest = (change: object): void => {
  const path = at('greeter/plugin.json');
  writeFileSync(path, JSON.stringify({ ...(JSON.parse(readFileSync(path, 'utf8')) as object), ...change }));
};

test('a new plugin has nothing wrong with it, and an editor finds no fault in its code', async () => {
  expect(await run('new', at('greeter'))).toEqual([0, expect.stringContaining('Wrote')]);
  expect(readdirSync(at('greeter')).toSorted()).toEqual([
    'README.md',
    'client.js',
    'jsconfig.json',
    'plugin.json',
    'server.js',
    'spawnpoint.d.ts',
  ]);
  expect(await run('check', at('greeter'))).toEqual([0, 'greeter 1.0.0: nothing is wrong with it.']);
  const tsc = Bun.spawnSync([join(import.meta.dir, '../../node_modules/.bin/tsc'), '-p', 'jsconfig.json'], {
    cwd: at('greeter'),
  });
  expect([tsc.exitCode, tsc.stdout.toString()]).toEqual([0, '']);
});

test('a folder that holds something, and a name that no plugin may have, are left as they are', async () => {
  mkdirSync(at('full'));
  writeFileSync(at('full/notes'), 'mine');
  expect((await run('new', at('full')))[0]).toBe(1);
  expect(readdirSync(at('full'))).toEqual(['notes']);
  expect(await run('new', at('Bad Name'))).toEqual([1, expect.stringContaining('lower-case letters')]);
  expect(readdirSync(folder)).toEqual(['full']);
});

test('every fault of a manifest is said with its field and what to do', async () => {
  await run('new', at('greeter'));
  manifest({ version: '1', needs: 7, permissions: { evnts: [], hosts: ['https://votes.example'] }, colour: 'red' });
  const found = await faults();
  expect(found.map((line) => line.slice(0, line.indexOf(': ', 14)))).toEqual([
    'plugin.json: version',
    'plugin.json: needs',
    'plugin.json: permissions.hosts.0',
    'plugin.json: permissions',
    expect.stringMatching(/^plugin\.json/),
  ]);
  expect(found.join('\n')).toMatch(/as in 1\.0\.0[^]*without https:[^]*evnts[^]*colour/);
  writeFileSync(at('greeter/plugin.json'), '{');
  expect(await faults()).toEqual([expect.stringContaining('plugin.json: is no JSON')]);
  expect((await run('check', at('nowhere')))[0]).toBe(1);
});

test('what the product would refuse or never call is said before it is packed', async () => {
  await run('new', at('greeter'));
  manifest({
    identifier: 'webhooks',
    permissions: { events: ['user.verified', 'user.flew', 'ticket.*'] },
    tasks: { remind: 60 },
    settings: { tone: { type: 'choice', default: 'kind', choices: ['short'] } },
  });
  expect(await faults()).toEqual([
    expect.stringContaining('no event "user.flew"'),
    expect.stringContaining('"webhooks" is taken'),
    expect.stringContaining('settings.tone.label'),
    expect.stringContaining('none of its choices'),
    expect.stringContaining('no hook for it'),
    expect.stringContaining('no hook for it'),
    expect.stringContaining('permissions.endpoints'),
    expect.stringContaining('task "remind"'),
  ]);
  expect((await run('pack', at('greeter'), '--out', at('a.spawnpoint')))[0]).toBe(1);
  expect(readdirSync(folder)).toEqual(['greeter']);
  manifest({ identifier: 'greeter', needs: '99.0.0' });
  expect(await faults()).toContainEqual(expect.stringContaining(`this is Spawnpoint ${VERSION}, which is older`));
});

test.each([
  ['export default {', 'server.js:1'],
  ["import a from './a.js'; export default { a };", 'bundle what it needs'],
  ['const plugin = {};', 'no default export'],
  ['export default { events: null }; throw new Error("sunk");', 'sunk'],
  ['for (;;);', 'no default export'],
  ['for (;;); export default {};', 'it does not load'],
])('a server module of %p is said to be at fault, and is never waited for', async (code, text) => {
  await run('new', at('greeter'));
  writeFileSync(at('greeter/server.js'), code);
  expect((await faults()).join('\n')).toContain(text);
});

test('the same files make the same package, whenever they were written and whatever lies beside them', async () => {
  await run('new', at('greeter'));
  expect((await run('pack', at('greeter'), '--out', at('a.spawnpoint')))[0]).toBe(0);
  for (const name of readdirSync(at('greeter'))) utimesSync(at(`greeter/${name}`), 1e9, 1e9);
  writeFileSync(at('greeter/plugin.key'), 'a secret');
  expect((await run('pack', at('greeter'), '--out', at('b.spawnpoint')))[0]).toBe(0);
  const [first, second] = [readFileSync(at('a.spawnpoint')), readFileSync(at('b.spawnpoint'))];
  expect(first.equals(second)).toBe(true);
  const { files, signer } = readPackage(first);
  expect([...files.keys()].toSorted()).toEqual(['README.md', 'client.js', 'plugin.json', 'server.js']);
  expect(signer).toBeNull();
});

test('a key is for one person, printed nowhere, never replaced, and signs what the product then takes', async () => {
  await run('new', at('greeter'));
  await run('pack', at('greeter'), '--out', at('a.spawnpoint'));
  const made = await run('keygen', at('plugin.key'));
  const key = readFileSync(at('plugin.key'), 'utf8').trim();
  expect(statSync(at('plugin.key')).mode & 0o777).toBe(0o600);
  expect((await run('keygen', at('plugin.key')))[0]).toBe(1);
  expect(readFileSync(at('plugin.key'), 'utf8').trim()).toBe(key);
  const signed = await run('sign', at('a.spawnpoint'), '--key', at('plugin.key'));
  expect(signed).toEqual([0, expect.stringContaining('Signed')]);
  expect([...made, ...signed].join('\n')).not.toContain(key);
  const { signer } = readPackage(readFileSync(at('a.spawnpoint')));
  expect(made[1]).toContain(signer ?? 'nobody');
  const once = readFileSync(at('a.spawnpoint'));
  await run('sign', at('a.spawnpoint'), '--key', at('plugin.key'));
  expect(readFileSync(at('a.spawnpoint')).equals(once)).toBe(true);
});

test('keys that others may read and files that are no keys sign nothing, and none of them is shown', async () => {
  await run('new', at('greeter'));
  await run('pack', at('greeter'), '--out', at('a.spawnpoint'));
  const before = readFileSync(at('a.spawnpoint'));
  await run('keygen', at('plugin.key'));
  chmodSync(at('plugin.key'), 0o644);
  expect(await run('sign', at('a.spawnpoint'), '--key', at('plugin.key'))).toEqual([
    1,
    expect.stringContaining('chmod 600'),
  ]);
  writeFileSync(at('other.key'), 'no key at all', { mode: 0o600 });
  expect(await run('sign', at('a.spawnpoint'), '--key', at('other.key'))).toEqual([
    1,
    expect.stringContaining('is no key'),
  ]);
  expect(await run('sign', at('plugin.key'), '--key', at('other.key'))).toEqual([
    1,
    expect.stringContaining('no package'),
  ]);
  expect(readFileSync(at('a.spawnpoint')).equals(before)).toBe(true);
});

test('what is used wrongly says how it is used', async () => {
  for (const argv of [
    [],
    ['new'],
    ['new', 'a', 'b'],
    ['drop', 'a'],
    ['sign', 'a'],
    ['check', 'a', '--out', 'b'],
    ['pack', 'a', '--fast'],
    ['__proto__', 'a'],
  ])
    expect(await run(...argv)).toEqual([2, expect.stringContaining('Usage: spawnpoint plugin new DIR')]);
});
