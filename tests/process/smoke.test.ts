import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { smoke } from '#server/cli/smoke.ts';
import { composeWeb } from '#server/compose/web.ts';
import { readConfig } from '#server/env.ts';
import { selfSigned } from '#tests/support/certificate.ts';
import { openHarness, type Harness } from '#tests/support/harness.ts';
import { CLIENT_DIR } from '#tests/support/pages.ts';
import { BINARY } from './installation.ts';

/** An installation behind HTTPS with a certificate that nobody but its maker knows, as behind an authority of one's own. */
let harness: Harness;
let server: ReturnType<typeof Bun.serve>;
const folder = mkdtempSync(join(tmpdir(), 'spawnpoint-smoke-'));
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const mine = selfSigned('localhost');
const paths = {
  mine: file('mine.pem', mine.cert),
  other: file('other.pem', selfSigned('localhost').cert),
  none: file('none.pem', 'hello'),
};
beforeAll(async () => {
  harness = await openHarness();
  const { clock, host, transport, log } = harness;
  const handle = await composeWeb({
    config: readConfig({}),
    transport,
    clock,
    ids: host.services.ids,
    log,
    local: true,
    pages: true,
    clientDir: CLIENT_DIR,
  });
  server = Bun.serve({ hostname: 'localhost', port: 0, tls: mine, fetch: (request, own) => handle(request, own) });
});
afterAll(async () => {
  await server.stop(true);
  await harness.close();
  rmSync(folder, { recursive: true });
});

/** Runs the binary. Out: its exit code and all that it printed. */
async function run(...words: readonly string[]): Promise<{ code: number; text: string }> {
  const child = Bun.spawn([BINARY, 'smoke', ...words], { stdout: 'pipe', stderr: 'pipe', env: {} });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, text: out + err };
}
const url = () => `https://localhost:${server.port}`;

test('smoke trusts the authority of --ca, and then says that all holds', async () => {
  const { code, text } = await run(url(), '--ca', paths.mine);
  expect(text).toMatch(/all \d+ checks hold/);
  expect(code).toBe(0);
});

test('smoke trusts anybody with --insecure', async () => {
  const { code, text } = await run('--insecure', url());
  expect([code, text.includes('FAIL')]).toEqual([0, false]);
});

test.each([
  ['no authority', []],
  ['another authority', ['--ca', paths.other]],
] as const)('smoke with %s refuses a certificate that nobody vouches for, and says why', async (_, words) => {
  const { code, text } = await run(url(), ...words);
  expect(code).toBe(1);
  expect(text).toMatch(/self.signed certificate/i);
});

test('smoke still knows the authorities everybody knows when it is given one more', async () => {
  const checks = await smoke(url(), { ca: mine.cert });
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
});

test.each([
  [[], 'Usage:'],
  [['panel.example.com'], 'Usage:'],
  [['https://panel.example.com', '--ca'], 'Usage:'],
  [['https://panel.example.com', '--unknown'], 'Usage:'],
  [['https://panel.example.com', '--ca', '/no/such/file.pem'], 'cannot be read'],
  [['https://panel.example.com', '--ca', paths.none], 'no certificate'],
] as const)('smoke %j is used wrongly, and says how it is used', async (words, said) => {
  const { code, text } = await run(...words);
  expect([code, text.includes(said)]).toEqual([2, true]);
});
