import { createHash, createHmac, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { standIn, type Answer, type Asked } from '../standin.ts';

/** An application as it is registered with the provider. */
export const CLIENT = { id: 'spawnpoint', secret: 'oidc-stand-in-secret' };
/** Somebody who has an account at the provider; claims are what it says of them. */
export interface OidcPerson {
  readonly sub: string;
  readonly claims: Readonly<Record<string, unknown>>;
}
/** What is wrong with the next ID token, and only with that one. */
export interface TokenFault {
  /** In place of the claims of the same name; undefined leaves one out. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** `none`: unsigned; `HS256`: signed with the public key as if it were a secret; `stranger`: by a key nobody knows. */
  readonly signature?: 'none' | 'HS256' | 'stranger';
  /** No ID token at all. */
  readonly missing?: true;
}
interface Code {
  readonly person: OidcPerson;
  readonly query: URLSearchParams;
}
interface Key {
  readonly kid: string;
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}
export type OidcStandIn = Awaited<ReturnType<typeof startOidc>>;

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const json = (body: object, status = 200): Answer => ({ status, body: JSON.stringify(body) });
const keys = new Map<string, Key>();
/** The key of a name, the same for every provider of this process: making one takes a third of a second. */
function keyOf(kid: string): Key {
  const key = keys.get(kid) ?? { kid, ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
  keys.set(kid, key);
  return key;
}

/** An OpenID Connect provider on this machine, with the faults of its contract (oidc.md). */
export async function startOidc() {
  let key = keyOf('k1');
  const codes = new Map<string, Code>();
  const tokens = new Map<string, OidcPerson>();
  const people: OidcPerson[] = [];
  let made = 0;
  let fault: TokenFault = {};
  /** What is left out of the ID token and only told at the user-info endpoint. */
  const apart = new Set<string>();
  /** In place of fields of the discovery document; and who the user-info endpoint speaks of. */
  const other: { discovery: Record<string, unknown>; subject?: string } = { discovery: {} };

  function idToken(code: Code): string {
    const now = Math.floor(Date.now() / 1000);
    const { sub, claims } = code.person;
    const own = Object.entries(claims).filter(([name]) => !apart.has(name));
    const payload = {
      iss: service.url,
      aud: CLIENT.id,
      sub,
      iat: now,
      exp: now + 60,
      nonce: code.query.get('nonce') ?? undefined,
      ...Object.fromEntries(own),
      ...fault.claims,
    };
    const alg = fault.signature === 'none' || fault.signature === 'HS256' ? fault.signature : 'RS256';
    const text = `${encode({ alg, kid: key.kid, typ: 'JWT' })}.${encode(payload)}`;
    if (alg === 'none') return `${text}.`;
    if (alg === 'HS256') {
      const pem = key.publicKey.export({ type: 'spki', format: 'pem' });
      return `${text}.${createHmac('sha256', pem).update(text).digest('base64url')}`;
    }
    const { privateKey } = fault.signature === 'stranger' ? keyOf('stranger') : key;
    return `${text}.${sign('RSA-SHA256', Buffer.from(text), privateKey).toString('base64url')}`;
  }

  function token({ body }: Asked): Answer {
    const form = new URLSearchParams(body);
    if (form.get('client_id') !== CLIENT.id || form.get('client_secret') !== CLIENT.secret)
      return json({ error: 'invalid_client' }, 401);
    const code = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (
      !code ||
      code.query.get('redirect_uri') !== form.get('redirect_uri') ||
      code.query.get('code_challenge') !== challenge
    )
      return json({ error: 'invalid_grant' }, 400);
    const access = `access-${(made += 1)}`;
    tokens.set(access, code.person);
    const answer = { access_token: access, token_type: 'Bearer', expires_in: 300 };
    const full = fault.missing ? answer : { ...answer, id_token: idToken(code) };
    fault = {};
    return json(full);
  }

  function work(asked: Asked): Answer {
    const { pathname, searchParams } = asked.url;
    if (pathname === '/.well-known/openid-configuration') return json({ ...discovery(), ...other.discovery });
    if (pathname === '/jwks')
      return json({ keys: [{ ...key.publicKey.export({ format: 'jwk' }), kid: key.kid, use: 'sig', alg: 'RS256' }] });
    if (pathname === '/token' && asked.method === 'POST') return token(asked);
    if (pathname === '/authorize') return consentPage(searchParams);
    const person = tokens.get((asked.headers.authorization ?? '').replace('Bearer ', ''));
    if (pathname === '/userinfo' && person) return json({ ...person.claims, sub: other.subject ?? person.sub });
    return json({ error: 'not_found' }, 404);
  }

  const service = await standIn(work);
  const discovery = () => ({
    issuer: service.url,
    authorization_endpoint: `${service.url}/authorize`,
    token_endpoint: `${service.url}/token`,
    jwks_uri: `${service.url}/jwks`,
    userinfo_endpoint: `${service.url}/userinfo`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    authorization_response_iss_parameter_supported: true,
  });

  /** What somebody does at the consent page. Out: the address the browser is sent back to. */
  function consent(page: string, person: OidcPerson): URL {
    const query = new URL(page).searchParams;
    const code = `code-${(made += 1)}`;
    codes.set(code, { person, query });
    const back = new URL(query.get('redirect_uri') ?? '');
    back.searchParams.set('code', code);
    back.searchParams.set('state', query.get('state') ?? '');
    back.searchParams.set('iss', service.url);
    return back;
  }

  /** The consent page, plain: one link for each person there is, and one to decline. */
  function consentPage(query: URLSearchParams): Answer {
    const page = `${service.url}/authorize?${query.toString()}`;
    const declined = new URL(query.get('redirect_uri') ?? '');
    declined.searchParams.set('error', 'access_denied');
    declined.searchParams.set('state', query.get('state') ?? '');
    const links = people.map((person) => [person.sub, consent(page, person)] as const);
    const list = [...links, ['Cancel', declined] as const].map(
      ([name, to]) => `<p><a href="${to.href.replaceAll('&', '&amp;')}">${name}</a></p>`,
    );
    return {
      type: 'text/html; charset=utf-8',
      body: `<!doctype html><html lang="en"><title>Consent</title><link rel="icon" href="data:,">${list.join('')}</html>`,
    };
  }

  return {
    ...service,
    issuer: service.url,
    consent,
    person(sub: string, claims: Readonly<Record<string, unknown>> = {}): OidcPerson {
      const person = { sub, claims: { email: `${sub}@mail.example`, email_verified: true, ...claims } };
      people.push(person);
      return person;
    },
    /** What is wrong with the next ID token. */
    faultToken: (next: TokenFault): void => void (fault = next),
    tellApart: (...claims: readonly string[]): void => claims.forEach((claim) => apart.add(claim)),
    other,
    /** Signs with another key from now on. */
    rotateKeys: (): void => void (key = keyOf(`k${(made += 1) + 1}`)),
  };
}
