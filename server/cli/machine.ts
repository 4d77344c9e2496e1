import { mkdirSync, openSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '#server/env.ts';
import { nodeSocket } from '#server/node/place.ts';
import { probeMachine } from '#server/node/probe.ts';
import { connectNode } from '#server/node/socket.ts';
import type { MachineRuntime } from '#server/panel/index.ts';

/** How long a node that was just started may take until it answers. */
const BEGIN_MS = 15_000;
const LOOK_MS = 100;

/**
 * The runtime of this machine for a serving process (`RUNTIME=auto`): the node that is there, or under `--local` one
 * that is started where the machine can. The node goes on when we end, and its servers with it. Out: null and the
 * reason where servers are only imitated.
 */
export async function openMachine(
  config: Pick<
    Config,
    'runtime' | 'serversDir' | 'serverPorts' | 'panelDriver' | 'downloadMirror' | 'engineSocket' | 'appUrl'
  >,
  local: boolean,
): Promise<{ readonly runtime: MachineRuntime | null; readonly note: string | null }> {
  if (config.runtime === 'simulated' || config.panelDriver !== 'embedded') return { runtime: null, note: null };
  const calls = connectNode(nodeSocket(config.serversDir));
  const runtime = { calls, ports: config.serverPorts, host: local ? '127.0.0.1' : null };
  const answers = async () => (await calls.list()).outcome === 'ok';
  const folder = resolve(config.serversDir);
  const running = {
    runtime,
    note: local ? `Servers run on this machine, in ${folder}, also when this process ends.` : null,
  };
  if (await answers()) return running;
  if (!local)
    return { runtime, note: 'The node does not answer yet: servers of this machine start with it (spawnpoint node).' };
  const { lacks, missing } = probeMachine();
  if (lacks.length > 0) {
    const needs = [...lacks.filter((lack) => lack !== 'tools'), ...missing].join(', ');
    return { runtime: null, note: `Servers are imitated: this machine lacks what running them needs (${needs}).` };
  }
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  const log = openSync(join(folder, 'node.log'), 'a', 0o600);
  const command = Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, Bun.main];
  Bun.spawn(['setsid', ...command, 'node'], {
    cwd: '/',
    env: {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      SERVERS_DIR: folder,
      DOWNLOAD_MIRROR: config.downloadMirror ?? '',
      ENGINE_SOCKET: config.engineSocket ?? '',
      APP_URL: config.appUrl ?? '',
    },
    stdin: 'ignore',
    stdout: log,
    stderr: log,
  }).unref();
  for (let waitedMs = 0; waitedMs < BEGIN_MS; waitedMs += LOOK_MS) {
    if (await answers()) return running;
    await Bun.sleep(LOOK_MS);
  }
  return { runtime: null, note: `Servers are imitated: the node did not start (${join(folder, 'node.log')}).` };
}
