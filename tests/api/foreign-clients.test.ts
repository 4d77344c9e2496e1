import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { roomyFolder } from '#tests/support/folder.ts';
import { openHarness, type Harness } from '#tests/support/harness.ts';

// Shows that a generator of others makes a working client of the document that a running product serves.

const MODULES = join(import.meta.dir, '../../node_modules');
/** Openapi-typescript draws its types with the compiler of TypeScript 5; ours, 7, has no such interface. */
const GENERATE = `import { plugin } from 'bun';
import compiler from 'typescript5';
plugin({
  name: 'typescript5',
  setup: (build) => build.module('typescript', () => ({ exports: { ...compiler, default: compiler }, loader: 'object' })),
});
const { default: generate, astToString } = await import('openapi-typescript');
const document = await (await fetch(process.env.ORIGIN + '/api/openapi.json')).json();
await Bun.write('api.d.ts', astToString(await generate(document)));
`;

let h: Harness;
let server: Bun.Server<undefined>;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  h = await openHarness();
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      return h.http(pathname + search, {
        method: request.method,
        headers: request.headers,
        ...(request.body ? { body: await request.arrayBuffer() } : {}),
      });
    },
  });
  const owner = await h.person('owner', { permissions: ['admin.root'] });
  const { token } = await h.host.services.apiTokens.operator.create(owner.username, {
    name: 'Shop',
    scopes: ['admin.redeem.codes:write'],
    expires_in_days: null,
    addresses: '',
  });
  folder = mkdtempSync(join(roomyFolder(), 'spawnpoint-foreign-'));
  symlinkSync(MODULES, join(folder, 'node_modules'));
  env = { PATH: process.env.PATH ?? '', HOME: folder, ORIGIN: `http://127.0.0.1:${server.port}`, TOKEN: token };
  writeFileSync(join(folder, 'generate.ts'), GENERATE);
  await run([process.execPath, 'generate.ts']);
}, 300_000);
afterAll(async () => {
  await server.stop(true);
  await h.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a program in the folder of the client. Out: what it printed; fails where it fails. */
async function run(command: readonly string[]): Promise<string> {
  const child = Bun.spawn([...command], { cwd: folder, env, stdout: 'pipe', stderr: 'pipe' });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${command.join(' ')}: ${code}\n${out}${err}`);
  return out;
}
/** Writes a program over the generated types. Out: what the compiler says of it; '' where it is right. */
async function compile(source: string): Promise<string> {
  writeFileSync(
    join(folder, 'program.ts'),
    `import createClient from 'openapi-fetch';
     import type { paths } from './api.d.ts';
     const env = (globalThis as unknown as { process: { env: Record<string, string> } }).process.env;
     const api = createClient<paths>({ baseUrl: env.ORIGIN ?? '', headers: { Authorization: \`Bearer \${env.TOKEN}\` } });
     ${source}`,
  );
  const options =
    '--ignoreConfig --noEmit --strict --noUncheckedIndexedAccess --skipLibCheck --target esnext --module preserve --allowImportingTsExtensions --lib esnext,dom,dom.iterable';
  return run([join(MODULES, '.bin/tsc'), ...options.split(' '), 'program.ts']).catch(String);
}

test('a client that openapi-typescript made compiles, and logs in, creates, pages and hears errors as the document says', async () => {
  const said = await compile(`
    const code = (name: string, credits: number) => api.POST('/api/admin/redeem-codes', {
      body: { code: name, note: '', credits, uses_total: 1, min_age_days: 0, starts_at: null, ends_at: null, enabled: true },
    });
    for (let at = 0; at < 12; at += 1) if ((await code(\`SHOP-\${at}\`, 10)).error) throw new Error('refused');
    const names: string[] = [];
    for (let page = 1; ; page += 1) {
      const { data } = await api.GET('/api/admin/redeem-codes', { params: { query: { page, per_page: 10 } } });
      names.push(...(data?.rows ?? []).map((row) => row.code));
      if (page >= Math.ceil((data?.paging.total ?? 0) / 10)) break;
    }
    const wrong = await code('SHOP-99', 0);
    const twice = await code('SHOP-1', 10);
    const shut = await api.GET('/api/admin/users');
    const stranger = await api.GET('/api/admin/redeem-codes', { headers: { Authorization: 'Bearer wrong' } });
    console.log(JSON.stringify({
      names: new Set(names).size,
      wrong: [wrong.response.status, wrong.error?.error_code],
      twice: [twice.response.status, twice.error?.error_code],
      shut: [shut.response.status, shut.error?.error_code],
      stranger: [stranger.response.status, stranger.error?.error_code],
    }));`);
  expect(said).toBe('');
  expect(JSON.parse(await run([process.execPath, 'program.ts']))).toEqual({
    names: 12,
    wrong: [422, 'VALIDATION_FAILED'],
    twice: [422, 'VALIDATION_FAILED'],
    shut: [403, 'TOKEN_SCOPE_MISSING'],
    stranger: [401, 'UNAUTHENTICATED'],
  });
}, 300_000);

test('the types that openapi-typescript made refuse what the document does not know', async () => {
  for (const wrong of [
    "await api.GET('/api/nowhere');",
    "await api.POST('/api/admin/redeem-codes', { body: { code: 'A' } });",
    "const { data } = await api.GET('/api/admin/redeem-codes'); data?.rows[0]?.credits.length;",
    "await api.GET('/api/admin/users/{id}');",
  ])
    expect([wrong, await compile(wrong)]).toEqual([wrong, expect.stringContaining('error TS')]);
}, 300_000);
