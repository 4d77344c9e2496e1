import { afterAll, beforeAll, beforeEach } from 'bun:test';
import { serverOf, specOf, type NodeProcess } from './node-process.ts';

/** What of the machine a story takes for itself: ids of its website and its app, and their ports. */
interface Own {
  readonly ids: readonly [string, string];
  readonly ports: readonly [number, number];
}

/**
 * A website and a Bun app, for the tests of the `describe` that calls this: each begins with a website that runs, and
 * may run alone. Afterwards nothing is left of them. Out: both.
 */
export function useWebsiteAndApp(host: NodeProcess, { ids, ports }: Own) {
  const [web, app] = [serverOf(host, ids[0]), serverOf(host, ids[1])];
  beforeAll(async () => {
    await host.runtime.put(specOf(ids[0], ports[0]));
    await host.runtime.put(specOf(ids[1], ports[1], { recipe: 'bun-app' }));
    await app.reaches('running');
  });
  beforeEach(async () => {
    if ((await web.read()).state !== 'running') await web.power('start');
    await web.reaches('running');
  });
  afterAll(async () => {
    for (const id of ids) await host.runtime.remove(id);
  });
  return { web, app };
}
