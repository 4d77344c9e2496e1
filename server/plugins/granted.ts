import * as z from 'zod/mini';
import type { GrantPorts } from '#server/modules/plugins/engine-ports.ts';
import { MAIL_BLOCK_MAX, MAIL_SUBJECT_CHARS } from '#shared/mails.ts';
import type { PluginPermissions } from '#shared/plugin-manifest.ts';
import { MINUTE } from '#shared/time.ts';

/** What a plugin may fill and ask for. */
export const GRANT_LIMITS = {
  /** Bytes of all its keys and values; keys; bytes of one value. */
  storage: 5_000_000,
  keys: 10_000,
  value: 100_000,
  /** Bytes of a request and of an answer, and how long a service elsewhere may take. */
  body: 100_000,
  response: 200_000,
  fetchMs: 8000,
  /** How often it may ask for the same in a minute. */
  aMinute: { fetch: 300, pay: 1200, notify: 120, mail: 120, log: 120 } as Readonly<Record<string, number>>,
  others: 12_000,
} as const;

/** A question that is refused; the plugin may read its code. */
class Refused extends Error {
  override readonly name = 'Refused';
}
const key = z.string().check(z.regex(/^[\w:.@/-]{1,200}$/));
const keyPart = z.string().check(z.regex(/^[\w:.@/-]{0,200}$/));
const id = z.string().check(z.regex(/^[\w-]{1,64}$/));
const plain = (max: number) => z.string().check(z.minLength(1), z.maxLength(max), z.regex(/^\P{Cc}*$/u));
const lines = (max: number) => z.string().check(z.minLength(1), z.maxLength(max), z.regex(/^(?:\P{Cc}|\n)*$/u));
const reference = z.string().check(z.minLength(1), z.maxLength(120), z.regex(/^[\w:.-]+$/));
const request = z.strictObject({
  method: z.optional(z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])),
  headers: z.optional(
    z.record(
      z.string().check(z.regex(/^[\w-]{1,60}$/)),
      z.string().check(z.maxLength(2000), z.regex(/^[\t\x20-\x7e]*$/)),
    ),
  ),
  body: z.optional(z.string().check(z.maxLength(GRANT_LIMITS.body))),
});
/** Headers that are the product's to set. */
const OWN_HEADERS = /^(host|connection|content-length|transfer-encoding|cookie|origin|referer|user-agent|proxy-.*)$/i;

/**
 * Answers what a plugin asks for, as far as staff granted it. In: what was granted, which may be less than the manifest
 * says. Out: for the sandbox; throws errors whose message is a code.
 */
export function createGranted(granted: PluginPermissions, ports: GrantPorts) {
  const need = (is: unknown): void => {
    if (is === undefined || is === false) throw new Refused('NOT_GRANTED');
  };
  function parse<T>(schema: z.ZodMiniType<T>, value: unknown): T {
    const parsed = schema.safeParse(value);
    if (!parsed.success) throw new Refused('BAD_QUESTION');
    return parsed.data;
  }

  async function fetchFor(address: unknown, options: unknown): Promise<string> {
    need(granted.hosts);
    const url = URL.parse(parse(z.string().check(z.maxLength(2000)), address));
    // The name to the letter, encrypted and at its usual port; what lies behind it is looked at on the way out.
    if (url?.protocol !== 'https:' || url.port !== '' || !granted.hosts?.includes(url.hostname))
      throw new Refused('NOT_GRANTED');
    const { method = 'GET', headers = {}, body } = parse(request, options ?? {});
    if (Object.keys(headers).some((name) => OWN_HEADERS.test(name))) throw new Refused('BAD_QUESTION');
    const signal = AbortSignal.timeout(GRANT_LIMITS.fetchMs);
    const init: RequestInit = { method, headers, redirect: 'manual', signal, ...(body === undefined ? {} : { body }) };
    const response = await ports.outbound(url.href, init).catch(() => {
      throw new Refused('NO_ANSWER');
    });
    const text = await readUpTo(response, GRANT_LIMITS.response);
    return JSON.stringify({ status: response.status, type: response.headers.get('content-type') ?? '', body: text });
  }

  const answers: Readonly<Record<string, (args: readonly unknown[]) => Promise<string> | string>> = {
    'storage.get': async ([name]) => (need(granted.storage), (await ports.storage.get(parse(key, name))) ?? ''),
    'storage.set': async ([name, value]) => {
      need(granted.storage);
      const json = JSON.stringify(value ?? null);
      const limits = { bytes: GRANT_LIMITS.storage, keys: GRANT_LIMITS.keys };
      if (json.length > GRANT_LIMITS.value || !(await ports.storage.set(parse(key, name), json, limits)))
        throw new Refused('TOO_MUCH');
      return '';
    },
    'storage.delete': async ([name]) => (need(granted.storage), await ports.storage.delete(parse(key, name)), ''),
    'storage.list': async ([prefix, after]) => {
      need(granted.storage);
      return JSON.stringify(await ports.storage.list(parse(keyPart, prefix ?? ''), parse(keyPart, after ?? '')));
    },
    'read.user': async ([userId]) => {
      if (!granted.reads?.includes('users')) throw new Refused('NOT_GRANTED');
      return JSON.stringify(await ports.read.user(parse(id, userId)));
    },
    'read.server': async ([serverId]) => {
      if (!granted.reads?.includes('servers')) throw new Refused('NOT_GRANTED');
      return JSON.stringify(await ports.read.server(parse(id, serverId)));
    },
    settings: () => JSON.stringify(ports.settings()),
    fetch: ([address, options]) => fetchFor(address, options),
    pay: async ([payment]) => {
      need(granted.credits);
      const asked = parse(
        z.strictObject({ userId: id, amount: z.int().check(z.gte(1), z.lte(100_000_000)), reference }),
        payment,
      );
      return JSON.stringify(await ports.pay({ ...asked, budget: granted.credits ?? 0 }));
    },
    notify: async ([notification]) => {
      need(granted.notifications);
      const asked = parse(z.strictObject({ userId: id, text: plain(300), key: reference }), notification);
      return JSON.stringify(await ports.notifyUser({ ...asked, text: asked.text.toWellFormed() }));
    },
    mail: async ([mail]) => {
      need(granted.mail);
      const asked = parse(
        z.strictObject({ userId: id, subject: plain(MAIL_SUBJECT_CHARS), text: lines(MAIL_BLOCK_MAX), key: reference }),
        mail,
      );
      const [subject, text] = [asked.subject.toWellFormed(), asked.text.toWellFormed()];
      return JSON.stringify(await ports.mailUser({ ...asked, subject, text }));
    },
    log: ([text]) => (ports.log(String(text).toWellFormed().slice(0, 500)), ''),
  };

  const counts = new Map<string, { fromMs: number; count: number }>();
  /** Throws TOO_MUCH where a plugin asks for the same more often in a minute than it may. */
  function assertPace(what: string): void {
    const nowMs = ports.now();
    const seen = counts.get(what);
    const current = seen && nowMs - seen.fromMs < MINUTE ? seen : { fromMs: nowMs, count: 0 };
    current.count += 1;
    counts.set(what, current);
    if (current.count > (GRANT_LIMITS.aMinute[what] ?? GRANT_LIMITS.others)) throw new Refused('TOO_MUCH');
  }

  return async (what: string, args: readonly unknown[]): Promise<string> => {
    if (!Object.hasOwn(answers, what) || !Array.isArray(args)) throw new Refused('UNKNOWN');
    assertPace(what);
    try {
      return (await answers[what]?.(args)) ?? '';
    } catch (error) {
      // What went wrong inside of the product is not the plugin's to read.
      throw error instanceof Refused ? error : new Error('FAILED', { cause: error });
    }
  };
}

/** The text of an answer, as far as it is no longer than it may be. */
async function readUpTo(response: Response, max: number): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return '';
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new Refused('NO_ANSWER');
    });
    if (done) break;
    length += value.length;
    if (length > max) {
      await reader.cancel();
      throw new Refused('TOO_MUCH');
    }
    parts.push(value);
  }
  return Buffer.concat(parts).toString('utf8');
}
