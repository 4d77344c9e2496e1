import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { VERIFY_PYTHON, VERIFY_TYPESCRIPT } from '#shared/webhook-samples.ts';
import { roomyFolder } from '#tests/support/folder.ts';
import { createWebhookSender } from './standard.ts';

setDefaultTimeout(300_000);

const SECRETS = ['new', 'old'].map((text) => `whsec_${Buffer.from(text.padEnd(32, '.')).toString('base64')}`);
const BODY = '{"type":"user.renamed","version":1,"data":{"userId":"ș"}}';
const MAIN_TYPESCRIPT = `
const { secret, headers, body } = JSON.parse(await Bun.stdin.text());
console.log(JSON.stringify(verify(secret, headers, body)));`;
const MAIN_PYTHON = `
import sys
sys.stdin.reconfigure(encoding="utf-8")
given = json.load(sys.stdin)
print(json.dumps(verify(given["secret"], given["headers"], given["body"])))`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(roomyFolder(), 'spawnpoint-samples-'));
  writeFileSync(join(folder, 'verify.ts'), VERIFY_TYPESCRIPT + MAIN_TYPESCRIPT);
  writeFileSync(join(folder, 'verify.py'), VERIFY_PYTHON + MAIN_PYTHON);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A request of the product, as its receiver gets it. */
async function request(atMs: number): Promise<Record<string, string>> {
  let headers = new Headers();
  const sender = createWebhookSender({
    userAgent: () => 'test',
    timeoutMs: () => 1000,
    fetch: (_, init) => {
      headers = new Headers(init.headers);
      return Promise.resolve(new Response(null, { status: 204 }));
    },
  });
  await sender.send({ url: 'https://example.com/', secrets: SECRETS, id: 'e1', atMs, body: BODY });
  return headers.toJSON();
}
/** What a sample says of a request: its data, or that it is refused. */
async function verified(command: readonly string[], given: object): Promise<unknown> {
  const child = Bun.spawn([...command], { stdin: new Blob([JSON.stringify(given)]), stdout: 'pipe', stderr: 'ignore' });
  const text = await new Response(child.stdout).text();
  return (await child.exited) === 0 ? JSON.parse(text) : 'refused';
}

test.each([
  ['TypeScript', [process.execPath, 'verify.ts']],
  ['Python', ['python3', 'verify.py']],
] as const)('the sample in %s takes requests of the product and refuses all others', async (_, [program, file]) => {
  const command = [program, join(folder, file)];
  const headers = await request(Date.now());
  for (const secret of SECRETS)
    expect(await verified(command, { secret, headers, body: BODY })).toEqual(JSON.parse(BODY));
  const [secret = ''] = SECRETS;
  const refused = [
    { secret: `whsec_${btoa('another'.padEnd(32, '.'))}`, headers, body: BODY },
    { secret, headers, body: BODY.replace('1', '2') },
    { secret, headers: { ...headers, 'webhook-id': 'e2' }, body: BODY },
    { secret, headers: await request(Date.now() - 600_000), body: BODY },
    { secret, headers: {}, body: BODY },
  ];
  for (const given of refused) expect(await verified(command, given)).toBe('refused');
});
