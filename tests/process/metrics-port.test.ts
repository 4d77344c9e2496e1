import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { Installation } from './installation.ts';

setDefaultTimeout(300_000);

let running: Installation | undefined;
afterEach(async () => {
  await running?.remove();
  running = undefined;
});

/** Starts the product with a port of their own for the metrics. Out: what a path of a port answers. */
async function start(env: Readonly<Record<string, string>> = {}) {
  const free = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('') });
  const port = String(free.port);
  await free.stop(true);
  const installation = new Installation({ METRICS_PORT: port, ...env });
  running = installation;
  await installation.start();
  const ask = (origin: string, path: string, token?: string) =>
    fetch(`${origin}${path}`, { headers: token === undefined ? {} : { Authorization: `Bearer ${token}` } });
  return {
    own: (path: string, token?: string) => ask(`http://127.0.0.1:${port}`, path, token),
    everybody: (path: string, token?: string) => ask(installation.url, path, token),
  };
}

test('with METRICS_PORT the metrics are on a port of their own, which has nothing else, and are nowhere else', async () => {
  const { own, everybody } = await start();
  const answer = await own('/metrics');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toContain('text/plain; version=0.0.4');
  expect(await answer.text()).toContain('spawnpoint_info{version=');
  for (const path of ['/', '/api/system/settings', '/mc-admin'])
    expect([path, (await own(path)).status]).toEqual([path, 404]);
  expect((await everybody('/metrics')).status).toBe(404);
});

test('with METRICS_TOKEN as well, both ports give the metrics to those alone who show it', async () => {
  const token = 'a-token-of-twenty-four-signs';
  const { own, everybody } = await start({ METRICS_TOKEN: token });
  for (const ask of [own, everybody]) {
    expect((await ask('/metrics')).status).toBe(401);
    expect((await ask('/metrics', 'another')).status).toBe(401);
    expect((await ask('/metrics', token)).status).toBe(200);
  }
});
