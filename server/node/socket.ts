import { chmodSync, rmSync } from 'node:fs';
import * as z from 'zod/mini';
import { commandText } from '#shared/schemas/server.ts';
import { ENGINE_STATES } from '#shared/engine.ts';
import { PART_STATES } from '#shared/machine.ts';
import { CONSOLE_KINDS, HALT_REASONS, RUNTIME_STATES } from '#shared/server-codes.ts';
import type { Log } from '#server/modules/kernel.ts';
import type { PanelAnswer } from '#server/modules/servers/index.ts';
import { RECIPE_IDS, RUNTIME_SIGNALS, type Runtime, type RuntimeServer } from '#server/panel/index.ts';
import { isAbsent } from './absent.ts';
import { connectBackups } from './backups/socket.ts';
import { connectFiles } from './file-manager/socket.ts';
import type { GameNode } from './node.ts';
import { backupsSocket, filesSocket } from './place.ts';
import { specSchema, UUID } from './store.ts';

/** How long a reader of a console may wait for a line. */
const MAX_WAIT_MS = 30_000;
/**
 * A call, by its name. Ids, enumerations and numbers only: whoever holds the socket can name no path, and no program
 * but those of a container, which are run in it and nowhere else. The one text goes into the standard input of a
 * server.
 */
const id = z.string().check(z.regex(UUID));
const callSchema = z.discriminatedUnion('call', [
  z.strictObject({ call: z.literal('put'), spec: specSchema }),
  z.strictObject({ call: z.literal('list') }),
  z.strictObject({ call: z.literal('read'), id }),
  z.strictObject({ call: z.literal('power'), id, signal: z.enum(RUNTIME_SIGNALS) }),
  z.strictObject({ call: z.literal('remove'), id }),
  z.strictObject({
    call: z.literal('console'),
    id,
    after: z.int().check(z.gte(0)),
    waitMs: z.int().check(z.gte(0), z.lte(MAX_WAIT_MS)),
  }),
  z.strictObject({ call: z.literal('command'), id, text: commandText }),
  z.strictObject({ call: z.literal('machine'), reserve: z.nullable(z.int().check(z.gte(0))) }),
  z.strictObject({ call: z.literal('maintain'), isOn: z.boolean() }),
]);
type Call = z.infer<typeof callSchema>;

const serverSchema = z.object({
  id: z.string(),
  revision: z.int(),
  state: z.enum(RUNTIME_STATES),
  memory: z.number(),
  cpu: z.number(),
  disk: z.number(),
  // A node of an earlier version does not measure it.
  received: z._default(z.number(), 0),
  sent: z._default(z.number(), 0),
  totals: z._default(z.object({ cpuUs: z.number(), received: z.number(), sent: z.number() }), {
    cpuUs: 0,
    received: 0,
    sent: 0,
  }),
  uptimeMs: z.number(),
  backups: z.int(),
  halt: z.nullable(z.object({ reason: z.enum(HALT_REASONS), port: z.nullable(z.int()) })),
});
const partSchema = z.object({
  lines: z.array(z.object({ seq: z.int(), atMs: z.number(), kind: z.enum(CONSOLE_KINDS), text: z.string() })),
  gap: z.boolean(),
});
const space = { total: z.number(), free: z.number() };
const state = z.enum(PART_STATES);
const machineSchema = z.object({
  parts: z.object({ user: state, network: state, memory: state, cpu: state, calls: state, disk: state }),
  groups: z.union([z.literal(1), z.literal(2)]),
  system: z.string(),
  kernel: z.string(),
  processor: z.string(),
  cores: z.int(),
  uptimeMs: z.number(),
  memory: z.object(space),
  disk: z.object({ ...space, kind: z.string() }),
  folder: z.string(),
  maintenance: z.boolean(),
  reserve: z.number(),
  lacking: z.array(z.object({ recipe: z.enum(RECIPE_IDS), needs: z.nullable(z.string()) })),
  // A node of an earlier version knows of none.
  engine: z._default(
    z.object({ state: z.enum(ENGINE_STATES), name: z.string(), version: z.string(), socket: z.string() }),
    { state: 'absent', name: '', version: '', socket: '' },
  ),
});
const answerOf = <T>(value: z.ZodMiniType<T>) =>
  z.union([
    z.object({ outcome: z.literal('ok'), value }),
    z.object({ outcome: z.literal('refused'), reason: z.string() }),
    z.object({ outcome: z.enum(['not_found', 'conflict', 'unavailable', 'unknown']) }),
  ]);

/** Bytes of a call: the largest is a specification with the longest script and very many variables. */
const MAX_CALL = 4_194_304;
/** A deletion may take as long as it ends everything. */
const ANSWER_MS = 60_000;

/** Answers calls at a socket that only its owner and group open. Out: what closes it. */
export function serveNode(node: GameNode, path: string, log: Log): () => Promise<void> {
  rmSync(path, { force: true });
  const server = Bun.serve({
    unix: path,
    maxRequestBodySize: MAX_CALL,
    async fetch(request) {
      const parsed = callSchema.safeParse(await request.json().catch(() => null));
      if (!parsed.success) return Response.json({ outcome: 'refused', reason: 'call' }, { status: 400 });
      return Response.json(await carryOut(node, parsed.data, request.signal));
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
async function carryOut(node: GameNode, call: Call, signal: AbortSignal): Promise<PanelAnswer<unknown>> {
  switch (call.call) {
    case 'put':
      return node.put(call.spec);
    case 'list':
      return { outcome: 'ok', value: node.list() };
    case 'read':
      return node.read(call.id);
    case 'power':
      return node.power(call.id, call.signal);
    case 'remove':
      return node.remove(call.id);
    case 'console':
      return node.console(call.id, call.after, call.waitMs, signal);
    case 'command':
      return node.command(call.id, call.text);
    case 'machine':
      return { outcome: 'ok', value: node.machine(call.reserve) };
    case 'maintain':
      node.maintain(call.isOn);
      return { outcome: 'ok', value: null };
    default:
      return call satisfies never;
  }
}

/** The node behind a socket, as the built-in panel has it. No call throws. */
export function connectNode(path: string): Runtime {
  async function ask<T>(call: Call, value: z.ZodMiniType<T>, signal?: AbortSignal): Promise<PanelAnswer<T>> {
    let response: Response;
    const body = JSON.stringify(call);
    // The node would not read it to its end, and nobody would know what became of it.
    if (Buffer.byteLength(body) > MAX_CALL) return { outcome: 'refused', reason: 'call' };
    try {
      response = await fetch('http://localhost/', {
        unix: path,
        method: 'POST',
        body,
        signal: AbortSignal.any([AbortSignal.timeout(ANSWER_MS), ...(signal ? [signal] : [])]),
      });
    } catch (error) {
      // Whatever else ended the call may have come after it was carried out.
      return { outcome: isAbsent(error) ? 'unavailable' : 'unknown' };
    }
    const read = answerOf(value).safeParse(await response.json().catch(() => null));
    return read.success ? (read.data as PanelAnswer<T>) : { outcome: 'unknown' };
  }
  const nothing = z.null();
  const one: z.ZodMiniType<RuntimeServer> = serverSchema;
  return {
    put: (spec) =>
      ask(
        {
          call: 'put',
          spec: {
            ...spec,
            ports: [...spec.ports],
            environment: { ...spec.environment },
            configFiles: (spec.configFiles ?? []).map((file) => ({ ...file, settings: [...file.settings] })),
            container: spec.container ?? null,
          },
        },
        one,
      ),
    list: () => ask({ call: 'list' }, z.array(one)),
    read: (server) => ask({ call: 'read', id: server }, one),
    power: (server, signal) => ask({ call: 'power', id: server, signal }, nothing),
    remove: (server) => ask({ call: 'remove', id: server }, nothing),
    console: (server, after, waitMs, signal) => ask({ call: 'console', id: server, after, waitMs }, partSchema, signal),
    command: (server, text) => ask({ call: 'command', id: server, text }, nothing),
    machine: (reserve) => ask({ call: 'machine', reserve }, machineSchema),
    maintain: (isOn) => ask({ call: 'maintain', isOn }, nothing),
    files: connectFiles(filesSocket(path)),
    backups: connectBackups(backupsSocket(path)),
  };
}
