import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { composeWeb } from '#server/compose/web.ts';
import { readConfig } from '#server/env.ts';
import { openHarness, type Harness } from '#tests/support/harness.ts';
import { createMetricsResponder, createRequestMeter, renderMetrics } from './metrics.ts';

setDefaultTimeout(300_000);

const TOKEN = 'metrics-token-of-the-test';
const row = { code: 'ok', facts: {}, atMs: 5000, tookMs: 1 } as const;
const FACTS = {
  version: '1.2.3',
  startedMs: 1000,
  report: null,
  requests: createRequestMeter().read(),
  loop: { p99: 12, max: 30 },
};
/** Every line of the format: a comment, or a name with labels and a number. */
const LINE =
  /^(?:# (?:HELP|TYPE) [a-z_]+ .+|[a-z_]+(?:\{[a-z_]+="(?:[^"\\\n]|\\.)*"(?:,[a-z_]+="(?:[^"\\\n]|\\.)*")*\})? -?[\d.]+(?:e[+-]?\d+)?)$/;

test('the metrics are lines as Prometheus reads them, with what the checks found', () => {
  const text = renderMetrics({
    ...FACTS,
    report: {
      atMs: 5000,
      rows: [
        { ...row, key: 'size', subject: null, status: 'ok', figure: 4096 },
        { ...row, key: 'database', subject: null, status: 'warning', figure: 250 },
      ],
    },
  });
  for (const line of text.trimEnd().split('\n')) expect(line).toMatch(LINE);
  for (const line of [
    'spawnpoint_info{version="1.2.3",bun="' + Bun.version + '"} 1',
    'spawnpoint_health_status{check="database",subject=""} 2',
    'spawnpoint_database_size_bytes 4096',
    'spawnpoint_database_response_seconds 0.25',
    'spawnpoint_event_loop_delay_seconds{quantile="0.99"} 0.012',
  ])
    expect(text.split('\n')).toContain(line);
});

test('the Grafana dashboard asks for metrics that there are', async () => {
  const dashboard = await Bun.file(join(import.meta.dir, '../../scripts/deploy/grafana.json')).text();
  const asked = new Set([...dashboard.matchAll(/\b(?:spawnpoint|process)_[a-z_]+(?=\{)/g)].map(([name]) => name));
  const figures = ['size', 'database', 'disk', 'queue', 'mail'] as const;
  const text = renderMetrics({
    ...FACTS,
    report: { atMs: 0, rows: figures.map((key) => ({ ...row, key, subject: null, status: 'ok', figure: 1 })) },
  });
  expect(asked.size).toBeGreaterThan(8);
  for (const name of asked) expect(text).toContain(`\n${name}`);
});

test('T54 the name of a panel ends neither its label nor its line', () => {
  const name = 'a"} 1\nspawnpoint_info{version="evil\\';
  const text = renderMetrics({
    ...FACTS,
    report: { atMs: 0, rows: [{ ...row, key: 'panels', subject: name, status: 'critical', figure: null }] },
  });
  for (const line of text.trimEnd().split('\n')) expect(line).toMatch(LINE);
  expect(text.match(/^spawnpoint_info/gm)).toHaveLength(1);
});

test('requests are counted by class of status and by how long they took', () => {
  const meter = createRequestMeter();
  for (const [status, ms] of [
    [200, 5],
    [204, 6],
    [404, 99_999],
    [500, 0],
  ] as const)
    meter.note(status, ms);
  const { byClass, buckets, sumMs } = meter.read();
  expect(byClass).toEqual([0, 0, 2, 0, 1, 1]);
  expect([buckets[0], buckets[1], buckets.at(-2), buckets.at(-1), sumMs]).toEqual([2, 3, 3, 4, 100_010]);
});

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

test('the metrics are for whoever shows the token, and where none is set there are none', async () => {
  const meter = createRequestMeter();
  const metrics = createMetricsResponder(TOKEN, () => renderMetrics({ ...FACTS, requests: meter.read() }));
  const common = {
    config: readConfig({}),
    transport: harness.transport,
    clock: harness.clock,
    ids: harness.host.services.ids,
    log: harness.log,
    local: true,
    pages: false,
  };
  const [open, none] = [await composeWeb({ ...common, meter, metrics }), await composeWeb(common)];
  const server = { requestIP: () => ({ address: '127.0.0.1' }), timeout: () => undefined };
  const ask = (app: typeof open, authorization?: string) =>
    app(
      new Request('http://127.0.0.1/metrics', { headers: authorization === undefined ? {} : { authorization } }),
      server,
    );
  expect((await ask(none, `Bearer ${TOKEN}`)).status).toBe(404);
  for (const wrong of [undefined, TOKEN, `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, 'Bearer ', `Basic ${TOKEN}`])
    expect((await ask(open, wrong)).status).toBe(401);
  const answer = await ask(open, `Bearer ${TOKEN}`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  // The six that were refused are counted, the one under way is not yet.
  expect(await answer.text()).toContain('spawnpoint_http_requests_total{status="4xx"} 6');
});
