/** A request that a receiver took. */
export interface TakenWebhook {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** What it is about, read from the body. */
  readonly type: string;
}
type Answer = (taken: TakenWebhook) => Response | Promise<Response>;

/** A receiver of webhooks on this machine: it takes everything and answers as it is told to, 204 otherwise. */
export function openReceiver(port = 0) {
  const taken: TakenWebhook[] = [];
  const answers: Answer[] = [];
  let always: Answer = () => new Response(null, { status: 204 });
  const server = Bun.serve({
    port,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const body = await request.text();
      const { type } = JSON.parse(body) as { type: string };
      const one = { path: new URL(request.url).pathname, headers: request.headers.toJSON(), body, type };
      taken.push(one);
      return (answers.shift() ?? always)(one);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/hook`,
    taken,
    /** Its next answers, in their order. */
    answer: (...next: readonly Answer[]) => void answers.push(...next),
    /** How it answers when nothing else was said. */
    answerAlways: (next: Answer) => void (always = next),
    close: () => server.stop(true),
  };
}
export type Receiver = ReturnType<typeof openReceiver>;

/** An answer of a status. */
export const status =
  (code: number, headers: Record<string, string> = {}) =>
  (): Response =>
    new Response(code === 204 ? null : `answer ${code}`, { status: code, headers });
