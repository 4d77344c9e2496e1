import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** What a stand-in does in the place of its next answers. */
export type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly type?: string; readonly body?: string }
  /** Answers with this text and status 200. */
  | { readonly kind: 'body'; readonly body: string }
  /** Does its work, then cuts the line: the answer is lost. */
  | { readonly kind: 'lost' }
  /** Never answers. */
  | { readonly kind: 'hang' };
/** What an answer is. */
export interface Answer {
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}
export interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A service on this machine: one port, faults for its next answers, and a log of what it was asked. */
export async function standIn(work: (asked: Asked) => Answer) {
  const asked: Asked[] = [];
  const faults: Fault[] = [];
  const hanging = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => void parts.push(part));
    request.on('end', () => {
      const call: Asked = {
        method: request.method ?? '',
        url: new URL(request.url ?? '/', 'http://127.0.0.1'),
        headers: request.headers,
        body: Buffer.concat(parts).toString('utf8'),
      };
      asked.push(call);
      const fault = faults.shift();
      if (fault?.kind === 'hang') return void hanging.add(response);
      if (fault?.kind === 'status')
        return void response
          .writeHead(fault.status, { 'Content-Type': fault.type ?? 'text/html' })
          .end(fault.body ?? '<h1>No</h1>');
      const answer = work(call);
      if (fault?.kind === 'lost') return void request.socket.destroy();
      return void response
        .writeHead(answer.status ?? 200, { ...answer.headers, 'Content-Type': answer.type ?? 'application/json' })
        .end(fault?.kind === 'body' ? fault.body : answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    faults,
    close: () =>
      new Promise<void>((resolve) => {
        for (const response of hanging) response.destroy();
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
export type StandIn = Awaited<ReturnType<typeof standIn>>;
