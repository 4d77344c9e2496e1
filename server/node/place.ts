import { dirname, join, resolve } from 'node:path';

/** Where the node of a folder of servers is called. In: the folder. */
export const nodeSocket = (folder: string) => join(resolve(folder), 'socket', 'node.sock');
/** Where it takes calls about backups of servers. In: where it is called for everything else. */
export const backupsSocket = (socket: string) => join(dirname(socket), 'backups.sock');
/** The same for files. */
export const filesSocket = (socket: string) => join(dirname(socket), 'files.sock');
