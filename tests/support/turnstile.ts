import { standIn } from './standin.ts';

/** What makes a token on the page: fills the field, fails, or never answers. */
export type WidgetMode = 'fills' | 'fails' | 'silent';

/** The secret that the stand-in takes; every other is refused. */
export const TURNSTILE_SECRET = 'stand-in-secret';

/**
 * Turnstile on this machine (services, turnstile): script and check. A token is good once and for 300 seconds of the
 * stand-in's own clock; a repeat with the same idempotency key is the same check.
 */
export async function turnstileStandIn(options: { hostname?: string } = {}) {
  const state = { mode: 'fills' as WidgetMode, hostname: options.hostname ?? '127.0.0.1', nowMs: 0, made: 0 };
  const tokens = new Map<string, { action: string; atMs: number; spentBy: string | null }>();
  const issue = (action: string): string => {
    state.made += 1;
    const token = `token-${state.made}`;
    tokens.set(token, { action, atMs: state.nowMs, spentBy: null });
    return token;
  };
  const no = (...codes: string[]) => ({ body: JSON.stringify({ success: false, 'error-codes': codes }) });

  function verify(form: URLSearchParams) {
    const [secret, token, key] = [form.get('secret'), form.get('response'), form.get('idempotency_key')];
    if (!secret) return no('missing-input-secret');
    if (secret !== TURNSTILE_SECRET) return no('invalid-input-secret');
    if (!token) return no('missing-input-response');
    const known = tokens.get(token);
    if (!known) return no('invalid-input-response');
    if (state.nowMs - known.atMs > 300_000 || (known.spentBy !== null && known.spentBy !== (key ?? '')))
      return no('timeout-or-duplicate');
    known.spentBy = key ?? token;
    return {
      body: JSON.stringify({
        success: true,
        challenge_ts: new Date(known.atMs).toISOString(),
        hostname: state.hostname,
        'error-codes': [],
        action: known.action,
        cdata: '',
      }),
    };
  }

  /** The page's part: asks this server for a token, as the real one asks its own. */
  const script = () => `window.turnstile = {
    render(element, options) {
      const mode = ${JSON.stringify(state.mode)};
      element.textContent = 'Turnstile stand-in';
      if (mode === 'fails') setTimeout(() => options['error-callback']('600010'), 0);
      if (mode === 'fills') setTimeout(() => options.callback('page.' + options.action), 0);
      return 'w';
    },
    reset() {}, remove() {},
  };`;

  const server = await standIn(({ method, url, headers, body }) => {
    if (url.pathname === '/turnstile/v0/api.js') return { type: 'text/javascript', body: script() };
    if (method !== 'POST' || url.pathname !== '/turnstile/v0/siteverify') return { status: 404, body: '{}' };
    if (!String(headers['content-type']).startsWith('application/x-www-form-urlencoded')) return no('bad-request');
    const form = new URLSearchParams(body);
    // A page without a line to this server makes its tokens itself; each is a new one.
    const made = /^page\.(\w+)$/.exec(form.get('response') ?? '');
    if (made) form.set('response', issue(made[1] ?? ''));
    return verify(form);
  });
  return { ...server, state, issue, base: `${server.url}/turnstile/v0` };
}
export type TurnstileStandIn = Awaited<ReturnType<typeof turnstileStandIn>>;
