import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { okOf } from '../conformance/panel.world.ts';
import { pageAt, until, type NodeProcess } from './node-process.ts';
import { useWebsiteAndApp } from './website-and-app.ts';

const [WEB, APP] = ['0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7c25', '0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7c26'];
const [PORT, APP_PORT] = [25_825, 25_826];

/** Tests of the console of a server, on a node that runs. */
export function testConsole(host: NodeProcess): void {
  describe('the console of a server', () => {
    const { app } = useWebsiteAndApp(host, { ids: [WEB, APP], ports: [PORT, APP_PORT] });

    test('N16 a console shows what a server writes and is sent, goes on after the node was killed, and tells gaps', async () => {
      const all = async (after: number) => okOf(await host.runtime.console(APP, after, 0));
      await app.kill();
      expect((await host.runtime.command(APP, 'too early')).outcome).toBe('conflict');
      await app.run(
        'console.log("hello");',
        'for await (const line of console) console.log("\\x1b[2J\\x1b[32mgot " + line);',
      );
      await until(async () => (await all(0)).lines.some((line) => line.text === 'hello'));
      expect((await host.runtime.command(APP, 'list')).outcome).toBe('ok');
      await until(async () => (await all(0)).lines.some((line) => line.text.endsWith('got list')));
      const before = await all(0);
      expect(before.lines.slice(-2).map(({ kind, text }) => [kind, text])).toEqual([
        ['in', 'list'],
        ['out', '\u001b[32mgot list'],
      ]);
      const { seq } = before.lines.at(-1) ?? { seq: 0 };
      const waiting = host.runtime.console(APP, seq, 12_000);
      await Bun.sleep(11_000);
      await host.runtime.command(APP, 'late');
      expect(okOf(await waiting).lines.length).toBeGreaterThan(0);
      await host.end('SIGKILL');
      await host.start();
      await app.reaches('running');
      await host.runtime.command(APP, 'again');
      await until(async () => (await all(seq)).lines.some((line) => line.text.endsWith('got again')));
      expect((await all(seq)).gap).toBe(true);
      await app.kill();
    });

    test('N6 a flood of output waits for the node, whose memory stays: others answer, and readers hear of gaps', async () => {
      const anonymous = () =>
        Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${host.pid()}/status`, 'utf8'))?.[1]) / 1024;
      const before = anonymous();
      await app.run(
        'import { writeFileSync, writeSync } from "node:fs";',
        'console.log("first");',
        'const lines = Buffer.from("[12:00:00] [Server thread/INFO]: Somebody joined the game\\n".repeat(1000));',
        'for await (const _ of console)',
        '  for (let n = 1; ; n += 1) { writeSync(1, lines); writeFileSync("written", String(n * lines.length)); }',
      );
      const lines = async (after: number) => okOf(await host.runtime.console(APP, after, 0));
      let first = 0;
      await until(async () => {
        first ||= (await lines(0)).lines.find(({ text }) => text === 'first')?.seq ?? 0;
        return first > 0;
      });
      okOf(await host.runtime.command(APP, 'go'));
      const written = () => Number(readFileSync(app.home('written'), 'utf8'));
      await until(() => existsSync(app.home('written')) && written() > 12 << 20);
      expect(anonymous() - before).toBeLessThan(100);
      expect(await pageAt(PORT)).toContain('It works');
      expect(await lines(first)).toMatchObject({ gap: true });
      await app.kill();
    });
  });
}
