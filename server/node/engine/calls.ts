import * as z from 'zod/mini';
import { SECOND } from '#shared/time.ts';

/** The version of the API that is spoken: what Docker 20.10 and Podman 4 have. */
export const API = '1.41';
const ANSWER_MS = 60 * SECOND;

/** An answer that was no success. `status`: 0 where none came, and what was asked may have been done. */
export class EngineError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** What the engine says of what it does not do. */
export function messageOf(answer: unknown): string {
  const said = z.object({ message: z.string() }).safeParse(answer);
  return said.success ? said.data.message.slice(0, 300) : 'it does not say why';
}

interface CallOptions {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly body?: unknown;
  readonly ms?: number;
  readonly signal?: AbortSignal;
}

/** Calls of an engine. In: its socket, as it is when it is called. */
export function createCalls(socketOf: () => string) {
  /** The answer, whatever it is. Throws EngineError where none comes. */
  async function call(path: string, { method = 'GET', body, ms = ANSWER_MS, signal }: CallOptions = {}) {
    const unix = socketOf();
    // Without a path it would be asked of whatever listens on this machine's port 80.
    if (unix === '') throw new EngineError(0, 'there is no engine');
    const signals = [AbortSignal.timeout(ms), ...(signal ? [signal] : [])];
    try {
      return await fetch(`http://localhost${path}`, {
        unix,
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
        signal: AbortSignal.any(signals),
        keepalive: false,
      });
    } catch (error) {
      throw new EngineError(0, `${method} ${path.split('?')[0]}: ${String(error)}`);
    }
  }
  /** What is answered to a call. Throws EngineError. */
  async function ask<T>(path: string, schema: z.ZodMiniType<T>, options: CallOptions = {}): Promise<T> {
    const response = await call(`/v${API}${path}`, options);
    let value: unknown;
    try {
      value = response.status === 204 || response.status === 304 ? null : await response.json();
    } catch (error) {
      throw new EngineError(response.ok ? 0 : response.status, `${path.split('?')[0]}: ${String(error)}`);
    }
    if (!response.ok && response.status !== 304) throw new EngineError(response.status, messageOf(value));
    const read = schema.safeParse(value);
    if (!read.success) throw new EngineError(response.status, `${path.split('?')[0]}: not what this API answers`);
    return read.data;
  }
  /** The same, where 404 is an answer. */
  const orNull = <T>(work: Promise<T>): Promise<T | null> =>
    work.catch((error: unknown) => {
      if (error instanceof EngineError && error.status === 404) return null;
      throw error;
    });

  return { call, ask, orNull };
}
