import { nodeSocket } from '../node/place.ts';
import { connectNode } from '../node/socket.ts';
import type { Runtime } from '../panel/index.ts';
import type { ServiceDeps } from './foundation.ts';

/** How long the node has to answer whoever looks at a page, in milliseconds. */
const LOOK_MS = 2000;
type Config = Pick<ServiceDeps['config'], 'runtime' | 'panelDriver' | 'serversDir'>;

/** Whether servers are made in the built-in panel where no other one is connected. */
export const isBuiltIn = ({ panelDriver }: Pick<Config, 'panelDriver'>): boolean =>
  (panelDriver ?? 'embedded') === 'embedded';

/** The node of this machine, for commands beside the serving process as well; null where servers are imitated. */
export function nodeOf(config: Config): Runtime | null {
  const { runtime, serversDir } = config;
  return runtime === 'auto' && isBuiltIn(config) && serversDir !== undefined
    ? connectNode(nodeSocket(serversDir))
    : null;
}

/** Asks the node whether it answers, for two seconds at most; null where servers are imitated. */
export function nodeAnswers(config: Config): (() => Promise<boolean>) | null {
  const node = nodeOf(config);
  return (
    node && (async () => (await Promise.race([node.list(), Bun.sleep(LOOK_MS).then(() => null)]))?.outcome === 'ok')
  );
}
