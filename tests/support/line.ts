import { connect, createServer, type Socket } from 'node:net';

/**
 * What becomes of a server's words: they pass, never come (`hang`), break off after so many bytes, or each piece comes
 * twice.
 */
export type LineFault = 'pass' | 'hang' | 'twice' | { readonly cutAfter: number };

/** A line to a server of this machine on a port of its own, which can be bad. */
export async function openLine(to: number) {
  const open = new Set<Socket>();
  const line = { port: 0, fault: 'pass' as LineFault, close: async () => undefined as void };
  const server = createServer((client) => {
    const behind = connect(to, '127.0.0.1');
    let passed = 0;
    for (const socket of [client, behind]) {
      open.add(socket);
      // Whoever hangs up first, the other one does too.
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        behind.destroy();
      });
    }
    client.on('data', (bytes) => void behind.write(bytes));
    behind.on('data', (bytes) => {
      const { fault } = line;
      if (fault === 'hang') return;
      passed += bytes.length;
      client.write(bytes);
      if (fault === 'twice') client.write(bytes);
      if (typeof fault === 'object' && passed > fault.cutAfter) client.destroy();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()));
  const address = server.address();
  line.port = typeof address === 'object' && address !== null ? address.port : 0;
  line.close = async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => void server.close(resolve));
  };
  return line;
}
