import { join, resolve } from 'node:path';

/** Where the node of a folder of servers is called. In: the folder. */
export const nodeSocket = (folder: string) => join(resolve(folder), 'socket', 'node.sock');
