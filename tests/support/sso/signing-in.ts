import type { Config } from '#server/env.ts';
import { openBrowser, type Answer, type Browser } from '../browser.ts';
import type { Engine } from '../db.ts';
import { confirmWho, openHarness, type Person } from '../harness.ts';
import { startOidc, CLIENT, type OidcPerson } from './oidc.ts';

const STAFF = [
  'admin.sso.providers.create',
  'admin.sso.providers.edit',
  'admin.sso.providers.list',
  'admin.sso.providers.delete',
] as const;
export type SigningIn = Awaited<ReturnType<typeof openSigningIn>>;
type Back = Readonly<Record<string, string>>;

/** What a provider sent back, as the page sends it on. */
export const bodyOf = (back: URL): Back => Object.fromEntries(back.searchParams);

/** The product beside an OpenID Connect provider of its own. */
export async function openSigningIn(engine: Engine = 'sqlite', config: Partial<Config> = {}) {
  const harness = await openHarness({ engine, config });
  const oidc = await startOidc();
  await harness.set({ outbound_private_networks: true });
  const staff = await harness.person('staff', { permissions: STAFF });
  let visitors = 0;

  async function addProvider(facts: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const { id } = await staff.api.adminSsoProviders.create({
      body: {
        name: 'Nordlicht ID',
        kind: 'oidc',
        issuer: oidc.issuer,
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        scopes: '',
        icon: 'key',
        position: 0,
        enabled: true,
        ...facts,
      },
    });
    return id;
  }
  const provider = await addProvider();

  /** Another visitor each time: limits per address are not looked at here. */
  const visitor = (): Browser => openBrowser(harness, `198.51.100.${(visitors += 1)}`);

  /** Begins a log-in. Out: the consent page. */
  async function start(browser: Browser, id = provider): Promise<string> {
    const answer = await browser.send('POST', '/api/auth/sso/start', { provider: id });
    if (answer.status !== 200) throw new Error(String(answer.code));
    return String(answer.body.url);
  }
  const finish = (browser: Browser, back: Back): Promise<Answer> => browser.send('POST', '/api/auth/sso/finish', back);

  /** Begins a log-in, agrees, and comes back. */
  async function signIn(browser: Browser, person: OidcPerson): Promise<Answer> {
    return finish(browser, bodyOf(oidc.consent(await start(browser), person)));
  }
  const register = (browser: Browser, facts: Readonly<Record<string, unknown>> = {}): Promise<Answer> =>
    browser.send('POST', '/api/auth/sso/register', {
      username: `newcomer${visitors}`,
      first_name: 'New',
      last_name: 'Comer',
      terms: true,
      ...facts,
    });

  /** Links somebody to an account of the provider. */
  async function link(person: Person, account: OidcPerson): Promise<void> {
    await confirmWho(person);
    const { url } = await person.api.linked.start({ body: { provider } });
    const { code = '', state = '', iss = '' } = bodyOf(oidc.consent(url, account));
    await person.api.linked.finish({ body: { code, state, iss } });
  }
  /** Who a browser is logged in as; null for nobody. */
  async function nameOf(browser: Browser): Promise<unknown> {
    const { body } = await browser.send('GET', '/api/user/session');
    return body.success ? (body.user_info as { username: string }).username : null;
  }

  return {
    ...harness,
    harness,
    oidc,
    staff,
    provider,
    addProvider,
    visitor,
    start,
    finish,
    signIn,
    register,
    link,
    nameOf,
    async close(): Promise<void> {
      await harness.close();
      await oidc.close();
    },
  };
}
