import { chmodSync, rmSync } from 'node:fs';
import * as z from 'zod/mini';
import type { Log } from '#server/modules/kernel.ts';
import type { PanelAnswer, PanelFiles } from '#server/modules/servers/index.ts';
import { FILE_CALLS, type FileCall } from '#shared/schemas/server-files.ts';
import { isAbsent } from '../absent.ts';
import type { GameNode } from '../node.ts';
import { UUID } from '../store.ts';
import { decodeFrame, encodeFrame, MOST_FRAME } from './frame.ts';
import type { FileAnswer } from './process.ts';

/** Longer than the node lets any call take. */
const ANSWER_MS = 75_000;
/** Calls of all servers at once: each may hold a part of a file in memory. */
const MOST_CALLS = 32;
const CALLS = Object.keys(FILE_CALLS) as [FileCall, ...FileCall[]];
const headSchema = z.strictObject({ id: z.string().check(z.regex(UUID)), call: z.enum(CALLS), input: z.unknown() });
const NOTHING = new Uint8Array();

/**
 * Answers calls about files at a socket of their own, that only its owner and group open: a large part of a file never
 * keeps an order waiting. Paths go on unopened to the server's own sandbox. Out: what closes it.
 */
export function serveFiles(node: Pick<GameNode, 'files'>, path: string, log: Log): () => Promise<void> {
  let calls = 0;
  rmSync(path, { force: true });
  const server = Bun.serve({
    unix: path,
    maxRequestBodySize: MOST_FRAME,
    async fetch(request) {
      const frame = read(await request.bytes().catch(() => NOTHING));
      if (!frame) return Response.json({ outcome: 'refused', reason: 'call' }, { status: 400 });
      if (calls >= MOST_CALLS) return reply({ outcome: 'conflict' });
      calls += 1;
      const { id, ...asked } = frame;
      return reply(await node.files(id, asked).finally(() => (calls -= 1)));
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
function read(data: Uint8Array) {
  try {
    const { head, bytes } = decodeFrame(data);
    const { id, call, input } = headSchema.parse(head);
    return { id, call, input: FILE_CALLS[call].input.parse(input), bytes };
  } catch {
    return null;
  }
}
const reply = (answer: FileAnswer): Response =>
  answer.outcome === 'ok'
    ? new Response(encodeFrame({ head: { outcome: 'ok', value: answer.value }, bytes: answer.bytes }))
    : new Response(encodeFrame({ head: answer, bytes: NOTHING }));

const answerSchema = z.union([
  z.object({ outcome: z.literal('ok'), value: z.unknown() }),
  z.object({ outcome: z.literal('refused'), reason: z.string() }),
  z.object({ outcome: z.enum(['not_found', 'conflict', 'unavailable', 'unknown']) }),
]);

/** The files behind a socket. No call throws. */
export function connectFiles(path: string): PanelFiles {
  return async (id, call, input, bytes = NOTHING) => {
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
      const value = FILE_CALLS[call].output.parse(answer.value);
      return { outcome: 'ok', value: { value, bytes: frame.bytes } } as PanelAnswer<never>;
    } catch (error) {
      return { outcome: isAbsent(error) ? 'unavailable' : 'unknown' };
    }
  };
}
