import { afterEach, expect, test } from 'bun:test';
import { openHarness, type Harness } from '#tests/support/harness.ts';
import { standInConnector, standInPanel, type StandInPanel } from '#tests/support/panel-standin.ts';
import { panelCommand } from './panel.ts';

const URL_A = 'https://panel.example.com';
let harness: Harness | null = null;
afterEach(async () => {
  await harness?.close();
  harness = null;
});

async function terminal(panel: StandInPanel = standInPanel(), typed = '') {
  const opened = (harness = await openHarness({
    panelsOutside: {
      connector: standInConnector({ [URL_A]: panel }),
      resolve: () => Promise.resolve(['93.184.215.14']),
    },
  }));
  const lines = { out: [] as string[], err: [] as string[] };
  const run = (...argv: string[]) => {
    lines.out.length = lines.err.length = 0;
    return panelCommand(opened.host.services, argv, () => Promise.resolve(typed), {
      out: (line) => lines.out.push(line),
      err: (line) => lines.err.push(line),
    });
  };
  return { run, lines, panel };
}
const ADD = ['add', '--name', 'Main', '--url', URL_A];

test('a panel is added, listed, tested and read from the command line', async () => {
  const panel = standInPanel({ missing: [{ right: 'eggs', level: 'read' }] });
  const { run, lines } = await terminal(panel, `${panel.key}\n`);
  expect(await run('list')).toBe(0);
  expect(lines.out).toEqual(['No panel connected.']);
  expect(await run(...ADD, '--key', '-')).toBe(1);
  const id = /Connected: (\S+)/.exec(lines.out[0] ?? '')?.[1] ?? '';
  expect(lines.out).toContain('MISSING  eggs (read)');
  expect(lines.out).toContain('ok       servers (write)');
  panel.missing = [];
  expect(await run('test', id)).toBe(0);
  expect(await run('sync', id)).toBe(0);
  expect(lines.out).toEqual(['ok', '3 new, 0 changed, 0 missing']);
  panel.faults.set('eggs', { outcome: 'unknown' });
  expect(await run('sync', id)).toBe(1);
  expect(lines.out).toEqual(['failed at eggs (unknown)']);
  expect(await run('list')).toBe(0);
  expect(lines.out[0]).toContain('Main  pterodactyl  https://panel.example.com  enabled  0 servers  catalogue failed');
  expect(JSON.stringify(lines)).not.toContain(panel.key);
});

test('a refused field is named, and wrong use is explained', async () => {
  const { run, lines } = await terminal();
  expect(await run(...ADD, '--key', 'ptla_wrong')).toBe(1);
  expect(lines.err).toEqual(['key: NOT_ALLOWED']);
  expect(await run('add', '--name', 'Main', '--url', 'https://panel.example.com/path', '--key', 'k')).toBe(1);
  expect(lines.err).toEqual(['url: INVALID']);
  expect(await run('add', '--name', 'Main', '--url', 'https://silent.example.com', '--key', 'k')).toBe(1);
  expect(lines.err).toEqual(['url: PANEL_SILENT']);
  expect(await run('test', '01890000-0000-7000-8000-000000000000')).toBe(1);
  expect(await run('sync', '01890000-0000-7000-8000-000000000000')).toBe(1);
  for (const wrong of [
    [],
    ['add'],
    ['test'],
    ['sync', 'a', 'b'],
    [...ADD, '--key'],
    [...ADD, '--key', 'k', '--kind', 'other'],
    [...ADD, '--key', 'k', '--loud', 'x'],
    ['list', 'x'],
  ]) {
    expect(await run(...wrong)).toBe(2);
    expect(lines.err[0]).toStartWith('Usage: spawnpoint panel');
  }
});
