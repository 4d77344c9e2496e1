import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';
import { Secret, TOTP } from 'otpauth';
import { DESKTOP, expect, install, openVisitor, PASSPHRASE, ready, test, type Installation } from './fixtures.ts';

/** What opens an account is nowhere but where it belongs: not in logs, addresses of others, Referer or the debug panel. */
const NEXT = 'seven copper kettles singing';
const run = promisify(execFile);

/** Everything that the server wrote to its log, on the screen and in files. */
function logOf(host: Installation & { output(): string }): string {
  // The one-time link of the first owner is printed for the operator: that is its way to them.
  const shown = host.output().replace(host.setupLink, '');
  const files: string[] = [];
  const walk = (folder: string): void => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (statSync(path).isDirectory()) walk(path);
      else if (/log/i.test(path.slice(host.dataDir.length))) files.push(readFileSync(path, 'utf8'));
    }
  };
  walk(host.dataDir);
  return [shown, ...files].join('\n');
}

/** The newest link of a kind of e-mail, as the operator reads it where there is no mail server. */
async function linkOf(host: Installation, template: string): Promise<string> {
  const { stdout } = await run(host.binary, ['mail', 'list'], {
    env: { PATH: process.env.PATH ?? '', DATA_DIR: host.dataDir },
  });
  const mail = stdout.split(/\n(?=\d{4}-\d\d-\d\dT)/).find((each) => each.includes(template));
  return /http:\S+token=\S+/.exec(mail ?? '')?.[0] ?? '';
}

/** The texts of the debug panel's tabs, opened one after the other. */
async function debugTexts(page: Page): Promise<string> {
  await page.keyboard.press('Control+i');
  const panel = page.getByRole('region', { name: 'Debug panel' });
  const texts: string[] = [];
  for (const name of ['Network', 'Console', 'Errors', 'App', 'Storage']) {
    await panel.getByRole('tab', { name: new RegExp(`^${name}`) }).click();
    texts.push((await panel.textContent()) ?? '');
  }
  await panel.getByRole('tab', { name: /^Network/ }).click();
  for (const entry of (await panel.getByRole('button', { name: /^(GET|POST|DELETE)/ }).all()).slice(0, 12)) {
    await entry.click();
    texts.push((await panel.textContent()) ?? '');
  }
  await page.keyboard.press('Escape');
  return texts.join('\n');
}

test('T35 T50 links, codes, tokens and passwords leave no trace in logs, addresses, Referer and the debug panel', async ({
  browser,
}) => {
  const host = await install({ LOG_LEVEL: 'debug' });
  const secrets = new Map<string, string>([
    ['the password', PASSPHRASE],
    ['the next password', NEXT],
    ['the set-up link', new URL(host.setupLink).searchParams.get('setup') ?? ''],
  ]);
  const debug: string[] = [];
  try {
    const { page, context, complaints } = await openVisitor(browser, host, DESKTOP);
    /** Addresses and Referers of all requests but the opening of a link itself. */
    const sent: string[] = [];
    page.on('request', (request) => {
      const referer = request.headers().referer ?? '';
      if (!request.isNavigationRequest() || request.method() !== 'GET') sent.push(request.url());
      sent.push(referer);
    });

    await page.goto(host.setupLink);
    await ready(page);
    for (const [label, value] of [
      ['First name', 'Mirela'],
      ['Last name', 'Vega'],
      ['Username', 'mirela'],
      ['E-mail', 'mirela@example.com'],
    ] as const)
      await page.getByLabel(label).fill(value);
    await page.getByLabel('Password', { exact: true }).fill(PASSPHRASE);
    await page.getByRole('checkbox').check();
    debug.push(await debugTexts(page));
    await page.getByRole('button', { name: /^Create owner account/ }).click();
    await page.waitForURL('**/mc-admin/setup');

    await page.goto('/auth/2fa/setup');
    await ready(page);
    await page.getByLabel('Your password').fill(PASSPHRASE);
    await page.getByRole('button', { name: 'Continue' }).click();
    const secret = (await page.locator('.sp-factor__secret code').innerText()).replaceAll(' ', '');
    const codeAt = (steps: number) =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });
    secrets.set('the secret of the app', secret);
    secrets.set('a code of the app', codeAt(0));
    await page.getByLabel('Code from the app').fill(secrets.get('a code of the app') ?? '');
    await page.getByRole('button', { name: 'Turn on' }).click();
    const list = page.getByRole('list', { name: 'Recovery codes' });
    await expect(list.getByRole('listitem')).toHaveCount(10);
    (await list.getByRole('listitem').allInnerTexts()).forEach((code, at) => secrets.set(`recovery code ${at}`, code));
    debug.push(await debugTexts(page));

    await page.goto('/account?tab=tokens');
    await page.getByRole('link', { name: 'Create token' }).click();
    await page.getByLabel('Name').fill('Discord bot');
    await page.getByLabel('Your servers: read').check();
    await page.getByRole('button', { name: 'Create token' }).click();
    const token = (await page.locator('.sp-fresh__token code').textContent()) ?? '';
    secrets.set('an API token', token);
    expect((await fetch(`${host.url}/api/servers`, { headers: { Authorization: `Bearer ${token}` } })).status).toBe(
      200,
    );
    debug.push(await debugTexts(page));
    for (const { name, value } of await context.cookies())
      if (name === '__Host-spawnpoint') secrets.set('the session', value);

    await page.goto('/auth/logout');
    await page.waitForURL('**/auth/login?logout=done');
    await page.goto('/auth/forgot-password');
    await ready(page);
    await page.getByLabel('Username or e-mail').fill('mirela');
    await page.getByRole('button', { name: 'Send reset link' }).click();
    await expect.poll(() => linkOf(host, 'passwordReset')).not.toBe('');
    const link = new URL(await linkOf(host, 'passwordReset'));
    secrets.set('the link of an e-mail', link.searchParams.get('token') ?? '');
    await page.goto(link.pathname + link.search);
    await ready(page);
    debug.push(await debugTexts(page));
    await page.getByLabel('New password').fill(NEXT);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.waitForURL('**/auth/login?reset=done');
    await page.getByLabel(/^Username or e-mail/).fill('mirela');
    await page.getByLabel('Password', { exact: true }).fill(NEXT);
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await page.waitForURL('**/auth/2fa/verify');
    await ready(page);
    await page.getByLabel('Code').fill(secrets.get('recovery code 3') ?? '');
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.waitForURL(/dashboard|mc-admin/);
    await ready(page);
    debug.push(await debugTexts(page));
    const log = logOf(host);

    expect(secrets.size).toBeGreaterThan(16);
    expect(log).toContain('/api/auth/login');
    expect(debug.join('\n')).toContain('/api/');
    for (const [name, value] of secrets) {
      expect([name, value.length > 5]).toEqual([name, true]);
      // Six digits may stand in a longer number by chance.
      const found = new RegExp(`(?<![\\w])${value.replaceAll(/[^\w]/g, '\\$&')}(?![\\w])`);
      const encoded = encodeURIComponent(value);
      for (const [where, text] of [
        ['the log', log],
        ['addresses and Referers', sent.join('\n')],
        ['the debug panel', debug.join('\n')],
      ] as const)
        expect([name, where, found.test(text) || (encoded !== value && text.includes(encoded))]).toEqual([
          name,
          where,
          false,
        ]);
    }
    expect(complaints).toEqual([]);
  } finally {
    await host.stop();
  }
});
