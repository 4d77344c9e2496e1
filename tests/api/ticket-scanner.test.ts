import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { createVirusScanner, virusScannerCheck } from '#server/uploads/virus-scanner.ts';
import { faultOf } from '#server/modules/settings/values.ts';
import { openClamd } from '#tests/support/clamd.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { testLog } from '#tests/support/log.ts';
import { pngOf } from '#tests/support/pictures.ts';

// Shows the scanner of attacks T43, with a daemon that finds one word.

setDefaultTimeout(300_000);

let h: Harness;
let clamd: Awaited<ReturnType<typeof openClamd>>;
let mirela: Person;
beforeAll(async () => {
  h = await openHarness();
  clamd = await openClamd();
  mirela = await h.person('mirela');
});
afterAll(async () => {
  await clamd.close();
  await h.close();
});
beforeEach(async () => {
  clamd.behave('looks');
  clamd.files.length = 0;
  await h.set({ virus_scanner: clamd.address });
});

const bytesOf = (text: string) => new TextEncoder().encode(text);
const INFECTED = 'X5O!-EICAR-TEST-FILE';
const outcomeOf = (body: Uint8Array<ArrayBuffer>, name = 'latest.log') =>
  mirela.api.tickets.attach({ query: { name }, body }).then(
    () => 'kept',
    (error: { fields?: { file?: string[] } }) => error.fields?.file?.[0],
  );
const filesKept = async () => (await h.db.sql<{ n: number }>('SELECT count(*) AS n FROM ticket_attachments'))[0]?.n;

test('T43 a file is looked at as it was sent, and one in which something is found is kept nowhere', async () => {
  const before = Number(await filesKept());
  expect(await outcomeOf(bytesOf('bind failed'))).toBe('kept');
  expect(await outcomeOf(pngOf(20), 'tower.png')).toBe('kept');
  expect(clamd.files.map((file) => file.slice(0, 4))).toEqual(['bind', '\x89PNG']);
  expect(await outcomeOf(bytesOf(INFECTED))).toBe('ATTACHMENT_INFECTED');
  expect(await outcomeOf(new Uint8Array(Buffer.concat([pngOf(20), bytesOf(INFECTED)])), 'x.png')).toBe(
    'ATTACHMENT_INFECTED',
  );
  expect(Number(await filesKept())).toBe(before + 2);
});

test('T43 while the scanner is away, says something else, hangs up or hangs no file is taken, and it says so', async () => {
  for (const mood of ['closes', 'babbles', { says: 'INSTREAM size limit exceeded. ERROR' }, { says: '' }] as const) {
    clamd.behave(mood);
    expect([mood, await outcomeOf(bytesOf('bind failed'))]).toEqual([mood, 'ATTACHMENT_UNCHECKED']);
  }
  clamd.behave('silent');
  const settings = { current: () => ({ virus_scanner: clamd.address }) };
  const scan = createVirusScanner({ settings, log: testLog() }, { limitMs: 50 });
  expect(await scan(bytesOf('bind failed'))).toBe('away');
  await h.set({ virus_scanner: '127.0.0.1:1' });
  expect(await outcomeOf(bytesOf('bind failed'))).toBe('ATTACHMENT_UNCHECKED');
});

test('without a scanner files are taken as they are, and none is sent anywhere', async () => {
  await h.set({ virus_scanner: '' });
  expect([await outcomeOf(bytesOf(INFECTED)), clamd.files]).toEqual(['kept', []]);
});

test('the health says whether the scanner answers', async () => {
  const at = (address: string) => ({ settings: { current: () => ({ virus_scanner: address }) } });
  const codeAt = async (address: string, options = {}) => {
    const found = await virusScannerCheck(at(address), options).run(new AbortController().signal);
    return 'code' in found ? found.code : null;
  };
  expect([await codeAt(''), await codeAt(clamd.address), await codeAt('127.0.0.1:1')]).toEqual(['off', 'ok', 'away']);
  clamd.behave('silent');
  expect(await codeAt(clamd.address, { limitMs: 50 })).toBe('away');
});

test.each([
  ['127.0.0.1:3310', null],
  ['clamd.internal:3310', null],
  ['[::1]:3310', null],
  ['127.0.0.1', 'INVALID'],
  ['127.0.0.1:', 'INVALID'],
  ['http://127.0.0.1:3310', 'INVALID'],
  ['::1:3310', 'INVALID'],
  ['clamd:3310/x', 'INVALID'],
] as const)('the address %j of a scanner is judged %j', (address, fault) => {
  expect(faultOf('virus_scanner', address)).toBe(fault);
});
