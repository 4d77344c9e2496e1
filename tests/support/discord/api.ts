import { APPLICATION, BOT, TOKEN_LIFE_S, type DiscordWorld, type Grant } from './world.ts';

/** A call as the stand-in sees it. */
export interface Call {
  readonly method: string;
  /** Path below the API's address. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}
export interface Answer {
  readonly status: number;
  readonly body: object | null;
}
const refuse = (status: number, code: number, message: string): Answer => ({ status, body: { message, code } });

/**
 * The API of Discord as far as the product uses it: it checks what the real one checks, and refuses as the real one
 * does.
 */
export function answerApi(world: DiscordWorld, call: Call): Answer {
  if (!/^DiscordBot \(.+, .+\)$/.test(call.headers['user-agent'] ?? ''))
    return refuse(403, 40_333, 'internal network error');
  const route = `${call.method} ${call.path}`;
  if (route === 'POST /oauth2/token') return token(world, call);
  if (route === 'POST /oauth2/token/revoke') return revoke(world, call);
  const invite = /^GET \/invites\/([^/]+)$/.exec(route)?.[1];
  if (invite !== undefined) return inviteOf(world, decodeURIComponent(invite), call);
  const posted = /^POST \/webhooks\/(\d+)\/([\w-]+)$/.exec(route);
  if (posted) return post(world, posted[1] ?? '', posted[2] ?? '', call);
  const bot = /^Bot (.+)$/.exec(call.headers.authorization ?? '')?.[1];
  if (bot !== undefined) return bot === BOT.token ? answerBot(world, route) : refuse(401, 0, '401: Unauthorized');
  const grant = world.byAccess(/^Bearer (.+)$/.exec(call.headers.authorization ?? '')?.[1] ?? '');
  if (!grant) return refuse(401, 0, '401: Unauthorized');
  if (route === 'GET /users/@me') return grant.scopes.includes('identify') ? me(world, grant) : noScope();
  if (route === 'GET /users/@me/guilds') return grant.scopes.includes('guilds') ? guildsOf(world, grant) : noScope();
  const guildId = /^GET \/users\/@me\/guilds\/(\d+)\/member$/.exec(route)?.[1];
  if (guildId === undefined) return refuse(404, 0, '404: Not Found');
  return grant.scopes.includes('guilds.members.read') ? member(world, grant, guildId) : noScope();
}

/** What a bot asks of a server that it is in: the server, its roles, members, and roles of members. */
function answerBot(world: DiscordWorld, route: string): Answer {
  if (route === 'GET /users/@me') return { status: 200, body: { id: BOT.id, username: 'bot' } };
  const asked = /^(GET|PUT|DELETE) \/guilds\/(\d+)(?:\/(roles|members)(?:\/(\d+)(?:\/roles\/(\d+))?)?)?$/.exec(route);
  if (!asked) return refuse(404, 0, '404: Not Found');
  const [, method, guildId = '', what, userId, roleId] = asked;
  const guild = world.guilds.get(guildId);
  const own = guild?.members.get(BOT.id);
  if (!guild) return refuse(404, 10_004, 'Unknown Guild');
  if (!own) return refuse(403, 50_001, 'Missing Access');
  if (what === undefined) return { status: 200, body: { id: guild.id, name: guild.name } };
  if (what === 'roles') return { status: 200, body: [...guild.roles.values()] };
  const member = guild.members.get(userId ?? '');
  if (!member) return refuse(404, 10_007, 'Unknown Member');
  if (method === 'GET')
    return { status: 200, body: { user: { id: userId }, roles: [...member.roles], joined_at: '2021-01-01T00:00:00Z' } };
  const role = guild.roles.get(roleId ?? '');
  if (!role) return refuse(404, 10_011, 'Unknown Role');
  const held = [...own.roles].flatMap((id) => guild.roles.get(id) ?? []);
  const mayManage = held.some(({ permissions }) => (BigInt(permissions) & (1n << 28n)) !== 0n);
  if (!mayManage || role.managed || role.position >= Math.max(...held.map(({ position }) => position)))
    return refuse(403, 50_013, 'Missing Permissions');
  if (method === 'PUT') member.roles.add(role.id);
  else member.roles.delete(role.id);
  return { status: 204, body: null };
}

/** Posts a message by a webhook of a channel, within the limits that the manual names. */
function post(world: DiscordWorld, id: string, token: string, { headers, query, body }: Call): Answer {
  const webhook = world.webhooks.get(id);
  if (!webhook) return refuse(404, 10_015, 'Unknown Webhook');
  if (webhook.token !== token) return refuse(401, 50_027, 'Invalid Webhook Token');
  if (!(headers['content-type'] ?? '').startsWith('application/json')) return refuse(400, 50_109, 'Invalid JSON');
  const message = JSON.parse(body) as { readonly content?: string; readonly embeds?: readonly EmbedFacts[] };
  const embeds = message.embeds ?? [];
  if ((message.content ?? '') === '' && embeds.length === 0) return refuse(400, 50_006, 'Cannot send an empty message');
  const isTooLong = embeds.some(
    ({ title = '', fields = [], footer }) =>
      title.length > 256 ||
      (footer?.text.length ?? 0) > 2048 ||
      fields.length > 25 ||
      fields.some(({ name, value }) => name === '' || name.length > 256 || value === '' || value.length > 1024),
  );
  if (embeds.length > 10 || isTooLong) return refuse(400, 50_035, 'Invalid Form Body');
  webhook.messages.push(message as Record<string, unknown>);
  return query.get('wait') === 'true' ? { status: 200, body: { id: '1' } } : { status: 204, body: null };
}
interface EmbedFacts {
  readonly title?: string;
  readonly footer?: { readonly text: string };
  readonly fields?: readonly { readonly name: string; readonly value: string }[];
}

const noScope = () => refuse(403, 50_026, 'Missing required OAuth2 scope');

/** A form of the token endpoints with the application proven; null where it is none, the answer where the proof fails. */
function formOf({ headers, body }: Call): { form: URLSearchParams } | { refused: Answer } {
  if (!(headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded'))
    return { refused: { status: 400, body: { error: 'invalid_request' } } };
  const form = new URLSearchParams(body);
  const basic = /^Basic (.+)$/.exec(headers.authorization ?? '')?.[1];
  const [id, secret] = basic ? atob(basic).split(':') : [form.get('client_id'), form.get('client_secret')];
  return id === APPLICATION.id && secret === APPLICATION.secret
    ? { form }
    : { refused: { status: 401, body: { error: 'invalid_client' } } };
}

function token(world: DiscordWorld, call: Call): Answer {
  const read = formOf(call);
  if ('refused' in read) return read.refused;
  const { form } = read;
  const kind = form.get('grant_type');
  if (kind === 'refresh_token') return tokens(world.useRefresh(form.get('refresh_token') ?? ''), 'refresh_token');
  if (kind !== 'authorization_code') return { status: 400, body: { error: 'unsupported_grant_type' } };
  return tokens(
    world.useCode(form.get('code') ?? '', form.get('redirect_uri') ?? '', form.get('code_verifier') ?? undefined),
    'code',
  );
}

function tokens(grant: Grant | null, what: string): Answer {
  if (!grant)
    return { status: 400, body: { error: 'invalid_grant', error_description: `Invalid "${what}" in request.` } };
  return {
    status: 200,
    body: {
      token_type: 'Bearer',
      access_token: grant.access,
      expires_in: TOKEN_LIFE_S,
      refresh_token: grant.refresh,
      scope: grant.scopes.join(' '),
    },
  };
}

function revoke(world: DiscordWorld, call: Call): Answer {
  const read = formOf(call);
  if ('refused' in read) return read.refused;
  world.revoke(read.form.get('token') ?? '');
  return { status: 200, body: {} };
}

function me(world: DiscordWorld, grant: Grant): Answer {
  const person = world.people.get(grant.userId);
  if (!person) return refuse(401, 0, '401: Unauthorized');
  const mail = grant.scopes.includes('email') ? { email: `${person.username}@example.org`, verified: true } : {};
  return {
    status: 200,
    body: {
      id: person.id,
      username: person.username,
      global_name: null,
      discriminator: '0',
      avatar: null,
      locale: 'en-US',
      mfa_enabled: false,
      flags: 0,
      ...mail,
    },
  };
}

function guildsOf(world: DiscordWorld, grant: Grant): Answer {
  const list = [...world.guilds.values()].filter(({ members }) => members.has(grant.userId)).slice(0, 200);
  return {
    status: 200,
    body: list.map(({ id, name }) => ({ id, name, icon: null, owner: false, permissions: '0', features: [] })),
  };
}

/** Discord says the same of a server that somebody is not in and of one that there is no more. */
function member(world: DiscordWorld, grant: Grant, guildId: string): Answer {
  const found = world.guilds.get(guildId)?.members.get(grant.userId);
  if (!found) return refuse(404, 10_004, 'Unknown Guild');
  const person = world.people.get(grant.userId);
  return {
    status: 200,
    body: {
      user: { id: person?.id, username: person?.username },
      nick: null,
      roles: [],
      joined_at: new Date(found.joinedMs).toISOString().replace('Z', '000+00:00'),
      flags: found.flags,
      pending: found.pending,
      communication_disabled_until: null,
    },
  };
}

function inviteOf(world: DiscordWorld, code: string, call: Call): Answer {
  const guild = [...world.guilds.values()].find(({ invite }) => invite === code);
  if (!guild) return refuse(404, 10_006, 'Unknown Invite');
  const counts = ['true', '1'].includes(call.query.get('with_counts') ?? '')
    ? { approximate_member_count: guild.count + guild.members.size, approximate_presence_count: 1 }
    : {};
  return {
    status: 200,
    body: {
      type: 0,
      code,
      guild: { id: guild.id, name: guild.name, icon: null, description: null, features: [] },
      expires_at: null,
      ...counts,
    },
  };
}
