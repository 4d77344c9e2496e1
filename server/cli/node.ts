import { chmodSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Config } from '#server/env.ts';
import { createLog } from '#server/http/log.ts';
import { systemClock } from '#server/kernel.ts';
import { createNode } from '#server/node/node.ts';
import { serveBackups } from '#server/node/backups/socket.ts';
import { serveFiles } from '#server/node/file-manager/socket.ts';
import { backupsSocket, filesSocket, nodeSocket } from '#server/node/place.ts';
import { probeMachine } from '#server/node/probe.ts';
import { serveNode } from '#server/node/socket.ts';
import { lockFolder } from '#server/start/folder-lock.ts';
import { VERSION } from '#server/version.ts';
import { iso } from '#shared/time.ts';

/** A machine has one node, because users, addresses and rules of its network are the machine's. */
const LOCK = '/run/spawnpoint-node';

/**
 * `spawnpoint node`: runs the servers of this machine, as root, until SIGTERM or SIGINT; the servers go on without it
 * and are found again. Out: the exit code (1 where the machine cannot run servers).
 */
export async function nodeCommand(
  config: Pick<Config, 'serversDir' | 'logLevel' | 'downloadMirror' | 'engineSocket' | 'appUrl'>,
): Promise<number> {
  const probe = probeMachine();
  if (probe.lacks.length > 0 || probe.groups === null) {
    console.error(`This machine cannot run servers. It lacks: ${[...probe.lacks, ...probe.missing].join(', ')}.`);
    return 1;
  }
  const folder = resolve(config.serversDir);
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  const log = createLog(config.logLevel, systemClock.now);
  const socket = nodeSocket(folder);
  mkdirSync(dirname(socket), { recursive: true });
  // For root and the group that serves: what is made in it belongs to that group as well, whoever starts the node.
  chmodSync(dirname(socket), 0o2750);
  const me = { pid: process.pid, address: socket, since: iso(systemClock.now()) };
  const unlock = lockFolder(LOCK, me, 'End it first: a machine has one node.');
  const node = createNode({
    folder,
    groups: probe.groups,
    bun: process.execPath,
    log,
    now: systemClock.now,
    mirror: config.downloadMirror,
    engineSocket: config.engineSocket,
    userAgent: `Spawnpoint/${VERSION}${config.appUrl === null ? '' : ` (+${config.appUrl})`}`,
  });
  await node.begin();
  const closing = [
    serveNode(node, socket, log),
    serveFiles(node, filesSocket(socket), log),
    serveBackups(node, backupsSocket(socket), log),
  ];
  const stopped = new Promise<void>((done) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => done());
  });
  process.stdout.write(`The node is ready: ${socket}\n`);
  await stopped;
  for (const close of closing) await close();
  log.flush();
  unlock();
  // Servers are followed as long as they run: nothing else would end this process.
  return process.exit(0);
}
