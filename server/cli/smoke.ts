import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';

/** Whom to trust beside the authorities that are known everywhere: those of a PEM text, or everybody. */
export interface Trust {
  readonly ca?: string;
  readonly insecure?: boolean;
}

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** How long one answer may take before it counts as none. */
const TIMEOUT_MS = 10_000;

/** A way to ask an installation. In: whom to trust. */
function createFetch({ ca, insecure }: Trust): (url: string, init?: RequestInit) => Promise<Response> {
  const tls = {
    ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
    ...(insecure ? { rejectUnauthorized: false } : {}),
  };
  return (url, init = {}) => fetch(url, { redirect: 'manual', ...init, tls, signal: AbortSignal.timeout(TIMEOUT_MS) });
}

/**
 * Checks a running installation from outside: health, pages, headers, the session answer, the access check's side
 * effects, assets. In: the base address, and whom to trust beyond the authorities everybody knows. Out: one row a
 * check; a check that cannot be made has failed.
 */
export async function smoke(base: string, trust: Trust = {}): Promise<Check[]> {
  const ask = createFetch(trust);
  const root = base.replace(/\/+$/, '');
  const checks: Check[] = [];
  const check = async (name: string, work: () => Promise<string>) => {
    try {
      checks.push({ name, ok: true, detail: await work() });
    } catch (error) {
      checks.push({ name, ok: false, detail: error instanceof Error ? error.message : String(error) });
    }
  };
  const expect = (condition: boolean, message: string) => {
    if (!condition) throw new Error(message);
  };
  let page = '';

  await check('/healthz answers', async () => {
    const answer = await ask(`${root}/healthz`);
    expect(answer.status === 200, `status ${answer.status}`);
    return '200';
  });
  await check('/readyz answers', async () => {
    const answer = await ask(`${root}/readyz`);
    expect(answer.status === 200, `status ${answer.status}`);
    return '200';
  });
  await check('login page renders', async () => {
    const answer = await ask(`${root}/auth/login`, {
      headers: { 'User-Agent': 'Mozilla/5.0 (smoke) AppleWebKit/537.36 Chrome/130.0 Safari/537.36' },
    });
    page = await answer.text();
    expect(
      answer.status === 200,
      `status ${answer.status}${answer.status === 403 ? ' (access check: come by HTTPS and a domain)' : ''}`,
    );
    expect(page.includes('<form') && page.includes('__boot'), 'the page holds no form or no boot data');
    return `${page.length} bytes`;
  });
  await check('security headers are set', async () => {
    const answer = await ask(`${root}/auth/login`);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy.includes("'nonce-") && !policy.includes('unsafe'), `content-security-policy: ${policy || 'none'}`);
    expect(answer.headers.get('x-content-type-options') === 'nosniff', 'no x-content-type-options');
    return 'policy with nonce';
  });
  await check('guests are sent to the login', async () => {
    const answer = await ask(`${root}/dashboard`);
    expect(answer.status === 302 && answer.headers.get('location') === '/auth/login', `status ${answer.status}`);
    return '302';
  });
  await check('unknown pages are 404', async () => {
    const answer = await ask(`${root}/no-such-page`);
    expect(answer.status === 404, `status ${answer.status}`);
    return '404';
  });
  await check('session answers', async () => {
    const answer = await ask(`${root}/api/user/session`);
    const body = (await answer.json()) as { success?: unknown; error_code?: unknown };
    expect(
      answer.status === 200 && body.success === false && typeof body.error_code === 'string',
      `status ${answer.status}`,
    );
    expect((answer.headers.get('cache-control') ?? '').includes('no-store'), 'the answer may be cached');
    return String(body.error_code);
  });
  await check('changes from elsewhere are refused', async () => {
    const answer = await ask(`${root}/api/auth/logout`, {
      method: 'POST',
      headers: { Origin: 'https://elsewhere.example' },
    });
    expect(answer.status === 403, `status ${answer.status}`);
    return '403';
  });
  await check('assets load', async () => {
    const paths = [...new Set([...page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map((found) => found[1] ?? ''))];
    expect(paths.length > 1, 'the page names no assets');
    const answers = await Promise.all(paths.map((path) => ask(root + path)));
    const bad = answers.find((answer) => answer.status !== 200);
    expect(!bad, `${bad?.url} answers ${bad?.status}`);
    return `${paths.length} files`;
  });
  return checks;
}

const USAGE = 'Usage: spawnpoint smoke https://panel.example.com [--ca FILE] [--insecure]';

/** Reads the command line. Out: the address and whom to trust, or what is wrong with it. */
function parseArguments(argv: readonly string[]): { url: string; trust: Trust } | string {
  let url: string | null = null;
  const trust: { ca?: string; insecure?: boolean } = {};
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === '--insecure') trust.insecure = true;
    else if (word === '--ca') {
      at += 1;
      const path = argv[at];
      if (path === undefined) return USAGE;
      try {
        trust.ca = readFileSync(path, 'utf8');
      } catch {
        return `--ca: ${path} cannot be read`;
      }
      if (!trust.ca.includes('-----BEGIN CERTIFICATE-----')) return `--ca: ${path} holds no certificate in PEM form`;
    } else if (url === null && /^https?:\/\//.test(word)) url = word;
    else return USAGE;
  }
  return url === null ? USAGE : { url, trust };
}

/**
 * `spawnpoint smoke URL [--ca FILE] [--insecure]`: prints a table; 0 when everything holds, 1 otherwise, 2 when it was
 * used wrongly.
 */
export async function smokeCommand(argv: readonly string[]): Promise<number> {
  const words = parseArguments(argv);
  if (typeof words === 'string') {
    console.error(words);
    return 2;
  }
  const checks = await smoke(words.url, words.trust);
  const width = Math.max(...checks.map((each) => each.name.length));
  for (const each of checks) console.log(`${each.ok ? 'ok  ' : 'FAIL'}  ${each.name.padEnd(width)}  ${each.detail}`);
  const failed = checks.filter((each) => !each.ok).length;
  console.log(failed === 0 ? `all ${checks.length} checks hold` : `${failed} of ${checks.length} checks failed`);
  return failed === 0 ? 0 : 1;
}
