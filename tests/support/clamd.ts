import { createServer, type Socket } from 'node:net';

/** How the stand-in answers a file: as it finds it, with words of its own, without end, not at all, or by hanging up. */
type Mood = 'looks' | 'silent' | 'closes' | 'babbles' | { readonly says: string };

/**
 * A ClamAV daemon as far as the product talks to one: it takes a stream, finds what holds the word EICAR, and answers a
 * ping. Out: its address, the files that it was sent, and what makes it misbehave.
 */
export async function openClamd() {
  const files: string[] = [];
  let mood: Mood = 'looks';
  const server = createServer((socket) => serve(socket));

  function serve(socket: Socket): void {
    let sent = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      sent = Buffer.concat([sent, chunk]);
      if (sent.equals(Buffer.from('zPING\0'))) answer(socket, 'PONG');
      const file = streamed(sent);
      if (file === null) return;
      files.push(file.toString('latin1'));
      answer(socket, file.includes('EICAR') ? 'stream: Win.Test.EICAR_HDB-1 FOUND' : 'stream: OK');
    });
  }
  function answer(socket: Socket, found: string): void {
    if (mood === 'silent') return;
    if (mood === 'closes') socket.destroy();
    else if (mood === 'babbles') socket.write('x'.repeat(100_000));
    else socket.end(`${mood === 'looks' ? found : mood.says}\0`);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const at = server.address();
  return {
    address: `127.0.0.1:${typeof at === 'object' && at ? at.port : 0}`,
    files,
    behave: (next: Mood) => void (mood = next),
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** The file of a whole stream; null where it has not ended. */
function streamed(sent: Buffer): Buffer | null {
  const head = Buffer.from('zINSTREAM\0');
  if (!sent.subarray(0, head.length).equals(head)) return null;
  const parts: Buffer[] = [];
  for (let at = head.length; at + 4 <= sent.length;) {
    const length = sent.readUInt32BE(at);
    if (length === 0) return Buffer.concat(parts);
    if (at + 4 + length > sent.length) return null;
    parts.push(sent.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return null;
}
