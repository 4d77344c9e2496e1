import type { Log } from '#server/modules/kernel.ts';
import type { PanelBackups } from '#server/modules/servers/index.ts';
import { SERVER_BACKUP_CALLS } from '#shared/schemas/server-backups.ts';
import { connectCalls, serveCalls } from '../call-socket.ts';
import type { GameNode } from '../node.ts';

const MOST_CALLS = 32;

/** Answers calls about backups of servers: ids, numbers and a name that is only shown. Out: what closes it. */
export const serveBackups = (node: Pick<GameNode, 'backups'>, path: string, log: Log): (() => Promise<void>) =>
  serveCalls({ calls: SERVER_BACKUP_CALLS, carryOut: node.backups, path, log, most: MOST_CALLS });

/** The backups behind a socket. No call throws. */
export const connectBackups = (path: string): PanelBackups => connectCalls(SERVER_BACKUP_CALLS, path);
