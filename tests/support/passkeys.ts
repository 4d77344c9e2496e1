import type { CeremonyOptions } from '#server/modules/passkeys/ports.ts';
import { openAuthenticator, type Authenticator, type Behaviour } from './authenticator.ts';
import type { Answer, Browser } from './browser.ts';
import { PASSWORD } from './harness.ts';

/** Asks for the options of a ceremony. */
export async function optionsOf(browser: Browser, path: string): Promise<CeremonyOptions> {
  const { status, code, body } = await browser.send('POST', `${path}/options`);
  if (status !== 200) throw new Error(`${path} gives no options: ${code}`);
  return body.options as CeremonyOptions;
}

/** Asks for a passkey at a path, and sends what the authenticator signs. */
export async function proveAt(
  browser: Browser,
  path: string,
  authenticator: Authenticator,
  behaviour?: Behaviour,
): Promise<Answer> {
  return browser.send('POST', path, authenticator.prove(await optionsOf(browser, path), behaviour));
}

/** Adds a passkey to the account of a browser that is signed in, after the password. Out: what it lies in, and its id. */
export async function addPasskey(
  browser: Browser,
  { name = 'Phone', code, ...behaviour }: Behaviour & { name?: string; code?: string } = {},
): Promise<{ authenticator: Authenticator; id: string }> {
  await browser.send('POST', '/api/auth/confirm', { password: PASSWORD, ...(code === undefined ? {} : { code }) });
  const authenticator = openAuthenticator(behaviour);
  const made = authenticator.create(await optionsOf(browser, '/api/account/passkeys'));
  const added = await browser.send('POST', '/api/account/passkeys', { name, ...made });
  if (added.status !== 200) throw new Error(`no passkey was added: ${added.code}`);
  return { authenticator, id: String(added.body.id) };
}
