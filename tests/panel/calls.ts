import type { Panel, PanelAnswer } from '#server/modules/servers/index.ts';
import { fakeClock } from '#tests/support/clock.ts';
import { furnish, httpPanelOver, shortTimer } from '#tests/support/http-panel.ts';
import { testLog } from '#tests/support/log.ts';
import { openFakePanel, type Dialect, type FakePanel } from '#tests/support/panels/index.ts';

/** A panel with one server that runs and one account beside its owner, and the product's adapter before it. */
export async function panelWorld(dialect: Dialect) {
  const clock = fakeClock();
  const timer = shortTimer();
  const log = testLog();
  const fake = await openFakePanel({ dialect, clock, rateLimits: { application: 1_000_000, client: 1_000_000 } });
  const { node, allocations, egg, image, startup } = furnish(fake);
  const { panel, catalogue } = httpPanelOver(fake, { clock, timer, log });
  const ids = allocations.map(String);
  const place = (at: number) => ({ node: String(node), allocation: ids[at] ?? '', additional: [] });
  const resources = { memory: 1024, disk: 2048, cpu: 100, ports: 1, databases: 0, backups: 0 };
  const environment = { SERVER_JARFILE: 'server.jar', MOTD: '' };
  const person = { externalId: 'user-1', username: 'ada', email: 'ada@example.test', firstName: 'Ada', lastName: 'B' };
  const location = { id: 'l1', name: 'Frankfurt', address: 'fra1.example.test' };
  const owner = await panel.ensureUser(person);
  const userId = owner.outcome === 'ok' ? owner.value : '';
  const spec = (externalId: string, at: number) => ({
    externalId,
    userId,
    name: 'Lanternwood',
    description: '',
    location,
    placement: place(at),
    egg: { id: String(egg), dockerImage: image, startup },
    resources,
    environment,
  });
  const made = await panel.createServer(spec('server-1', 0));
  if (made.outcome !== 'ok') throw new Error(`the world could not be made: ${JSON.stringify(made)}`);
  fake.finishInstalls();
  return {
    dialect,
    clock,
    timer,
    log,
    fake,
    panel,
    catalogue,
    person,
    userId,
    spec,
    server: made.value,
    ports: ids,
    node,
  };
}
export type PanelWorld = Awaited<ReturnType<typeof panelWorld>>;

/** What the panel and its machines hold, to see whether anything was changed. */
export function picture({ state }: FakePanel): string {
  const rows = [...state.servers.values()].map(({ variables, updatedMs: _time, ...row }) => ({
    ...row,
    variables: [...variables],
  }));
  const users = [...state.users.values()].map(({ updatedMs: _time, ...row }) => row);
  const ports = [...state.allocations.values()].map((row) => row.serverId);
  return JSON.stringify([rows, users, ports, [...state.usage], [...state.onMachine]]);
}

/** A call of the port, and the request of it that changes something (or asks, for those that change nothing). */
export interface PortCall {
  readonly name: Exclude<keyof Panel, 'driver' | 'typicalInstallMs' | 'links'>;
  readonly kind: 'read' | 'create' | 'write';
  /** As faults name it. */
  readonly request: string;
  /** The answer has no body, so that one that is slow is complete. */
  readonly silent?: boolean;
  /** What has to be so before. */
  prepare?(world: PanelWorld): Promise<unknown>;
  run(world: PanelWorld): Promise<PanelAnswer<unknown>>;
}
const details = { name: 'Skyhold', description: 'new', externalId: 'server-1' };
export const PORT_CALLS: readonly PortCall[] = [
  {
    name: 'ensureUser',
    kind: 'create',
    request: 'POST /users',
    run: ({ panel, person }) =>
      panel.ensureUser({ ...person, externalId: 'user-2', username: 'bob', email: 'bob@example.test' }),
  },
  {
    name: 'updateUser',
    kind: 'write',
    request: 'PATCH /users/*',
    run: ({ panel, person, userId }) => panel.updateUser(userId, { ...person, email: 'new@example.test' }),
  },
  {
    name: 'createServer',
    kind: 'create',
    request: 'POST /servers',
    run: ({ panel, spec }) => panel.createServer(spec('server-2', 1)),
  },
  {
    name: 'findServerByExternalId',
    kind: 'read',
    request: 'GET /servers/external/*',
    run: ({ panel }) => panel.findServerByExternalId('server-1'),
  },
  {
    name: 'readServer',
    kind: 'read',
    request: 'GET /servers/*',
    run: ({ panel, server }) => panel.readServer(server.panelId),
  },
  { name: 'newestServers', kind: 'read', request: 'GET /servers', run: ({ panel }) => panel.newestServers() },
  { name: 'listServers', kind: 'read', request: 'GET /servers', run: ({ panel }) => panel.listServers(1) },
  {
    name: 'setBuild',
    kind: 'write',
    request: 'PATCH /servers/*/build',
    run: ({ panel, server, ports }) =>
      panel.setBuild(server.panelId, {
        resources: { ...server.resources, memory: 2048, ports: 2 },
        addAllocations: [ports[2] ?? ''],
        removeAllocations: [],
      }),
  },
  {
    name: 'setDetails',
    kind: 'write',
    request: 'PATCH /servers/*/details',
    run: ({ panel, server, userId }) => panel.setDetails(server.panelId, { ...details, userId }),
  },
  {
    name: 'setStartup',
    kind: 'write',
    request: 'PATCH /servers/*/startup',
    run: ({ panel, server, spec }) =>
      panel.setStartup(server.panelId, {
        egg: spec('', 0).egg.id,
        dockerImage: 'img:2',
        startup: 'run',
        environment: { SERVER_JARFILE: 'paper.jar', MOTD: 'x' },
      }),
  },
  {
    name: 'suspend',
    kind: 'write',
    request: 'POST /servers/*/suspend',
    silent: true,
    run: ({ panel, server }) => panel.suspend(server.panelId),
  },
  {
    name: 'unsuspend',
    kind: 'write',
    request: 'POST /servers/*/unsuspend',
    silent: true,
    prepare: ({ panel, server }) => panel.suspend(server.panelId),
    run: ({ panel, server }) => panel.unsuspend(server.panelId),
  },
  {
    name: 'reinstall',
    kind: 'write',
    request: 'POST /servers/*/reinstall',
    silent: true,
    run: ({ panel, server }) => panel.reinstall(server.panelId),
  },
  {
    name: 'deleteServer',
    kind: 'write',
    request: 'DELETE /servers/*',
    silent: true,
    run: ({ panel, server }) => panel.deleteServer(server.panelId),
  },
  {
    name: 'usage',
    kind: 'read',
    request: 'GET /client/servers/*/resources',
    run: ({ panel, server }) => panel.usage(server.identifier ?? ''),
  },
  {
    name: 'power',
    kind: 'write',
    request: 'POST /client/servers/*/power',
    silent: true,
    run: ({ panel, server }) => panel.power(server.identifier ?? '', 'start'),
  },
];
