import { createServer } from 'node:net';

/**
 * Something that speaks Redis' protocol: answers each command with a text of it, and never where that is empty. In:
 * what it answers. Out: its address, the commands that came, and what ends it.
 */
export async function redisStandIn(reply: (command: readonly string[]) => string) {
  const commands: string[][] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => {
      const parts = data.toString().split('\r\n');
      for (let at = 0; at < parts.length;) {
        const count = /^\*(\d+)$/.exec(parts[at] ?? '')?.[1];
        if (count === undefined) break;
        const command = Array.from({ length: Number(count) }, (_, word) => parts[at + 2 + word * 2] ?? '');
        at += 1 + Number(count) * 2;
        if (command[0] !== 'HELLO') commands.push(command);
        socket.write(command[0] === 'HELLO' ? '%1\r\n+proto\r\n:3\r\n' : reply(command));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `redis://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    commands,
    close: () => server.close(),
  };
}
