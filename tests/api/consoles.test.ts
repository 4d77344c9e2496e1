import { afterEach, beforeEach, expect, test } from 'bun:test';
import { consolesHandlers } from '#server/api/consoles.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import type { ConsolePart, Panel, PanelAnswer } from '#server/modules/servers/index.ts';
import { codeOf } from '#tests/support/coins.ts';
import { asCaller, liveServerWorld } from '#tests/support/live-panel.ts';
import type { ServersWorld } from '#tests/support/servers.ts';

// The stream of a console over a panel that has one; the lines themselves are tested where the node keeps them.
let world: ServersWorld;
let ctx: SignedIn;
let id: string;
let panel: Panel;
let part: PanelAnswer<ConsolePart>;
let sent: string[];
let answer: PanelAnswer<null>;
let handlers: ReturnType<typeof consolesHandlers>;
let valid: boolean;
const heard = new Map<string, Set<() => void>>();

beforeEach(async () => {
  const opened = await liveServerWorld();
  ({ world, ctx, id } = opened);
  ({ panel } = opened.site);
  part = { outcome: 'ok', value: { lines: [{ seq: 7, atMs: 0, kind: 'out', text: 'hello' }], gap: false } };
  sent = [];
  answer = { outcome: 'ok', value: null };
  valid = true;
  heard.clear();
  Object.assign(panel, {
    console: {
      read: async () => part,
      send: async (_: string, text: string) => {
        sent.push(text);
        return answer;
      },
    },
  });
  handlers = consolesHandlers({
    servers: world.servers,
    bus: {
      publish: () => undefined,
      publishedWithin: () => false,
      subscribe: (topic: string, run: () => void) => {
        const all = heard.getOrInsertComputed(topic, () => new Set());
        all.add(run);
        return () => void all.delete(run);
      },
    } as never,
    identity: { resolve: async () => (valid ? { actor: ctx.actor } : null) } as never,
  });
});
afterEach(() => world.close());

const open = async (who = ctx, after?: string) => {
  const stream = await handlers.stream(asCaller(who), { params: { id }, query: { after } } as never);
  return (stream as AsyncIterable<{ event: string; data?: unknown }>)[Symbol.asyncIterator]();
};
const send = (text: string, who = ctx) =>
  codeOf(handlers.command(asCaller(who), { params: { id }, body: { text } } as never) as Promise<unknown>);

test('a reader gets lines, hears of a panel that is away once, and of lines again', async () => {
  const stream = await open();
  expect((await stream.next()).value).toEqual({
    event: 'lines',
    data: { gap: false, lines: [{ seq: 7, at: '1970-01-01T00:00:00.000Z', kind: 'out', text: 'hello' }] },
  });
  part = { outcome: 'unavailable' };
  expect((await stream.next()).value).toEqual({ event: 'away', data: {} });
  part = { outcome: 'ok', value: { lines: [], gap: false } };
  expect((await stream.next()).value).toEqual({ event: 'lines', data: { gap: false, lines: [] } });
  expect((await stream.next()).value).toEqual({ event: 'ping' });
  await stream.return?.();
  expect((await stream.next()).done).toBe(true);
});

test('T24 somebody else’s console is not there, and nothing is sent to it', async () => {
  const other = await world.person();
  expect(await codeOf(open(other))).toBe('NOT_FOUND');
  expect(await send('stop', other)).toBe('NOT_FOUND');
  expect(sent).toEqual([]);
});

test('T34 a stream ends with its session, and with the ownership of the server', async () => {
  const stream = await open();
  await stream.next();
  valid = false;
  for (const run of heard.get(`session:${ctx.actor.sessionId}`) ?? []) run();
  let last = await stream.next();
  for (let more = 0; more < 3 && !last.done; more += 1) last = await stream.next();
  expect(last.done).toBe(true);
  expect([...heard.values()].map((all) => all.size)).toEqual([0, 0, 0]);
});

test('N13 a call that waits for a line ends with its reader, so that nothing waits for somebody who has left', async () => {
  const called = Promise.withResolvers<AbortSignal>();
  Object.assign(panel.console ?? {}, {
    read: (_: string, __: number, ___: number, signal: AbortSignal) => {
      called.resolve(signal);
      return new Promise(() => undefined);
    },
  });
  const stream = await open();
  const next = stream.next();
  const signal = await called.promise;
  expect(signal.aborted).toBe(false);
  await stream.return?.();
  expect(signal.aborted).toBe(true);
  expect((await next).done).toBe(true);
});

test('N13 one user has six readers at most, and a place is free again when one ends', async () => {
  const streams = await Promise.all(Array.from({ length: 6 }, () => open()));
  expect(await codeOf(open())).toBe('RATE_LIMITED');
  await streams[0]?.return?.();
  expect(await codeOf(open())).toBeNull();
});

test('a command goes to a server that runs, and is refused with words where it does not', async () => {
  expect(await send('say hello')).toBeNull();
  expect(sent).toEqual(['say hello']);
  answer = { outcome: 'conflict' };
  expect(await send('list')).toBe('SERVER_OFF');
  answer = { outcome: 'unavailable' };
  expect(await send('list')).toBe('PANEL_UNREACHABLE');
});

test('T27 a suspended server has no console, and one of another panel is operated there', async () => {
  Object.assign(panel, { console: undefined });
  expect(await codeOf(open())).toBe('POWER_UNAVAILABLE');
  await world.suspendForBan(ctx);
  expect(await codeOf(open())).toBe('SERVER_SUSPENDED');
});
