import type { Log } from '#server/modules/kernel.ts';
import type { PanelFiles } from '#server/modules/servers/index.ts';
import { FILE_CALLS } from '#shared/schemas/server-files.ts';
import { connectCalls, serveCalls } from '../call-socket.ts';
import type { GameNode } from '../node.ts';

const MOST_CALLS = 32;

/** Answers calls about files. Paths go on unopened to the server's own sandbox. Out: what closes it. */
export const serveFiles = (node: Pick<GameNode, 'files'>, path: string, log: Log): (() => Promise<void>) =>
  serveCalls({ calls: FILE_CALLS, carryOut: node.files, path, log, most: MOST_CALLS });

/** The files behind a socket. No call throws. */
export const connectFiles = (path: string): PanelFiles => connectCalls(FILE_CALLS, path);
