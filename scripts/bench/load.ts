import type { Socket } from 'bun';

export interface Load {
  readonly port: number;
  /** The path, and credentials that take turns. */
  readonly path: string;
  readonly cookies: readonly string[];
  /** The header they are sent in; `Cookie` when absent. */
  readonly credential?: 'Cookie' | 'Authorization';
  readonly headers?: Readonly<Record<string, string>>;
  readonly requests: number;
  readonly connections: number;
  /** The n-th request (from 0) as a POST, in place of the path: where to, as whom, and with what. */
  readonly post?: (number: number) => { readonly path: string; readonly cookie: string; readonly body: object };
  /** Looks at the whole text of an answer; throws where it is not what was asked for. */
  readonly check: (answer: string) => void;
}

interface Connection {
  pending: Buffer[];
  /** Bytes still to come of the answer; -1 while its head is incomplete. */
  left: number;
}

/**
 * Asks a server over kept connections, each with one request at a time, as browsers do. Written by hand over sockets,
 * because a client that is slower than the server would measure itself. Answers carry Content-Length or are chunked.
 * Out: requests a second. Rejects when an answer fails the check or a connection breaks.
 */
export function load(options: Load): Promise<number> {
  const { port, path, cookies, credential = 'Cookie', headers = {}, requests, connections, post, check } = options;
  const more = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  const texts = cookies.map((cookie) =>
    Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${credential}: ${cookie}\r\n${more}\r\n`),
  );
  let sent = 0;
  let answered = 0;
  return new Promise((resolve, reject) => {
    const sockets: Socket<Connection>[] = [];
    const begun = performance.now();
    let ended = false;
    const end = (error: Error | null) => {
      if (ended) return;
      ended = true;
      for (const socket of sockets) socket.terminate();
      if (error) reject(error);
      else resolve((answered * 1000) / (performance.now() - begun));
    };
    const ask = (socket: Socket<Connection>) => {
      if (sent >= requests) return;
      const text = post ? postOf(port, post(sent), more) : texts[sent % texts.length];
      sent += 1;
      if (text) socket.write(text);
    };
    const handlers = {
      open(socket: Socket<Connection>) {
        sockets.push(socket);
        ask(socket);
      },
      data(socket: Socket<Connection>, chunk: Buffer) {
        socket.data.pending.push(chunk);
        const answer = complete(socket.data);
        if (answer === null) return;
        try {
          check(answer);
        } catch (error) {
          return end(error as Error);
        }
        answered += 1;
        if (answered === requests) end(null);
        else ask(socket);
      },
      close() {
        end(new Error('the server closed a connection'));
      },
      error(_socket: Socket<Connection>, error: Error) {
        end(error);
      },
    };
    for (let at = 0; at < connections; at += 1) {
      Bun.connect<Connection>({ hostname: '127.0.0.1', port, data: { pending: [], left: -1 }, socket: handlers }).catch(
        end,
      );
    }
  });
}

/** A command as a browser of this origin sends it, under a key of its own. */
function postOf(
  port: number,
  { path, cookie, body }: { path: string; cookie: string; body: object },
  more: string,
): string {
  const text = JSON.stringify(body);
  const head = `Host: 127.0.0.1:${port}\r\nOrigin: http://127.0.0.1:${port}\r\nCookie: ${cookie}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}`;
  return `POST ${path} HTTP/1.1\r\n${head}\r\nIdempotency-Key: ${crypto.randomUUID()}\r\n${more}\r\n${text}`;
}

/** The text of the answer when all of it has come, else null. */
function complete(connection: Connection): string | null {
  const { pending } = connection;
  const all = pending.length === 1 && pending[0] ? pending[0] : Buffer.concat(pending);
  const head = all.indexOf('\r\n\r\n');
  if (head >= 0) {
    const text = all.toString('latin1', 0, head);
    const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
    const whole =
      length === undefined
        ? all.toString('latin1', all.length - 5) === '0\r\n\r\n'
        : all.length >= head + 4 + Number(length);
    if (whole) {
      connection.pending = [];
      return all.toString('latin1');
    }
  }
  connection.pending = [all];
  return null;
}
