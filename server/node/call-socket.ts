import { chmodSync, rmSync } from 'node:fs';
import * as z from 'zod/mini';
import type { Log } from '#server/modules/kernel.ts';
import type { PanelAnswer } from '#server/modules/servers/index.ts';
import { isAbsent } from './absent.ts';
import { decodeFrame, encodeFrame, MOST_FRAME } from './file-manager/frame.ts';
import { UUID } from './store.ts';

/** Longer than the node lets any call take. */
const ANSWER_MS = 75_000;
const NOTHING = new Uint8Array();

/** What can be asked: what each call takes and answers. Bytes go beside both. */
type CallTable = Readonly<Record<string, { readonly input: z.ZodMiniType; readonly output: z.ZodMiniType }>>;

/** A call, checked: what it takes belongs to its name. */
export interface CallRequest<C extends string> {
  readonly call: C;
  readonly input: unknown;
  readonly bytes: Uint8Array;
}
export type CallAnswer =
  | { readonly outcome: 'ok'; readonly value: unknown; readonly bytes: Uint8Array }
  | { readonly outcome: 'refused'; readonly reason: string }
  | { readonly outcome: 'not_found' | 'conflict' | 'unavailable' | 'unknown' };

interface CallServer<T extends CallTable> {
  readonly calls: T;
  readonly carryOut: (id: string, request: CallRequest<keyof T & string>) => Promise<CallAnswer>;
  readonly path: string;
  readonly log: Log;
  /** Calls of all servers at once: each may hold a part of a file in memory. */
  readonly most: number;
}

/**
 * Answers calls about servers at a socket of their own, that only its owner and group open: a large part of a file
 * never keeps an order waiting. Out: what closes it.
 */
export function serveCalls<T extends CallTable>(options: CallServer<T>): () => Promise<void> {
  const { calls, carryOut, path, log, most } = options;
  const headSchema = z.strictObject({
    id: z.string().check(z.regex(UUID)),
    call: z.enum(Object.keys(calls) as [string, ...string[]]),
    input: z.unknown(),
  });
  const read = (data: Uint8Array) => {
    try {
      const { head, bytes } = decodeFrame(data);
      const { id, call, input } = headSchema.parse(head);
      return { id, call, input: calls[call]?.input.parse(input), bytes };
    } catch {
      return null;
    }
  };
  let running = 0;
  rmSync(path, { force: true });
  const server = Bun.serve({
    unix: path,
    maxRequestBodySize: MOST_FRAME,
    async fetch(request) {
      const frame = read(await request.bytes().catch(() => NOTHING));
      if (!frame) return Response.json({ outcome: 'refused', reason: 'call' }, { status: 400 });
      if (running >= most) return reply({ outcome: 'conflict' });
      running += 1;
      const { id, ...asked } = frame;
      return reply(await carryOut(id, asked).finally(() => (running -= 1)));
    },
    error(error) {
      log.error('node.call_failed', { error: String(error) });
      return Response.json({ outcome: 'unknown' }, { status: 500 });
    },
  });
  chmodSync(path, 0o660);
  return async () => {
    await server.stop(true);
    rmSync(path, { force: true });
  };
}
const reply = (answer: CallAnswer): Response =>
  answer.outcome === 'ok'
    ? new Response(encodeFrame({ head: { outcome: 'ok', value: answer.value }, bytes: answer.bytes }))
    : new Response(encodeFrame({ head: answer, bytes: NOTHING }));

const answerSchema = z.union([
  z.object({ outcome: z.literal('ok'), value: z.unknown() }),
  z.object({ outcome: z.literal('refused'), reason: z.string() }),
  z.object({ outcome: z.enum(['not_found', 'conflict', 'unavailable', 'unknown']) }),
]);

/** Asks behind such a socket. In: the calls, the path of the socket. No call throws. */
export function connectCalls<T extends CallTable>(calls: T, path: string) {
  return async <N extends keyof T & string>(
    id: string,
    call: N,
    input: z.output<T[N]['input']>,
    bytes: Uint8Array = NOTHING,
  ): Promise<PanelAnswer<{ readonly value: z.output<T[N]['output']>; readonly bytes: Uint8Array }>> => {
    try {
      const response = await fetch('http://localhost/', {
        unix: path,
        method: 'POST',
        body: encodeFrame({ head: { id, call, input }, bytes }),
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      if (!response.ok) return { outcome: 'unknown' };
      const frame = decodeFrame(await response.bytes());
      const answer = answerSchema.parse(frame.head);
      if (answer.outcome !== 'ok') return answer;
      const value = (calls[call] as T[N]).output.parse(answer.value);
      return { outcome: 'ok', value: { value: value as z.output<T[N]['output']>, bytes: frame.bytes } };
    } catch (error) {
      return { outcome: isAbsent(error) ? 'unavailable' : 'unknown' };
    }
  };
}
