import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sdkCommand } from '#server/cli/sdk.ts';
import { openApiDocument } from '#server/http/openapi.ts';
import { exampleOf, LANGUAGES, type Language } from '#server/ssr/api-docs/examples.ts';
import { readReference, type Operation } from '#server/ssr/api-docs/reference.ts';
import { TOKEN_SCOPES } from '#shared/token-scopes.ts';
import { roomyFolder } from '#tests/support/folder.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

// Shows that the client and the examples of the reference work as they are written, against a server with an address.

let h: Harness;
let server: Bun.Server<undefined>;
let origin: string;
let token: string;
let ann: Person;
let folder: string;
/** Requests that arrived: method and path, with the key of a command. */
let arrived: { readonly what: string; readonly key: string | null }[] = [];
/** Answers that get lost on the way, one after the other. */
let lost = 0;
const reference = readReference(openApiDocument('1.0.0'));

beforeAll(async () => {
  h = await openHarness();
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      arrived.push({ what: `${request.method} ${pathname}`, key: request.headers.get('idempotency-key') });
      const response = await h.http(pathname + search, {
        method: request.method,
        headers: request.headers,
        ...(request.body ? { body: await request.arrayBuffer() } : {}),
      });
      if (lost === 0) return response;
      lost -= 1;
      return new Response('gone', { status: 503 });
    },
  });
  origin = `http://127.0.0.1:${server.port}`;
  ann = await h.person('ann', { credits: 70 });
  const owner = await h.person('owner', { permissions: ['admin.root'] });
  const scopes = [...TOKEN_SCOPES];
  ({ token } = await h.host.services.apiTokens.operator.create(owner.username, {
    name: 'Bot',
    scopes,
    expires_in_days: null,
    addresses: '',
  }));
  folder = mkdtempSync(join(roomyFolder(), 'spawnpoint-sdk-'));
  const lines: string[] = [];
  expect(sdkCommand([join(folder, 'spawnpoint-sdk')], { out: (text) => lines.push(text), err: console.error })).toBe(0);
  expect(lines).toEqual([expect.stringContaining('Wrote the client')]);
}, 300_000);
afterAll(async () => {
  await server.stop(true);
  await h.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a program in the folder of the client. Out: what it printed; fails where it fails. */
async function run(command: readonly string[]): Promise<string> {
  const child = Bun.spawn([...command], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder, SPAWNPOINT_TOKEN: token },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${command.join(' ')}: ${code}\n${out}${err}`);
  return out;
}
async function runTypeScript(source: string): Promise<string> {
  writeFileSync(join(folder, 'program.ts'), source);
  return run([process.execPath, 'program.ts']);
}
const BEGIN = () => `import { createSpawnpoint, SpawnpointError } from './spawnpoint-sdk/client.ts';
const api = createSpawnpoint({ url: '${origin}', token: process.env.SPAWNPOINT_TOKEN ?? '' });
`;

describe('the TypeScript client', () => {
  test('the client compiles under the strictest rules, and refuses what the contract does not know', async () => {
    const tsc = [join(import.meta.dir, '../../node_modules/.bin/tsc'), '--ignoreConfig', '--noEmit', '--strict'];
    const options =
      '--target esnext --module preserve --allowImportingTsExtensions --lib esnext,dom,dom.iterable'.split(' ');
    const compile = (source: string) => {
      writeFileSync(join(folder, 'typed.ts'), source);
      return run([...tsc, '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', ...options, 'typed.ts']);
    };
    const begin = BEGIN().replace("process.env.SPAWNPOINT_TOKEN ?? ''", "''");
    await compile(`${begin}
      const { balance } = await api.adminUsers.adjust({ params: { id: '' }, body: { direction: 'in', amount: 1, reason: 'Order' } }, { key: 'order-1001' });
      const file: Response = await api.account.statementCsv();
      for await (const user of api.each('adminUsers.list', { query: { per_page: 10 } })) user.username.length + user.credits + balance;
      for await (const row of api.each('account.statement', {})) row.amount + file.status;
      new SpawnpointError('NOT_FOUND', 404).fields.amount;`);
    for (const wrong of [
      'await api.adminUsers.adjust({ body: {} });',
      "await api.servers.power({ params: { id: '' }, body: { signal: 'explode' } });",
      'await api.account.changePassword({});',
      "api.each('account.get', {});",
    ])
      expect([wrong, await compile(begin + wrong).catch(() => 'refused')]).toEqual([wrong, 'refused']);
  }, 300_000);

  test('T10 a program reads, pages through lists, gives credits once although answers get lost, and hears its errors', async () => {
    for (let at = 0; at < 30; at += 1) await h.person(`crowd${at}`);
    const before = await h.balance(ann.id);
    arrived = [];
    lost = 1;
    const out = await runTypeScript(`${BEGIN()}
      const { balance } = await api.adminUsers.adjust({
        params: { id: '${ann.id}' },
        body: { direction: 'in', amount: 30, reason: 'Order 1001', reference: 'shop:1001' },
      });
      const names = [];
      for await (const user of api.each('adminUsers.list', { query: { per_page: 10, sort: 'username' } })) names.push(user.username);
      const codes = [];
      for await (const code of api.each('adminRedeemCodes.list', { query: { per_page: 5 } })) codes.push(code);
      const wrong = await api.adminUsers
        .adjust({ params: { id: '${ann.id}' }, body: { direction: 'in', amount: 0, reason: 'Order' } })
        .catch((error) => error);
      const csv = await (await api.account.statementCsv()).text();
      const shut = await api.adminUsers.get({ params: { id: '01890000-0000-7000-8000-000000000000' } }).catch((error) => error);
      console.log(JSON.stringify({
        balance, names, codes: codes.length,
        wrong: [wrong instanceof SpawnpointError, wrong.code, wrong.status, wrong.fields, typeof wrong.requestId],
        csv: csv.split('\\n').length > 0, shut: shut.code,
      }));`);
    const said = JSON.parse(out) as Record<string, unknown>;
    expect(said).toMatchObject({
      balance: before + 30,
      codes: 0,
      wrong: [true, 'VALIDATION_FAILED', 422, { amount: ['TOO_SMALL'] }, 'string'],
      csv: true,
      shut: 'NOT_FOUND',
    });
    expect(new Set(said.names as string[]).size).toBe((said.names as string[]).length);
    expect((said.names as string[]).length).toBe(32);
    // The lost answer was asked for again, under the same key.
    const gives = arrived.filter(({ what }) => what.endsWith('/adjust')).slice(0, 2);
    expect(gives[0]?.key).toMatch(/^[\da-f-]{36}$/);
    expect(gives[1]).toEqual(gives[0]);
    expect(await h.balance(ann.id)).toBe(before + 30);
  }, 300_000);

  test('the command says how it is used, and what it cannot write', () => {
    const said: string[] = [];
    const terminal = { out: (text: string) => void said.push(text), err: (text: string) => void said.push(text) };
    expect([sdkCommand(['--help'], terminal), sdkCommand(['a', 'b'], terminal)]).toEqual([2, 2]);
    expect(sdkCommand([join(folder, 'spawnpoint-sdk', 'client.ts')], terminal)).toBe(1);
    expect(said).toHaveLength(3);
  });
});

describe('the examples of the reference', () => {
  let before: number;
  beforeAll(async () => {
    before = await h.balance(ann.id);
  });
  /** The example with what is really there in the place of its samples. */
  const written = (operation: Operation, language: Language) =>
    exampleOf(operation, language, origin).replaceAll('01890000-0000-7000-8000-000000000000', ann.id);
  const runExample = (operation: Operation, language: Language): Promise<string> => {
    const source = written(operation, language);
    if (language === 'typescript') return runTypeScript(source);
    return run(language === 'curl' ? ['sh', '-c', source.replace(/^curl/, 'curl -sS')] : ['python3', '-c', source]);
  };
  const of = (name: string): Operation => {
    const operation = reference.operations.get(name);
    if (!operation) throw new Error(`there is no ${name}`);
    return operation;
  };

  test.each(LANGUAGES)(
    'examples in %s work as they stand: reading, finding, giving credits',
    async (language) => {
      for (const name of [
        'account.get',
        'servers.list',
        'adminUsers.get',
        'adminUsers.list',
        'leaderboard.get',
        'system.settings',
      ])
        expect([name, await runExample(of(name), language)]).toEqual([
          name,
          expect.stringMatching(/success['"]?: *[tT]rue/),
        ]);
      await h.clock.advance(60_000);
      const given = await runExample(of('adminUsers.adjust'), language);
      expect(given).toContain('balance');
      // The same key in every language: it happens once, whichever is first.
      expect(await h.balance(ann.id)).toBe(before + 1);
      // A file: what curl writes into one, the others print.
      const csv = await runExample(of('account.statementCsv'), language);
      expect(language === 'curl' ? await Bun.file(join(folder, 'answer')).text() : csv).toContain(',');
    },
    120_000,
  );

  test('every example in TypeScript is one that the compiler takes', async () => {
    const programs = [...reference.operations.values()].filter(
      ({ caller, tags }) =>
        caller === 'token' || (caller === 'open' && !['Called by others', 'Authentication'].includes(tags[0] ?? '')),
    );
    const calls = programs.map((operation) => {
      const [, call] = /^(const answer = [\s\S]*?;)\nconsole/m.exec(written(operation, 'typescript')) ?? [];
      return `{ ${call} }`;
    });
    expect(calls.length).toBeGreaterThan(350);
    writeFileSync(
      join(folder, 'examples.ts'),
      `declare const Bun: { file(path: string): { bytes(): Promise<Uint8Array<ArrayBuffer>> } };\n${BEGIN().replace("process.env.SPAWNPOINT_TOKEN ?? ''", "''")}${calls.join('\n')}`,
    );
    const options =
      '--target esnext --module preserve --allowImportingTsExtensions --lib esnext,dom,dom.iterable'.split(' ');
    const tsc = join(import.meta.dir, '../../node_modules/.bin/tsc');
    expect(await run([tsc, '--ignoreConfig', '--noEmit', '--strict', ...options, 'examples.ts'])).toBe('');
  }, 300_000);

  test('every example in Python is one that Python reads', async () => {
    const sources = [...reference.operations.values()].map((operation) => written(operation, 'python'));
    writeFileSync(join(folder, 'examples.json'), JSON.stringify(sources));
    expect(
      await run([
        'python3',
        '-c',
        'import json\nfor s in json.load(open("examples.json")): compile(s, "example", "exec")',
      ]),
    ).toBe('');
  }, 300_000);
});
