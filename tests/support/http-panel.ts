import type { Clock, Log } from '#server/modules/kernel.ts';
import { createHttpPanel, type HttpPanel, type PanelBudgets, type PanelTimer } from '#server/panel/index.ts';
import { fakeClock } from './clock.ts';
import { testLog } from './log.ts';
import type { FakePanel } from './panels/index.ts';

/** Above this a wait is one for an answer, not a pause between tries. */
const PAUSE_MS = 5000;
export interface ShortTimer extends PanelTimer {
  /** Time-outs that wait are over now. Out: how many. */
  expire(): number;
}
/** A timer without time: pauses between tries are over at once, and time-outs when the test says so. */
export function shortTimer(): ShortTimer {
  const waiting = new Set<() => void>();
  return {
    after(ms, run) {
      if (ms >= PAUSE_MS) {
        waiting.add(run);
        return () => void waiting.delete(run);
      }
      const handle = setImmediate(run);
      return () => clearImmediate(handle);
    },
    expire() {
      const due = [...waiting];
      waiting.clear();
      for (const run of due) run();
      return due.length;
    },
  };
}

/** Turns that come at once: the budget has tests of its own, and with a clock that stands still it would never fill up. */
const FREE: PanelBudgets = {
  of: (_url, _api, limit) => ({
    take: () => Promise.resolve(true),
    answered: () => {},
    lost: () => {},
    state: () => ({ limit, left: limit, resetsMs: 0 }),
  }),
};

export interface AdapterOptions {
  readonly clock?: Clock;
  readonly timer?: PanelTimer;
  readonly log?: Log;
  /** The middle unless told. */
  readonly random?: () => number;
  /** Turns that come at once unless told. */
  readonly budgets?: PanelBudgets;
  /** The fake's unless told. */
  readonly key?: string;
  /** The fake's unless told; null: none is set. */
  readonly clientKey?: string | null;
}
/** The product's own adapter on a fake panel, over HTTP. */
export function httpPanelOver(fake: FakePanel, options: AdapterOptions = {}): HttpPanel {
  const { clock = fakeClock(), timer = shortTimer(), log = testLog(), random = () => 0.5, budgets = FREE } = options;
  const deps = { fetch: (url: string, init: RequestInit) => fetch(url, init), clock, timer, random, log, budgets };
  const row = {
    id: 'panel-1',
    url: fake.url,
    key: options.key ?? fake.applicationKey,
    clientKey: options.clientKey === undefined ? fake.clientKey : options.clientKey,
    dialect: fake.dialect,
  };
  return createHttpPanel(deps, row);
}

/** What a small host has: one place, one machine with ports, one egg. Ids are those of the panel. */
export function furnish(fake: FakePanel, { ports = 10 }: { ports?: number } = {}) {
  const pelican = fake.dialect === 'pelican';
  const location = pelican ? null : fake.addLocation({ short: 'fra', long: 'Frankfurt' }).id;
  const node = fake.addNode({
    locationId: location,
    tags: pelican ? ['fra'] : [],
    fqdn: 'fra1.example.test',
    memory: 4_194_304,
    disk: 41_943_040,
  }).id;
  const allocations = fake.addAllocations(node, {
    ip: '192.0.2.10',
    alias: 'fra1.example.test',
    ports: Array.from({ length: ports }, (_, at) => 25_565 + at),
  });
  if (!pelican) fake.addNest({ name: 'Minecraft' });
  const egg = fake.addEgg({
    name: 'Paper',
    variables: [
      { env: 'SERVER_JARFILE', rules: 'required|regex:/^([\\w\\d._-]+)(\\.jar)$/', defaultValue: 'server.jar' },
      { env: 'MOTD', rules: 'nullable|string|max:20' },
    ],
  });
  return {
    location,
    node,
    allocations,
    egg: egg.id,
    image: Object.values(egg.dockerImages)[0] ?? '',
    startup: egg.startup,
  };
}
