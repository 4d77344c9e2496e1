import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { SETTINGS, type SettingValues } from '#shared/settings.ts';
import { DAY, MINUTE } from '#shared/time.ts';
import { fakeClock, testIds, TEST_START } from '#tests/support/clock.ts';
import { FAULTS, startDiscord, type DiscordStandIn } from '#tests/support/discord/stand-in.ts';
import { testLog } from '#tests/support/log.ts';
import { createDiscord } from './client.ts';

const REDIRECT = 'https://panel.example.com/account/linked/discord';
const SCOPES = ['identify', 'guilds', 'guilds.members.read'];
const defaults = Object.fromEntries(Object.entries(SETTINGS).map(([key, row]) => [key, row.default])) as SettingValues;
const { hash } = testIds();
const challenge = (verifier: string) => Buffer.from(hash(verifier), 'hex').toString('base64url');

let discord: DiscordStandIn;
let log: ReturnType<typeof testLog>;
let settings: SettingValues;
const clock = fakeClock();
const client = () =>
  createDiscord({
    settings: { current: () => settings },
    clock,
    log,
    appUrl: () => 'https://panel.example.com',
    version: '1.0',
    redirectUri: () => REDIRECT,
    hash,
    fetch,
  });

beforeEach(async () => {
  clock.set(TEST_START);
  discord = await startDiscord({ startMs: TEST_START, redirects: [REDIRECT] });
  log = testLog();
  settings = { ...defaults, ...discord.settings };
});
afterEach(() => discord.close());

/** Consents as somebody. Out: the client and the code. */
function agreed(scopes?: readonly string[]) {
  const person = discord.person('vlad');
  const api = client();
  const back = discord.consent(api.consentUrl('state-1', challenge('verifier-1')), person.id, scopes);
  return { api, person, code: back.searchParams.get('code') ?? '' };
}
async function token(scopes?: readonly string[]) {
  const { api, person, code } = agreed(scopes);
  const outcome = await api.exchange(code, 'verifier-1');
  if (outcome.kind !== 'yes') throw new Error('no tokens');
  return { api, person, tokens: outcome.value };
}
const UNKNOWN = { kind: 'unknown', retryAfterS: null };
const REFUSED = { kind: 'no', reason: 'refused' };
const ME = 'GET /users/@me';

describe('consent and tokens', () => {
  test('the consent page is asked for what is needed, with state and challenge, and gives them back', () => {
    const url = new URL(client().consentUrl('state-1', challenge('v')));
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: '1100000000000000001',
      scope: SCOPES.join(' '),
      redirect_uri: REDIRECT,
      state: 'state-1',
      prompt: 'consent',
      code_challenge: challenge('v'),
      code_challenge_method: 'S256',
    });
    const declined = discord.consent(url.href, '');
    expect([
      declined.searchParams.get('error'),
      declined.searchParams.get('state'),
      declined.searchParams.get('code'),
    ]).toEqual(['access_denied', 'state-1', null]);
  });

  test('a code gives tokens once, to the right verifier, address and application, before its end', async () => {
    const { api, code } = agreed();
    expect(await api.exchange(code, 'another')).toEqual(REFUSED as never);
    expect(await api.exchange(code, 'verifier-1')).toMatchObject({
      kind: 'yes',
      value: { scopes: SCOPES, expiresMs: TEST_START + 7 * DAY },
    });
    expect(await api.exchange(code, 'verifier-1')).toEqual(REFUSED as never);
    const late = agreed();
    discord.setNow(clock.advance(10 * MINUTE));
    expect(await late.api.exchange(late.code, 'verifier-1')).toEqual(REFUSED as never);
    const wrong = agreed();
    settings = { ...settings, discord_client_secret: 'wrong' };
    expect(await wrong.api.exchange(wrong.code, 'verifier-1')).toEqual(UNKNOWN as never);
    expect(log.events()).toContain('discord.client_refused');
  });

  test('the token endpoint is sent a form and never JSON; every call says who calls', async () => {
    await token();
    const [call] = discord.log();
    expect(call?.headers['content-type']).toStartWith('application/x-www-form-urlencoded');
    expect(call?.headers['user-agent']).toBe('DiscordBot (https://panel.example.com, 1.0)');
    const json = await fetch(`${discord.settings.discord_api_url}/oauth2/token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'User-Agent': 'DiscordBot (x, 1)' },
      body: '{}',
    });
    expect(json.status).toBe(400);
    expect((await fetch(`${discord.settings.discord_api_url}/users/@me`)).status).toBe(403);
  });

  test('a refresh token works once; a withdrawn consent ends all', async () => {
    const { api, person, tokens } = await token();
    const second = await api.refresh(tokens.refresh);
    expect(second.kind).toBe('yes');
    expect(await api.refresh(tokens.refresh)).toEqual(REFUSED as never);
    expect(await api.getUser(tokens.access)).toEqual({ kind: 'no', reason: 'unauthorized' });
    discord.withdraw(person.id);
    if (second.kind === 'yes') expect(await api.refresh(second.value.refresh)).toEqual(REFUSED as never);
  });

  test('revoking ends the grant', async () => {
    const { api, tokens } = await token();
    await api.revoke(tokens.refresh);
    expect(await api.getUser(tokens.access)).toEqual({ kind: 'no', reason: 'unauthorized' });
  });
});

describe('questions', () => {
  test('the client asks who it is, where they are and since when, and absent and unknown are distinguished', async () => {
    const { api, person, tokens } = await token();
    const guild = discord.guild('Moldova Craft', 'moldova');
    const other = discord.guild('Elsewhere', 'elsewhere');
    discord.join(person.id, guild.id, { atMs: TEST_START - DAY });
    expect(await api.getUser(tokens.access)).toEqual({
      kind: 'yes',
      value: { id: person.id, name: 'vlad', fullName: '', email: null },
    });
    expect(await api.guilds(tokens.access)).toEqual({ kind: 'yes', value: new Set([guild.id]) });
    expect(await api.member(tokens.access, guild.id)).toEqual({
      kind: 'yes',
      value: { joinedMs: TEST_START - DAY, rejoined: false, pending: false },
    });
    expect(await api.member(tokens.access, other.id)).toEqual({ kind: 'no', reason: 'unseen' });
    expect(await api.member(tokens.access, '123456789012345678')).toEqual({ kind: 'no', reason: 'unseen' });
    discord.leave(person.id, guild.id);
    discord.join(person.id, guild.id, { pending: true });
    expect(await api.member(tokens.access, guild.id)).toEqual({
      kind: 'yes',
      value: { joinedMs: TEST_START, rejoined: true, pending: true },
    });
    expect(await api.invite('moldova')).toEqual({
      kind: 'yes',
      value: { guildId: guild.id, guildName: 'Moldova Craft', members: 101 },
    });
    expect(await api.invite('nowhere')).toEqual({ kind: 'no', reason: 'unknown_invite' });
  });

  test('fewer scopes than asked for are named as such', async () => {
    const { api, tokens } = await token(['identify']);
    expect(tokens.scopes).toEqual(['identify']);
    expect(await api.guilds(tokens.access)).toEqual({ kind: 'no', reason: 'scope' });
    expect(await api.member(tokens.access, '123456789012345678')).toEqual({ kind: 'no', reason: 'scope' });
  });
});

describe('what is no clear answer is unknown', () => {
  test.each([
    ['502 as HTML', FAULTS.badGateway(ME)],
    ['a cut before the work', { call: ME, cut: 'before' as const }],
    ['a cut after the work', { call: ME, cut: 'after' as const }],
    ['HTML where JSON should be', { call: ME, status: 200, body: '<html></html>' }],
    ['JSON that does not fit', { call: ME, status: 200, body: { id: 5, username: 'vlad' } }],
    ['a redirect elsewhere', { call: ME, status: 302, headers: { Location: 'http://127.0.0.1:1/' } }],
    ['a body without end', { call: ME, status: 200, body: `{"id":"${'1'.repeat(600_000)}"}` }],
    ['404 without a code', { call: ME, status: 404, body: {} }],
    ['403 for another reason', { call: ME, status: 403, body: { code: 50_001, message: 'Missing Access' } }],
  ])('the fault “%s” leaves the answer unknown', async (_, fault) => {
    const { api, tokens } = await token();
    discord.fault(fault);
    expect(await api.getUser(tokens.access)).toEqual(UNKNOWN as never);
    expect(await api.getUser(tokens.access)).toMatchObject({ kind: 'yes' });
  });

  test('a member is absent only with the code that says so', async () => {
    const { api, tokens } = await token();
    const guild = discord.guild('A', 'a');
    const call = `GET /users/@me/guilds/${guild.id}/member`;
    discord.fault(
      { call, status: 404, body: { code: 10_007 } },
      { call, status: 404, body: { code: 0 } },
      { call, status: 404, body: '<html></html>' },
    );
    expect(await api.member(tokens.access, guild.id)).toEqual({ kind: 'no', reason: 'absent' });
    expect(await api.member(tokens.access, guild.id)).toEqual(UNKNOWN as never);
    expect(await api.member(tokens.access, guild.id)).toEqual(UNKNOWN as never);
  });

  test('a hang ends with the time limit', async () => {
    const { api, tokens } = await token();
    settings = { ...settings, discord_timeout_ms: 50 };
    discord.fault({ call: ME, cut: 'hang' });
    expect(await api.getUser(tokens.access)).toEqual(UNKNOWN as never);
  });

  test('T50 no token and no secret reaches the log', async () => {
    const { api, tokens } = await token();
    discord.fault(FAULTS.badGateway(ME), { call: ME, cut: 'before' });
    await api.getUser(tokens.access);
    await api.getUser(tokens.access);
    expect(log.lines).toHaveLength(2);
    for (const secret of [tokens.access, tokens.refresh, settings.discord_client_secret])
      expect(JSON.stringify(log.lines)).not.toContain(secret);
  });
});

describe('limits', () => {
  test.each([
    ['of a user, with a body', FAULTS.limited(ME, 'user', 2.4), 3],
    ['of a user, without', FAULTS.limited(ME, 'user', 2, false), 2],
    ['shared', FAULTS.limited(ME, 'shared', 1.5), 2],
    ['of the edge, as HTML', FAULTS.limitedByEdge(ME), 3],
  ])('a 429 %s closes that bucket, and no other, until its end', async (_, fault, seconds) => {
    const { api, tokens } = await token();
    discord.fault(fault);
    expect(await api.getUser(tokens.access)).toEqual({ kind: 'unknown', retryAfterS: seconds });
    expect(await api.getUser(tokens.access)).toMatchObject({ kind: 'unknown' });
    expect(discord.calls(ME)).toBe(1);
    expect(await api.guilds(tokens.access)).toMatchObject({ kind: 'yes' });
    discord.setNow(clock.advance(seconds * 1000));
    expect(await api.getUser(tokens.access)).toMatchObject({ kind: 'yes' });
  });

  test('a global 429 closes every bucket', async () => {
    const { api, tokens } = await token();
    discord.fault(FAULTS.limited(ME, 'global', 5));
    await api.getUser(tokens.access);
    const before = discord.log().length;
    expect(await api.guilds(tokens.access)).toEqual({ kind: 'unknown', retryAfterS: 5 });
    expect(discord.log()).toHaveLength(before);
  });

  test('the headers are kept: a bucket that is used up is left alone before Discord has to refuse', async () => {
    const { api, tokens } = await token();
    discord.limit({ max: 3, windowS: 10 });
    const kinds: string[] = [];
    for (let index = 0; index < 6; index += 1) kinds.push((await api.getUser(tokens.access)).kind);
    expect(kinds).toEqual(['yes', 'yes', 'yes', 'unknown', 'unknown', 'unknown']);
    expect(discord.calls(ME)).toBe(3);
    discord.setNow(clock.advance(10_000));
    expect(await api.getUser(tokens.access)).toMatchObject({ kind: 'yes' });
  });

  test('five failures in a row make a pause, and one success starts the count again', async () => {
    const { api, tokens } = await token();
    discord.fault(FAULTS.badGateway(ME, 4));
    for (let index = 0; index < 4; index += 1) await api.getUser(tokens.access);
    expect(await api.getUser(tokens.access)).toMatchObject({ kind: 'yes' });
    discord.fault({ call: ME, cut: 'before', times: 5 });
    for (let index = 0; index < 9; index += 1) await api.getUser(tokens.access);
    expect(discord.calls(ME)).toBe(10);
    clock.advance(30_000);
    discord.setNow(clock.now());
    expect(await api.getUser(tokens.access)).toMatchObject({ kind: 'yes' });
  });
});
