import { generateKeyPairSync } from 'node:crypto';
import type { Server } from 'node:http';
import { freePort } from '../free-port.ts';

/** What is used of `oidc-provider`, which has no types of its own. */
type ProviderClass = new (
  issuer: string,
  configuration: object,
) => { listen(port: number, host: string, ready: () => void): Server };

interface Options {
  readonly client: { readonly id: string; readonly secret: string };
  readonly redirectUri: string;
}

/** A real OpenID Connect provider (the package `oidc-provider`) on this machine, with the forms it comes with. */
export async function startRealProvider({ client, redirectUri }: Options) {
  const name = 'oidc-provider';
  const { default: Provider } = (await import(name)) as { default: ProviderClass };
  const issuer = `http://127.0.0.1:${await freePort()}`;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const provider = new Provider(issuer, {
    clients: [{ client_id: client.id, client_secret: client.secret, redirect_uris: [redirectUri] }],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post'],
    clientDefaults: { token_endpoint_auth_method: 'client_secret_post' },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'r1' }] },
    cookies: { keys: ['stand-in'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    ttl: { IdToken: 60, AccessToken: 300, AuthorizationCode: 60, Interaction: 600, Session: 600, Grant: 600 },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@mail.example`, email_verified: true, name: `${id} Vasile` }),
    }),
  });
  const { port } = new URL(issuer);
  const server = await new Promise<Server>((resolve) => {
    const listening: Server = provider.listen(Number(port), '127.0.0.1', () => resolve(listening));
  });

  /** Fills in the provider's forms without a browser. Out: where it sends people back to. */
  async function consent(page: string, login: string): Promise<URL> {
    const cookies = new Map<string, string>();
    let request: [url: string, init: RequestInit] = [page, {}];
    for (let step = 0; step < 20; step += 1) {
      const [url, init] = request;
      const jar = [...cookies].map(([key, value]) => `${key}=${value}`).join('; ');
      const response = await fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, cookie: jar } });
      for (const line of response.headers.getSetCookie()) {
        const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(key, value);
      }
      const to = response.headers.get('location');
      if (to?.startsWith(redirectUri)) return new URL(to);
      if (to) {
        request = [new URL(to, url).href, {}];
        continue;
      }
      const html = await response.text();
      const action = /action="([^"]+)"/.exec(html)?.[1];
      const prompt = /name="prompt" value="(login|consent)"/.exec(html)?.[1];
      if (!action || !prompt) throw new Error(`the provider says: ${html.slice(0, 500)}`);
      const body = new URLSearchParams({ prompt, login, password: 'x' });
      request = [new URL(action, url).href, { method: 'POST', body }];
    }
    throw new Error('the provider does not come to an end');
  }

  return {
    issuer,
    consent,
    close: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}
