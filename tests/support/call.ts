import { SESSION_COOKIE } from '#shared/constants.ts';
import type { Harness, Person } from './harness.ts';

export interface Answer {
  readonly status: number;
  readonly json: Record<string, unknown>;
}

/** A bare call of the API by a person, as a browser sends it. `body` may be a text that is sent as it is. */
export async function call(
  harness: Harness,
  person: Person,
  method: string,
  path: string,
  body?: unknown,
  key?: string,
): Promise<Answer> {
  const response = await harness.http(path, request(person, method, body, key));
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

function request(person: Person, method: string, body: unknown, key: string | undefined): RequestInit {
  return {
    method,
    headers: {
      Cookie: `${SESSION_COOKIE}=${person.secret}`,
      Origin: 'http://127.0.0.1',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  };
}

export interface Line {
  readonly status: number;
  readonly type: string | null;
  /** The next event with its data, or `null` at the end. */
  readLine(): Promise<{ event: string; data: unknown } | null>;
  leave(): Promise<void>;
}

/** Opens an event stream of the API. */
export async function listen(harness: Harness, person: Person, path: string): Promise<Line> {
  const response = await harness.http(path, request(person, 'GET', undefined, undefined));
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  async function readLine(): Promise<{ event: string; data: unknown } | null> {
    for (;;) {
      const end = text.indexOf('\n\n');
      const block = end < 0 ? null : text.slice(0, end);
      if (block !== null) {
        text = text.slice(end + 2);
        const [, event, data] = /^event: (.+)\ndata: (.+)$/.exec(block) ?? [];
        if (event !== undefined && data !== undefined) return { event, data: JSON.parse(data) as unknown };
        continue;
      }
      const next = await reader?.read();
      if (!next || next.done) return null;
      text += next.value;
    }
  }
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    readLine,
    leave: async () => void (await reader?.cancel()),
  };
}
