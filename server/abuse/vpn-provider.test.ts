import { afterEach, beforeEach, expect, test } from 'bun:test';
import { SETTINGS, type SettingValues } from '#shared/settings.ts';
import { MINUTE } from '#shared/time.ts';
import { fakeClock } from '#tests/support/clock.ts';
import { testLog } from '#tests/support/log.ts';
import { standIn, type StandIn } from '#tests/support/standin.ts';
import { createVpnProvider, verdictIn } from './vpn-provider.ts';

const defaults = Object.fromEntries(Object.entries(SETTINGS).map(([key, row]) => [key, row.default])) as SettingValues;
const V3 = 'status.none,{ip}.detections.vpn,{ip}.detections.proxy,{ip}.detections.tor'.split(',').slice(1);
const v3 = (detections: object, address = '203.0.113.1') => ({
  status: 'ok',
  [address]: {
    network: { type: 'Hosting' },
    detections: { proxy: false, vpn: false, tor: false, hosting: true, ...detections },
  },
});

let service: StandIn;
let settings: SettingValues;
let answer: unknown;
const clock = fakeClock();
const log = testLog();
beforeEach(async () => {
  answer = v3({}, '8.8.8.8');
  service = await standIn(() => ({ body: JSON.stringify(answer) }));
  settings = {
    ...defaults,
    vpn_provider_url: `${service.url}/v3/{ip}?key={key}`,
    vpn_provider_key: 'hush/1',
    vpn_provider_paths: V3.join(', '),
    vpn_provider_value: 'true',
  };
});
afterEach(() => service.close());
const provider = () => createVpnProvider({ settings: { current: () => settings }, clock, log, fetch });

test.each([
  ['clean', v3({}), 'clean'],
  ['a data centre alone', v3({ hosting: true }), 'clean'],
  ['a VPN', v3({ vpn: true }), 'vpn'],
  ['a proxy', v3({ proxy: true }), 'vpn'],
  ['tor', v3({ tor: true }), 'vpn'],
  ['booleans as words', v3({ vpn: 'true' }), 'vpn'],
  ['flags that are null', v3({ vpn: null }), 'unknown'],
  ['a flag that is missing', { status: 'ok', '203.0.113.1': { detections: { vpn: false } } }, 'unknown'],
  ['a warning with data', { ...v3({ vpn: true }), status: 'warning', message: 'near the limit' }, 'vpn'],
  ['denied', { status: 'denied', message: 'limit' }, 'unknown'],
  ['another address', v3({ vpn: false }, '203.0.113.2'), 'unknown'],
  ['a list', [], 'unknown'],
  ['nothing', null, 'unknown'],
])('an answer of the third version is read: %s', (_, body, expected) =>
  expect(verdictIn(body, { address: '203.0.113.1', paths: V3, wanted: 'true' })).toBe(expected as never),
);

test('T20 an address is compared as an address, so that another spelling of it is found and another address is not', () => {
  const ask = (key: string, address: string) =>
    verdictIn({ [key]: { proxy: 'yes' } }, { address, paths: ['{ip}.proxy'], wanted: 'yes' });
  expect([
    ask('2001:0db8:0::1', '2001:db8::1'),
    ask('2001:db8::2', '2001:db8::1'),
    ask('__proto__', '2001:db8::1'),
  ]).toEqual(['vpn', 'unknown', 'unknown']);
});

test('IPQualityScore and the like have plain paths', () => {
  const paths = ['vpn', 'tor'];
  expect(verdictIn({ success: true, vpn: true, tor: false }, { address: '203.0.113.1', paths, wanted: 'true' })).toBe(
    'vpn',
  );
  expect(verdictIn({ success: false, message: 'quota' }, { address: '203.0.113.1', paths, wanted: 'true' })).toBe(
    'unknown',
  );
  expect(verdictIn({ constructor: 'true' }, { address: '203.0.113.1', paths: ['toString'], wanted: 'true' })).toBe(
    'unknown',
  );
});

test('the provider is asked with the address and the key, in the address or in a header', async () => {
  expect(await provider().ask('8.8.8.8')).toBe('clean');
  expect(service.asked[0]?.url.pathname + String(service.asked[0]?.url.search)).toBe('/v3/8.8.8.8?key=hush%2F1');
  settings = { ...settings, vpn_provider_url: `${service.url}/{ip}`, vpn_provider_header: 'X-Key' };
  answer = v3({ vpn: true }, '8.8.8.8');
  expect(await provider().ask('8.8.8.8')).toBe('vpn');
  expect(service.asked[1]?.headers['x-key']).toBe('hush/1');
});

test.each([
  ['a server error', { kind: 'status', status: 500 }],
  ['too many requests', { kind: 'status', status: 429 }],
  ['a page', { kind: 'body', body: '<html>' }],
  ['a cut line', { kind: 'lost' }],
  ['no answer', { kind: 'hang' }],
  ['an answer without end', { kind: 'body', body: `{"x":"${'x'.repeat(80_000)}"}` }],
] as const)('T20 %s is no verdict, and the key stands in no log', async (_, fault) => {
  service.faults.push(fault);
  expect(await provider().ask('8.8.8.8')).toBe('unknown');
  expect(JSON.stringify(log.lines)).not.toContain('hush');
});

test('after five failures nobody is asked for a minute', async () => {
  const own = provider();
  for (let index = 0; index < 5; index += 1) service.faults.push({ kind: 'status', status: 503 });
  for (let index = 0; index < 7; index += 1) expect(await own.ask('8.8.8.8')).toBe('unknown');
  expect(service.asked.length).toBe(5);
  clock.advance(MINUTE);
  expect(await own.ask('8.8.8.8')).toBe('clean');
});
