import { join } from 'node:path';
import type { Subprocess } from 'bun';
import { openHost, type Host } from '#server/compose/host.ts';
import { readConfig } from '#server/env.ts';
import { createLog } from '#server/http/log.ts';
import { systemIds } from '#server/kernel.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import { DAY, MINUTE } from '#shared/time.ts';
import type { Filled, Order, Ready, Said } from './panel-fake.ts';
import { LOAD_CORE, pinned } from './pin.ts';

/** A panel to measure with. */
export interface BenchPanel {
  readonly ready: Ready;
  order(kind: Exclude<Order['kind'], 'fill'>): Promise<number>;
  /** Out: the panel's ids. */
  fill(servers: readonly Filled[]): Promise<readonly number[]>;
  stop(): Promise<void>;
}
/** Starts a panel with so many ports in a process of its own on the other core, and waits until it answers. */
export async function startPanel(ports: number): Promise<BenchPanel> {
  const waiting: ((said: Said) => void)[] = [];
  const nextMessage = () => new Promise<Said>((resolve) => waiting.push(resolve));
  const first = nextMessage();
  const child: Subprocess = Bun.spawn(
    pinned(LOAD_CORE, [process.execPath, join(import.meta.dir, 'panel-process.ts'), String(ports)]),
    {
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'ignore',
      ipc: (said: Said) => waiting.shift()?.(said),
    },
  );
  const { ready } = await first;
  if (!ready) throw new Error('the panel did not say where it is');
  async function send(order: Order): Promise<Said['value']> {
    const said = nextMessage();
    child.send(order);
    return (await said).value;
  }
  return {
    ready,
    async order(kind) {
      const value = await send({ kind });
      return typeof value === 'number' ? value : 0;
    },
    async fill(servers) {
      const value = await send({ kind: 'fill', servers });
      return Array.isArray(value) ? value : [];
    },
    async stop() {
      child.kill();
      await child.exited;
    },
  };
}

/** Makes a panel known to a host: its row, and the sample catalogue on it. Out: its id. */
export async function joinPanel(
  host: Host,
  { url, key, clientKey, egg, location, image, startup }: Ready,
): Promise<string> {
  const { services, database } = host;
  await services.panels.addFirst({ dialect: 'pterodactyl', url, key, clientKey });
  const [row] = await database.read(({ raw }) => raw.all<{ id: string }>('SELECT id FROM panels'));
  if (!row) throw new Error('the panel was not added');
  const variables = JSON.stringify([
    {
      env: 'SERVER_JARFILE',
      name: 'Jar',
      description: '',
      default_value: 'server.jar',
      rules: 'required|string',
      user_editable: true,
    },
  ]);
  await database.write(async ({ raw }) => {
    await raw.run('UPDATE locations SET panel_id = ?, panel_location = ?, slots = 1000000, vip_only = 0', [
      row.id,
      String(location),
    ]);
    await raw.run(
      'UPDATE eggs SET variables = ?, docker_image = ?, startup = ?, min_memory = 1, min_disk = 1, min_cpu = 1',
      [variables, image, startup],
    );
    await raw.run('INSERT INTO egg_bindings (egg_id, panel_id, panel_egg, created_ms) SELECT id, ?, ?, 0 FROM eggs', [
      row.id,
      String(egg),
    ]);
  });
  return row.id;
}

/** An installation in a folder whose clock is moved by the benchmark, at a panel. */
export async function openPanelWorld(folder: string, fake: BenchPanel) {
  let now = Date.now();
  const clock = { now: () => now };
  const config = { ...readConfig({ DATA_DIR: folder }), appUrl: 'http://127.0.0.1:3000' };
  const host = await openHost({
    config: { ...config, database: join(folder, 'panel.db') },
    log: createLog('error', clock.now),
    clock,
    ids: systemIds,
    sample: true,
  });
  const panel = await joinPanel(host, fake.ready);
  // The budget of calls is told by the panel's first answer, and filled by the clock.
  now += MINUTE;
  await host.services.servers.refreshCapacity(panel, String(fake.ready.node));
  return { host, panel, clock, advance: (ms: number) => void (now += ms) };
}
export type PanelWorld = Awaited<ReturnType<typeof openPanelWorld>>;

/** Somebody who may have as many servers as they like. */
export async function addRich({ services, database }: Host, nowMs: number): Promise<SignedIn> {
  const [userId, username] = [systemIds.uuid(), 'rich0000'];
  await database.uow.run(async (tx) => {
    const role = await tx.access.defaultRole();
    await tx.identity.addUser({
      id: userId,
      username,
      email: `${username}@example.com`,
      passwordHash: '-',
      firstName: 'Alex',
      lastName: 'Player',
      roleId: role.id,
      locale: 'en',
      verifiedMs: nowMs,
      createdMs: nowMs - 20 * DAY,
    });
    await services.limits.grantDefaults(tx, userId);
    for (const kind of ['memory', 'disk', 'cpu', 'slots', 'ports', 'databases', 'backups'] as const)
      await services.limits.raise(tx, userId, kind, 1_000_000_000);
  });
  const actor = { userId, sessionId: systemIds.uuid(), username, permissions: [], verified: true };
  return { actor, requestId: 'bench', locale: 'en', address: '127.0.0.1', userAgent: 'bench', idempotency: null };
}
