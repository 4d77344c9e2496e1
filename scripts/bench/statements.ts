import { composeWeb } from '#server/compose/web.ts';
import { statementsDuring, type SentStatement } from '#server/data/sent.ts';
import { memoryTransport } from '#server/http/transport.ts';
import { systemClock, systemIds } from '#server/kernel.ts';
import { HOUR, MINUTE, SECOND } from '#shared/time.ts';
import { prepare } from './commands.ts';
import { inFolder } from './folder.ts';
import { BROWSER, openWorld, type World } from './installation.ts';
import { boundFigure, type Figure } from './report.ts';

/** Scores of abuse are remembered for five minutes: a command is counted that works its player's out anew. */
const SCORE_FORGOTTEN_MS = 6 * MINUTE;
const BEAT_MS = 20 * SECOND;
/**
 * Tables of the panel inside; the looking for work, which costs the same whether there is any; and what is remembered
 * for all of them, and read as often as it is asked for before it is there.
 */
const ELSEWHERE =
  /embedded_|^UPDATE jobs SET lease_until_ms = (?:\?|\$1), lease_token|^SELECT limit_key|pg_advisory_xact_lock|^select \* from "panel_outages"|^SELECT \* FROM webhook_endpoints|from "mail_texts"/;
/** Servers that are ordered together, each by a player of its own. */
const CROWD = 8;

/**
 * Most statements of each command, in its transaction and beside it, and of a server in the queue; begins and commits
 * are none. Redeeming, buying, giving and the queue have goals of their own; the others may not grow. PostgreSQL has
 * locks of rows besides.
 */
export const MOST_STATEMENTS = {
  sqlite: { redeem: 18, buy: 12, gift: 14, renew: 12, adjust: 14, create: 15, beat: 3, minute: 10, queue: 20 },
  postgres: { redeem: 18, buy: 12, gift: 14, renew: 13, adjust: 15, create: 16, beat: 3, minute: 11, queue: 23 },
} as const;
type Counts = (typeof MOST_STATEMENTS)['sqlite'];
type Command = Exclude<keyof Counts, 'queue'>;

interface Request {
  readonly path: string;
  readonly cookie: string;
  readonly body: unknown;
}
interface Counted {
  readonly commands: Readonly<Record<Command, readonly SentStatement[]>>;
  /**
   * Of some servers that are made together, from their jobs in the queue to servers that can be used, without those of
   * the panel inside, of whoever looks for work and of what is remembered for all.
   */
  readonly queue: readonly SentStatement[];
}

/** Figures v: statements a command over HTTP, and a server in the queue, on SQLite. */
export async function statementFigures(): Promise<Figure[]> {
  const { commands, queue } = await statementsOfCommands();
  const { queue: most, ...each } = MOST_STATEMENTS.sqlite;
  return [
    ...Object.entries(each).map(([name, bound]) =>
      boundFigure(`v.${name}`, commands[name as Command].length, 'statements', bound),
    ),
    boundFigure('v.queue', perServer(queue), 'statements a server', most),
  ];
}

/** How many statements each server of the crowd costs. */
export const perServer = (queue: readonly unknown[]): number => queue.length / CROWD;

/**
 * What each command sends to the database when it comes over HTTP, the second time that its player does it. `url`: an
 * empty PostgreSQL database; SQLite when absent.
 */
export function statementsOfCommands(url?: string): Promise<Counted> {
  return inFolder(async (folder) => {
    // It stands still: what is remembered for seconds is not forgotten while others use the machine. It begins with an
    // hour: minutes of AFK are posted when one ends, which is no part of the beat that pays.
    let nowMs = Math.floor(systemClock.now() / HOUR) * HOUR;
    const pass = (ms: number): void => void (nowMs += ms);
    const world = await openWorld(folder, { clock: { now: () => nowMs }, url });
    try {
      const send = await senderTo(world);
      const count = (request: Request) => statementsDuring(() => send(request));
      const commands = await prepare(world.host, { players: CROWD, staff: 1 });
      const [order, ...more] = await serverOrders(world, (number) => commands.buy.post(0, number).cookie);
      const { cookie } = order;
      // Once before: what a session knows, who was seen where, and the sums of the day are there then.
      for (const { post } of Object.values(commands)) await send(post(0, 0));
      await send(order);
      await buildServers(world, pass);
      const { redeem, ...others } = commands;
      const { buy, gift, renew, adjust } = others;
      pass(SCORE_FORGOTTEN_MS);
      for (const { post } of Object.values(others)) await send(post(1, 0));
      const counted = {
        redeem: await count(redeem.post(1, 0)),
        buy: await count(buy.post(2, 0)),
        gift: await count(gift.post(2, 0)),
        renew: await count(renew.post(2, 0)),
        adjust: await count(adjust.post(2, 0)),
        create: await count(order),
      };
      for (const each of more) await send(each);
      const built = await statementsDuring(() => buildServers(world, pass));
      const queue = built.filter(({ sql }) => !ELSEWHERE.test(sql));
      return { commands: { ...counted, ...(await countBeats(send, cookie, pass)) }, queue };
    } finally {
      await world.close();
    }
  });
}

type Send = (request: Request) => Promise<Response>;

/** Sends requests through the HTTP application. Throws for what is not answered with 200. */
async function senderTo({ host, config, log }: World): Promise<Send> {
  const transport = memoryTransport(host.api, host.ready);
  const { clock } = host.services;
  const handle = await composeWeb({ config, transport, clock, ids: systemIds, log, local: true, pages: false });
  return async ({ path, cookie, body }) => {
    const response = await handle(
      new globalThis.Request(`http://127.0.0.1${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          Cookie: cookie,
          Origin: 'http://127.0.0.1',
          'User-Agent': BROWSER,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
      { requestIP: () => ({ address: '127.0.0.1' }), timeout: () => undefined },
    );
    if (response.status !== 200) throw new Error(`${path} was answered with ${response.status}`);
    return response;
  };
}

/** A small server of the sample catalogue for each of the crowd. */
async function serverOrders(
  { host }: World,
  cookieOf: (player: number) => string,
): Promise<readonly [Request, ...Request[]]> {
  const [locations, eggs] = await host.database.uow.read(async (tx) => [
    await tx.catalog.locations(),
    await tx.catalog.eggs(),
  ]);
  const [[location], [egg]] = [locations, eggs];
  if (!location || !egg) throw new Error('the sample catalogue is missing');
  const resources = { memory: 1024, disk: 1024, cpu: 50, ports: 1, databases: 0, backups: 0 };
  const places = { location_id: location.id, category_id: egg.categoryId, egg_id: egg.id };
  const body = { name: 'Survival', description: '', ...places, ...resources, variables: {}, auto_renew: false };
  const orderOf = (player: number): Request => ({ path: '/api/servers', cookie: cookieOf(player), body });
  return [orderOf(0), ...Array.from({ length: CROWD - 1 }, (_, index) => orderOf(index + 1))];
}

/** Lets the queue make every server that waits in it. */
async function buildServers({ host }: World, pass: (ms: number) => void): Promise<void> {
  while ((await host.runner.runDue()) > 0) pass(MINUTE);
}

/** Has a player stay on AFK for a minute. Out: what a beat within it writes with, and the one that pays it. */
async function countBeats(send: Send, cookie: string, pass: (ms: number) => void) {
  const started = await send({ path: '/api/earn/afk/start', cookie, body: {} });
  const { session_id: id } = (await started.json()) as { session_id: string };
  const counts: (readonly SentStatement[])[] = [];
  for (let beat = 0; beat <= MINUTE / BEAT_MS; beat += 1) {
    const stream = await send({ path: `/api/earn/afk/${id}/stream`, cookie, body: undefined });
    const { challenge, leave } = await readChallenge(stream);
    const answer = { path: `/api/earn/afk/${id}/beat`, cookie, body: { challenge } };
    const sent = await statementsDuring(() => send(answer));
    // What the open stream reads meanwhile, once or twice, is no part of the beat.
    counts.push(sent.filter(({ kind }) => kind === 'write'));
    await leave();
    pass(BEAT_MS);
  }
  const [, beat = [], , minute = []] = counts;
  return { beat, minute };
}

/** The first challenge of a stream. */
async function readChallenge(stream: Response): Promise<{ challenge: string; leave: () => Promise<void> }> {
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const [, data] = /event: challenge\ndata: (.+)\n/.exec(text) ?? [];
    if (data !== undefined && reader) {
      const { challenge } = JSON.parse(data) as { challenge: string };
      return { challenge, leave: () => reader.cancel() };
    }
    const part = await reader?.read();
    if (!part || part.done) throw new Error('a stream ended without a challenge');
    text += part.value;
  }
}
