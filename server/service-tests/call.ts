import type { Outbound } from '../outbound.ts';
import type { ServiceOutcome } from '#shared/service-tests.ts';

const TIMEOUT_MS = 10_000;
/** Bytes of an answer that are read. */
const BODY_MAX = 64 * 1024;

interface Answered {
  readonly status: number;
  /** The body as JSON; null where it is none. */
  readonly body: unknown;
}

/** One call of a service: bounded, without redirects. Null where no whole answer came. Never throws. */
export async function callService(
  fetch: Outbound,
  url: string,
  init: { readonly method?: string; readonly headers?: Readonly<Record<string, string>>; readonly body?: string } = {},
): Promise<Answered | null> {
  try {
    const response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
    const text = await boundedText(response);
    return text === null ? null : { status: response.status, body: parse(text) };
  } catch {
    return null;
  }
}

/** The outcome of a call that was not a success. `fact`: what the service says of it. */
export function failureOf(answer: Answered | null, fact: string | null = null): ServiceOutcome {
  if (answer === null) return { outcome: 'silent', fact: null };
  const refused = [400, 401, 403, 404].includes(answer.status);
  return {
    outcome: refused ? 'refused' : 'unclear',
    fact: fact === null ? `HTTP ${answer.status}` : fact.slice(0, 200),
  };
}

/** A text at a path into JSON; null where there is none. */
export function textAt(body: unknown, ...path: readonly string[]): string | null {
  const found = path.reduce<unknown>(
    (at, name) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, name)
        ? (at as Record<string, unknown>)[name]
        : undefined,
    body,
  );
  return typeof found === 'string' ? found : null;
}

async function boundedText(response: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > BODY_MAX) return null;
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
