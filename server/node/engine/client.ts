import { existsSync, statfsSync } from 'node:fs';
import * as z from 'zod/mini';
import type { EngineState } from '#shared/engine.ts';
import { MINUTE, SECOND } from '#shared/time.ts';
import { jsonLines } from '#server/json-lines.ts';
import { API, createCalls, EngineError, messageOf } from './calls.ts';

/** A container that the engine has. */
interface Container {
  readonly id: string;
  readonly isRunning: boolean;
  /** Number of its first process on this machine; 0 while it does not run. */
  readonly pid: number;
  readonly exitCode: number;
  readonly labels: Readonly<Record<string, string>>;
}
/** An image that the engine has: its own id, and what it begins. */
export interface Image {
  readonly id: string;
  readonly argv: readonly string[];
  /** It brings a program that looks after it, which the engine would run beside its server. */
  readonly isLookedAfter: boolean;
}
/** What is known of the engine of this machine. */
interface EngineFacts {
  readonly state: EngineState;
  /** "Docker" or "Podman", and its version; '' while it does not answer. */
  readonly name: string;
  readonly version: string;
  readonly socket: string;
}

/** Where engines listen that run as root. */
const SOCKETS = ['/var/run/docker.sock', '/run/podman/podman.sock'];
/** What every engine answers at once, whatever else it does. */
const PING_MS = 10 * SECOND;
/** Podman asks the packages of its machine before it says more of itself: a slow one takes half a minute. */
const INFO_MS = 2 * MINUTE;
/** How often one that stays ready is asked for all of it. */
const INFO_EVERY_MS = 10 * MINUTE;
/** How long a removal that somebody else began is waited for. */
const REMOVAL_MS = 10 * SECOND;
const LOOK_MS = 50;
/** A pull that says nothing for so long has broken off. */
const PULL_QUIET_MS = 2 * MINUTE;
const MOST_LINE = 65_536;
/** Bytes that stay free where the engine keeps its images. */
const KEPT = 256 * 1024 ** 2;

const infoSchema = z.object({
  OSType: z.string(),
  SecurityOptions: z.nullable(z.array(z.string())),
  DockerRootDir: z.string(),
});
const containerSchema = z.object({
  Id: z.string(),
  State: z.object({ Running: z.boolean(), Pid: z.int(), ExitCode: z.int() }),
  Config: z.object({ Labels: z.nullish(z.record(z.string(), z.string())) }),
});
const words = z.nullish(z.array(z.string()));
const imageSchema = z.object({
  Id: z.string().check(z.regex(/^(?:sha256:)?[0-9a-f]{64}$/)),
  Config: z.object({ Entrypoint: words, Cmd: words, Healthcheck: z.nullish(z.unknown()) }),
});
const listSchema = z.array(z.object({ Id: z.string(), Labels: z.nullish(z.record(z.string(), z.string())) }));
const progressSchema = z.object({
  id: z.nullish(z.string()),
  progressDetail: z.nullish(z.object({ current: z.nullish(z.number()), total: z.nullish(z.number()) })),
  error: z.nullish(z.string()),
});

/** Whether a version of the API is at least the one that is spoken. */
function isSpoken(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [least = 0, leastMinor = 0] = API.split('.').map(Number);
  return major > least || (major === least && minor >= leastMinor);
}

/**
 * Loads an image from its registry. In: its name, what hears how much of it is there (percent), and what breaks it off.
 * Throws EngineError.
 */
const pullOf =
  ({ call }: Pick<ReturnType<typeof createCalls>, 'call'>) =>
  async (name: string, onProgress: (percent: number) => void, signal: AbortSignal): Promise<void> => {
    // Without a tag all of them would be loaded.
    const whole = /[:@][^/]*$/.test(name) ? name : `${name}:latest`;
    const quiet = new AbortController();
    let timer = setTimeout(() => quiet.abort(), PULL_QUIET_MS);
    const layers = new Map<string, { readonly current: number; readonly total: number }>();
    try {
      const response = await call(`/v${API}/images/create?fromImage=${encodeURIComponent(whole)}`, {
        method: 'POST',
        ms: 30 * MINUTE,
        signal: AbortSignal.any([signal, quiet.signal]),
      });
      if (!response.ok || !response.body)
        throw new EngineError(response.status, messageOf(await response.json().catch(() => null)));
      for await (const line of jsonLines(response.body, MOST_LINE)) {
        clearTimeout(timer);
        timer = setTimeout(() => quiet.abort(), PULL_QUIET_MS);
        const read = progressSchema.safeParse(line);
        if (!read.success) continue;
        const { id, progressDetail, error } = read.data;
        if (error) throw new EngineError(500, error.slice(0, 300));
        const { current, total } = progressDetail ?? {};
        if (!id || !current || !total) continue;
        layers.set(id, { current, total });
        const sum = (key: 'current' | 'total') => layers.values().reduce((all, each) => all + each[key], 0);
        onProgress(Math.min(100, Math.floor((sum('current') / sum('total')) * 100)));
      }
    } catch (error) {
      throw error instanceof EngineError ? error : new EngineError(0, String(error));
    } finally {
      clearTimeout(timer);
    }
  };

export type Engine = ReturnType<typeof createEngine>;

/**
 * Docker or Podman, behind its socket. Whoever may speak to it is root, so only the node does. In: the path of its
 * socket; null: where one is by default; `off`: none.
 */
export function createEngine(configured: string | null) {
  let facts: EngineFacts = { state: configured === 'off' ? 'off' : 'absent', name: '', version: '', socket: '' };
  let rootDir = '';
  /** When an engine was asked for all of it, and what it called itself then. */
  let asked = { atMs: -Infinity, as: '' };
  const calls = createCalls(() => facts.socket);
  const { ask, orNull } = calls;

  async function look(socket: string): Promise<EngineFacts> {
    facts = { ...facts, socket };
    const { ok, headers } = await calls.call('/_ping', { ms: PING_MS });
    const [api, as] = [headers.get('api-version'), headers.get('server') ?? ''];
    if (!ok || api === null) throw new Error('it is no engine');
    const [, kind = '', version = ''] = /^(\w+)\/(\S{1,50})/.exec(as) ?? [];
    const found = { name: kind === 'Libpod' ? 'Podman' : 'Docker', version, socket };
    if (!isSpoken(api)) return { ...found, state: 'old' };
    const atMs = performance.now();
    if (facts.state === 'ready' && asked.as === as && atMs - asked.atMs < INFO_EVERY_MS) return facts;
    const info = await ask('/info', infoSchema, { ms: INFO_MS });
    asked = { atMs, as };
    rootDir = info.DockerRootDir;
    const options = info.SecurityOptions ?? [];
    const has = (word: string) => options.some((option) => option.split(',').includes(`name=${word}`));
    const state = has('rootless') || has('userns') ? 'rootless' : has('seccomp') ? 'ready' : 'unfiltered';
    return { ...found, state: info.OSType === 'linux' ? state : 'rootless' };
  }

  return {
    facts: () => facts,
    isReady: () => facts.state === 'ready',
    /** It did not answer somebody: until the next look it counts as one that does not. */
    doubt(): void {
      if (facts.state === 'ready') facts = { ...facts, state: 'silent' };
    },
    /** Looks what there is. Out: whether it is ready now and was not before. */
    async probe(): Promise<boolean> {
      if (configured === 'off') return false;
      const was = facts.state;
      const socket = (configured === null ? SOCKETS : [configured]).find((path) => existsSync(path));
      // Where it was, or should be.
      const place = facts.socket || (configured ?? SOCKETS[0] ?? '');
      if (socket === undefined) facts = { state: 'absent', name: '', version: '', socket: place };
      else facts = await look(socket).catch(() => ({ ...facts, state: 'silent' as const }));
      return facts.state === 'ready' && was !== 'ready';
    },
    /** Whether the disk that it keeps images on has no room for more. */
    isFull(): boolean {
      try {
        const { bavail, bsize } = statfsSync(rootDir);
        return bavail * bsize < KEPT;
      } catch {
        // It keeps them where nobody can look: then the rest of the machine counts.
        return false;
      }
    },
    /** An image by its name or id; null: the engine does not have it. */
    async image(name: string): Promise<Image | null> {
      const found = await orNull(ask(`/images/${encodeURIComponent(name)}/json`, imageSchema));
      if (!found) return null;
      const { Entrypoint, Cmd, Healthcheck } = found.Config;
      return { id: found.Id, argv: [...(Entrypoint ?? []), ...(Cmd ?? [])], isLookedAfter: Boolean(Healthcheck) };
    },
    pull: pullOf(calls),
    /** Makes a container. Throws EngineError. */
    async create(name: string, body: unknown): Promise<void> {
      await ask(`/containers/create?name=${name}`, z.object({ Id: z.string() }), { method: 'POST', body });
    },
    /** Begins a container; one that runs already is left alone. Throws EngineError. */
    async start(name: string): Promise<void> {
      await ask(`/containers/${name}/start`, z.unknown(), { method: 'POST' });
    },
    /** A container by its name; null: there is none. Throws EngineError. */
    async container(name: string): Promise<Container | null> {
      const found = await orNull(ask(`/containers/${name}/json`, containerSchema));
      if (!found) return null;
      const { Running, Pid, ExitCode } = found.State;
      return { id: found.Id, isRunning: Running, pid: Pid, exitCode: ExitCode, labels: found.Config.Labels ?? {} };
    },
    /** Ends and removes a container with its own volumes, or waits for somebody who does. Throws EngineError. */
    async remove(name: string): Promise<void> {
      try {
        await orNull(ask(`/containers/${name}?force=true&v=true`, z.unknown(), { method: 'DELETE' }));
      } catch (error) {
        if (!(error instanceof EngineError) || error.status !== 409) throw error;
        const end = performance.now() + REMOVAL_MS;
        while ((await orNull(ask(`/containers/${name}/json`, z.unknown()))) !== null) {
          if (performance.now() > end) throw error;
          await Bun.sleep(LOOK_MS);
        }
      }
    },
    /** Labels of all containers that have one, by id. Throws EngineError. */
    async list(label: string): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
      const filters = encodeURIComponent(JSON.stringify({ label: [label] }));
      const found = await ask(`/containers/json?all=true&filters=${filters}`, listSchema);
      return new Map(found.map(({ Id, Labels }) => [Id, Labels ?? {}]));
    },
  };
}
