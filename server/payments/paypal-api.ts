import type { SettingValues } from '#shared/settings.ts';
import { SECOND } from '#shared/time.ts';

/** How long PayPal may take to answer, and the most it may say. */
const TIMEOUT_MS = 15 * SECOND;
const MAX_CHARS = 512 * 1024;
/** A token is renewed this long before it ends. */
const EARLY_MS = 60 * SECOND;

/** An answer of PayPal; `status` 0: none came. */
export interface PaypalAnswer {
  readonly status: number;
  readonly body: unknown;
}
export interface PaypalApi {
  /**
   * Sends a call with our token; once more with a new one where it is refused. `key`: PayPal-Request-Id of a command.
   * `raw`: the body as it is.
   */
  call(
    method: 'GET' | 'POST',
    path: string,
    options?: { body?: object; raw?: string; key?: string },
  ): Promise<PaypalAnswer>;
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>;
interface Token {
  readonly value: string;
  readonly owner: string;
  readonly untilMs: number;
}

/** PayPal over plain HTTP: bounded, without redirects, with one token for all calls. */
export function createPaypalApi({
  settings,
  clock,
  fetch,
}: {
  settings: { current(): SettingValues };
  clock: { now(): number };
  fetch: Fetch;
}): PaypalApi {
  let token: Token | null = null;
  let asking: Promise<Token | null> | null = null;
  const ownerOf = ({
    paypal_api_url: url,
    paypal_client_id: id,
    paypal_client_secret: secret,
  }: SettingValues): string => `${url} ${id} ${secret}`;

  async function freshToken(): Promise<Token | null> {
    const values = settings.current();
    const basic = Buffer.from(`${values.paypal_client_id}:${values.paypal_client_secret}`).toString('base64');
    const headers = {
      Authorization: `Basic ${basic}`,
      'Content-Type': 'application/x-www-form-urlencoded',
      Accept: 'application/json',
    };
    const { status, body } = await send(fetch, `${values.paypal_api_url}/v1/oauth2/token`, {
      method: 'POST',
      headers,
      body: 'grant_type=client_credentials',
    });
    const value = fieldOf(body, 'access_token');
    const seconds = fieldOf(body, 'expires_in');
    if (status !== 200 || typeof value !== 'string' || typeof seconds !== 'number') return null;
    return { value, owner: ownerOf(values), untilMs: clock.now() + seconds * SECOND - EARLY_MS };
  }
  /** The token in force; several who need a new one ask once together. */
  async function bearer(): Promise<string | null> {
    if (token && token.owner === ownerOf(settings.current()) && clock.now() < token.untilMs) return token.value;
    asking ??= freshToken().finally(() => (asking = null));
    token = await asking;
    return token?.value ?? null;
  }

  return {
    async call(method, path, { body, raw, key } = {}) {
      for (const last of [false, true]) {
        const value = await bearer();
        if (value === null) return { status: 0, body: null };
        const headers: Record<string, string> = {
          Authorization: `Bearer ${value}`,
          Accept: 'application/json',
          Prefer: 'return=representation',
        };
        if (method === 'POST') headers['Content-Type'] = 'application/json';
        if (key !== undefined) headers['PayPal-Request-Id'] = key;
        const answer = await send(fetch, `${settings.current().paypal_api_url}${path}`, {
          method,
          headers,
          ...(method === 'POST' ? { body: raw ?? JSON.stringify(body ?? {}) } : {}),
        });
        if (answer.status !== 401 || last) return answer;
        token = null;
      }
      return { status: 0, body: null };
    },
  };
}

async function send(fetch: Fetch, url: string, init: RequestInit): Promise<PaypalAnswer> {
  try {
    const response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
    const text = await boundedText(response);
    return { status: text === null ? 0 : response.status, body: text === null ? null : parsed(text) };
  } catch {
    return { status: 0, body: null };
  }
}

/** The body up to the bound; null where it is longer. */
async function boundedText(response: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_CHARS) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A field of a JSON object; undefined where it is none or has none. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;
}

/** The issues that an error of PayPal names: what is decided by. */
export function issuesOf(body: unknown): string[] {
  const details = fieldOf(body, 'details');
  const issues = Array.isArray(details) ? details.map((each: unknown) => String(fieldOf(each, 'issue'))) : [];
  return [...issues, String(fieldOf(body, 'name'))];
}
