import * as z from 'zod/mini';
import { ENGINE_STATES } from '../engine.ts';
import { MACHINE_GRADES, MACHINE_PARTS, PART_STATES } from '../machine.ts';
import { HALT_REASONS, RUNTIME_STATES } from '../server-codes.ts';
import { group } from './endpoint.ts';

const bytes = z.number();
const machine = z.object({
  grade: z.enum(MACHINE_GRADES),
  /** `accepted`: it is weak, and servers of strangers run all the same by the operator’s word. */
  parts: z.array(z.object({ part: z.enum(MACHINE_PARTS), state: z.enum(PART_STATES), accepted: z.boolean() })),
  /** Some weak part is not accepted: servers of strangers are refused. */
  open: z.boolean(),
  groups: z.union([z.literal(1), z.literal(2)]),
  system: z.string(),
  kernel: z.string(),
  processor: z.string(),
  cores: z.int(),
  uptime_ms: z.number(),
  memory: z.object({ total: bytes, free: bytes }),
  disk: z.object({ total: bytes, free: bytes, kind: z.string() }),
  folder: z.string(),
  maintenance: z.boolean(),
  /** Bytes of disk below which nothing starts. */
  reserve: bytes,
});
const view = z.object({
  /** `simulated`: servers are imitated; `absent`: the node does not answer. */
  state: z.enum(['simulated', 'absent', 'running']),
  /** What this machine lacks to run servers, and programs that are not installed; only while they are imitated. */
  lacks: z.array(z.string()),
  missing: z.array(z.string()),
  machine: z.nullable(machine),
  ports: z.object({ first: z.int(), last: z.int() }),
  /** MB, MB, percent of one core. */
  sold: z.object({ servers: z.int(), memory: z.number(), disk: z.number(), cpu: z.number(), ports: z.int() }),
  used: z.object({ memory: bytes, disk: bytes, cpu: z.number(), running: z.int() }),
  /** Percent of the memory that may be sold. */
  memory_share: z.int(),
  /**
   * `lacking`: it cannot run here. `needs`: the package whose program this machine lacks for it; null: it is for
   * another processor.
   */
  recipes: z.array(z.object({ id: z.string(), on: z.boolean(), lacking: z.boolean(), needs: z.nullable(z.string()) })),
  /** What runs containers: Docker or Podman; null while the node does not answer. */
  engine: z.nullable(
    z.object({ state: z.enum(ENGINE_STATES), name: z.string(), version: z.string(), socket: z.string() }),
  ),
  /** The settings of the same names, as they are. */
  recipes_off: z.string(),
  accepted_parts: z.string(),
  /** Those that use most memory, a hundred at most. Bytes are in use, MB are the limits. */
  servers: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      state: z.nullable(z.enum(RUNTIME_STATES)),
      halt: z.nullable(z.enum(HALT_REASONS)),
      cpu: z.number(),
      memory: bytes,
      memory_limit: z.number(),
      disk: bytes,
      disk_limit: z.number(),
      port: z.nullable(z.int()),
    }),
  ),
});
export type MachineView = z.infer<typeof view>;

/** The machine that runs servers of the built-in panel. */
export const adminMachine = group({
  get: {
    method: 'GET',
    path: '/api/admin/machine',
    summary: 'Get this machine',
    description: 'What keeps its servers apart, what is sold and used of it, and its servers.',
    access: 'admin.health.view',
    errors: [],
    response: view,
  },
  stop: {
    method: 'POST',
    path: '/api/admin/machine/stop',
    summary: 'Stop all servers of this machine',
    description: 'Begins to, and starts none until they are started again.',
    access: 'admin.settings.edit',
    limit: 'create',
    errors: ['MACHINE_UNREACHABLE'],
  },
  start: {
    method: 'POST',
    path: '/api/admin/machine/start',
    summary: 'End the maintenance of this machine',
    description: 'Servers that ran before start again, a few at a time.',
    access: 'admin.settings.edit',
    limit: 'create',
    errors: ['MACHINE_UNREACHABLE'],
  },
});
