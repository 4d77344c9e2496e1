import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { confirmWho } from '#tests/support/harness.ts';
import { TEST_START } from '#tests/support/clock.ts';
import { startDiscord, type DiscordStandIn } from '#tests/support/discord/stand-in.ts';
import { GITHUB_CLIENT, startGithub, type GithubPerson, type GithubStandIn } from '#tests/support/sso/github.ts';
import { CLIENT } from '#tests/support/sso/oidc.ts';
import { startRealProvider } from '#tests/support/sso/real-provider.ts';
import { bodyOf, openSigningIn, type SigningIn } from '#tests/support/sso/signing-in.ts';
import type { Browser } from '#tests/support/browser.ts';

// Shows behaviour 3.6.

let h: SigningIn;
beforeEach(async () => void (h = await openSigningIn()));
afterEach(() => h.close());

const formOf = async (browser: Browser) =>
  (await browser.send('GET', '/api/auth/sso/registration')).body.registration as Record<string, unknown> | null;

describe('GitHub', () => {
  let github: GithubStandIn;
  let provider: string;
  const octo: GithubPerson = {
    id: 583_231,
    login: 'octo-cat',
    name: 'Octo Cat',
    emails: [
      { email: 'other@mail.example', primary: false, verified: true },
      { email: 'octo@mail.example', primary: true, verified: true },
    ],
  };
  beforeEach(async () => {
    github = await startGithub();
    const [client_id, client_secret] = [GITHUB_CLIENT.id, GITHUB_CLIENT.secret];
    provider = await h.addProvider({ name: 'GitHub', kind: 'github', issuer: github.issuer, client_id, client_secret });
  });
  afterEach(() => github.close());
  const signIn = async (browser: Browser, person = octo) =>
    h.finish(browser, bodyOf(github.consent(await h.start(browser, provider), person)));

  test('an account is made with the proven primary address, and known by its number when it is renamed', async () => {
    const browser = h.visitor();
    const url = new URL(await h.start(browser, provider));
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: GITHUB_CLIENT.id,
      redirect_uri: 'https://panel.example.com/auth/sso/callback',
      scope: 'read:user user:email',
      code_challenge_method: 'S256',
    });
    expect((await signIn(browser)).body).toMatchObject({ next: 'register' });
    expect(await formOf(browser)).toMatchObject({
      provider: 'GitHub',
      username: 'octo-cat',
      email: 'octo@mail.example',
      first_name: 'Octo',
      last_name: 'Cat',
    });
    expect((await h.register(browser, { username: 'octo' })).status).toBe(200);
    const renamed = { ...octo, login: 'somebody-new', emails: [] };
    expect((await signIn(h.visitor(), renamed)).body).toMatchObject({ next: 'signed-in' });
    const namesake = { ...octo, id: 1 };
    expect((await signIn(h.visitor(), namesake)).body).toMatchObject({ next: 'register' });
    // Its token is thrown away.
    expect(await h.db.sql('SELECT tokens FROM linked_identities')).toEqual([{ tokens: null }]);
  });

  test.each([
    ['is not proven', [{ email: 'octo@mail.example', primary: true, verified: false }]],
    ['is no mailbox', [{ email: '1+octo@users.noreply.github.com', primary: true, verified: true }]],
    ['is none', []],
    ['may not be read', null],
  ])('T33 an address that %s is asked for', async (_, emails) => {
    const browser = h.visitor();
    await signIn(browser, { ...octo, emails });
    expect(await formOf(browser)).toMatchObject({ email: null });
  });

  test('T33 a code that was used, or of somebody else, is refused, although GitHub says so with status 200', async () => {
    const browser = h.visitor();
    const stolen = bodyOf(github.consent(await h.start(h.visitor(), provider), octo));
    const own = bodyOf(github.consent(await h.start(browser, provider), octo));
    expect((await h.finish(browser, { ...own, code: stolen.code ?? '' })).code).toBe('SSO_REFUSED');
  });

  test('an account whose address GitHub has not verified is refused by GitHub, which is no fault of the host', async () => {
    const browser = h.visitor();
    const back = bodyOf(github.consent(await h.start(browser, provider), octo));
    github.faults.push({ kind: 'body', body: '{"error":"unverified_user_email"}' });
    expect((await h.finish(browser, back)).code).toBe('SSO_REFUSED');
    expect(h.errors).toEqual([]);
  });

  test('a limit on the second question says nothing of addresses: the log-in is tried again', async () => {
    const browser = h.visitor();
    const back = bodyOf(github.consent(await h.start(browser, provider), octo));
    github.limitEmails();
    expect((await h.finish(browser, back)).code).toBe('SSO_UNAVAILABLE');
    expect(await formOf(browser)).toBeNull();
    expect((await signIn(browser)).body).toMatchObject({ next: 'register' });
  });

  test('an application that is set up wrongly, a limit and a page of HTML open nothing', async () => {
    const browser = h.visitor();
    const back = async () => bodyOf(github.consent(await h.start(browser, provider), octo));
    for (const fault of [
      { kind: 'body', body: '{"error":"incorrect_client_credentials"}' },
      { kind: 'status', status: 429 },
      { kind: 'status', status: 200, body: '<html>' },
      { kind: 'body', body: '{"access_token":7}' },
    ] as const) {
      const given = await back();
      github.faults.push(fault);
      expect((await h.finish(browser, given)).code).toBe('SSO_UNAVAILABLE');
    }
    expect(await formOf(browser)).toBeNull();
  });
});

describe('Discord', () => {
  let discord: DiscordStandIn;
  let provider: string;
  beforeEach(async () => {
    discord = await startDiscord({
      startMs: TEST_START,
      redirects: ['https://panel.example.com/auth/sso/callback', 'https://panel.example.com/account/linked/discord'],
    });
    await h.set(discord.settings);
    provider = await h.addProvider({ name: 'Discord', kind: 'discord', issuer: '', client_id: '', client_secret: '' });
  });
  afterEach(() => discord.close());
  const signIn = async (browser: Browser, id: string, scopes?: readonly string[]) =>
    h.finish(browser, bodyOf(discord.consent(await h.start(browser, provider), id, scopes)));

  test('who linked Discord before logs in with it, and who registers with it is linked for rewards as well', async () => {
    const [old, fresh] = [discord.person('old'), discord.person('fresh')];
    const ann = await h.person('ann');
    await confirmWho(ann);
    const { url } = await ann.api.linked.startDiscord();
    const { code = '', state = '' } = bodyOf(discord.consent(url, old.id));
    await ann.api.linked.finishDiscord({ body: { code, state } });
    const browser = h.visitor();
    expect((await signIn(browser, old.id)).body).toMatchObject({ next: 'signed-in' });
    expect(await h.nameOf(browser)).toBe('ann');
    const newcomer = h.visitor();
    expect((await signIn(newcomer, fresh.id)).body).toMatchObject({ next: 'register' });
    expect(await formOf(newcomer)).toMatchObject({ username: 'fresh', email: 'fresh@example.org' });
    expect((await h.register(newcomer, { username: 'fresh' })).status).toBe(200);
    expect((await newcomer.send('GET', '/api/account/linked')).body).toMatchObject({
      discord: { identity: { name: 'fresh', relink: false }, can_unlink: false },
      others: [{ name: 'Nordlicht ID', identity: null }],
    });
  });

  test('T33 a log-in asks for less than rewards need, and does not take from a link what it was granted', async () => {
    const old = discord.person('old');
    const ann = await h.person('ann');
    await confirmWho(ann);
    const { url } = await ann.api.linked.startDiscord();
    const { code = '', state = '' } = bodyOf(discord.consent(url, old.id));
    await ann.api.linked.finishDiscord({ body: { code, state } });
    const consent = new URL(await h.start(h.visitor(), provider));
    expect(consent.searchParams.get('scope')).toBe('identify email');
    await signIn(h.visitor(), old.id);
    expect(await h.db.sql('SELECT scopes FROM linked_identities')).toEqual([
      { scopes: 'identify guilds guilds.members.read' },
    ]);
  });

  test('an address that was not granted is asked for, and without the identity there is no log-in', async () => {
    const person = discord.person('shy');
    const browser = h.visitor();
    await signIn(browser, person.id, ['identify']);
    expect(await formOf(browser)).toMatchObject({ email: null });
    expect((await signIn(h.visitor(), person.id, ['email'])).code).toBe('SSO_REFUSED');
  });

  test('without an application in the settings it is not offered', async () => {
    await h.set({ discord_client_secret: '' });
    expect((await h.guest.auth.options()).providers.map(({ name }) => name)).toEqual(['Nordlicht ID']);
    expect((await h.visitor().send('POST', '/api/auth/sso/start', { provider })).code).toBe('FEATURE_DISABLED');
  });
});

test('a real OpenID Connect provider is discovered, asked and believed, and its codes work once', async () => {
  // What it says of running on Bun, in memory and with its own forms.
  expectConsole(/oidc-provider WARNING/);
  const real = await startRealProvider({
    client: CLIENT,
    redirectUri: 'https://panel.example.com/auth/sso/callback',
  });
  const provider = await h.addProvider({ name: 'Real', issuer: real.issuer });
  const browser = h.visitor();
  const back = await real.consent(await h.start(browser, provider), 'mirela');
  expect((await h.finish(browser, bodyOf(back))).body).toMatchObject({ next: 'register' });
  expect(await formOf(browser)).toMatchObject({ provider: 'Real', email: 'mirela@mail.example' });
  expect((await h.register(browser, { username: 'mirela' })).status).toBe(200);
  const again = h.visitor();
  const next = bodyOf(await real.consent(await h.start(again, provider), 'mirela'));
  expect((await h.finish(again, next)).body).toMatchObject({ next: 'signed-in' });
  const late = bodyOf(await real.consent(await h.start(again, provider), 'mirela'));
  expect((await h.finish(again, { ...late, code: next.code ?? '' })).code).toBe('SSO_REFUSED');
  await real.close();
});
