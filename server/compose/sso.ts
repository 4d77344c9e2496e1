import { createDiscord } from '../identity-providers/discord/index.ts';
import { createDiscordSignIn } from '../identity-providers/discord/sign-in.ts';
import { createGithub } from '../identity-providers/github.ts';
import { createOidc } from '../identity-providers/oidc.ts';
import type { ScheduledTask } from '../jobs/scheduler.ts';
import type { Identities } from '../modules/identities/index.ts';
import type { Identity } from '../modules/identity/index.ts';
import { createSso } from '../modules/sso/index.ts';
import { VERSION } from '../version.ts';
import { href } from '#shared/routes/href.ts';
import { HOUR } from '#shared/time.ts';
import type { Foundation } from './foundation.ts';

interface Deps extends Foundation {
  readonly identities: Identities;
  readonly identity: Identity;
}

/** Signing in with services elsewhere (behaviour 3.6), and the clients of those services. */
export function composeSso(deps: Deps) {
  const { appUrl, ids, settings, outbound } = deps;
  const redirectUri = () => appUrl() + href('auth.ssoCallback');
  const challengeOf = (verifier: string) => Buffer.from(ids.hash(verifier), 'hex').toString('base64url');
  const outside = { ...deps, redirectUri, fetch: outbound, timeoutMs: () => settings.current().sso_timeout_ms };
  const discord = createDiscord({ ...outside, version: VERSION, hash: ids.hash });
  const oidc = createOidc({ ...outside, hash: ids.hash });
  const clients = {
    discord: createDiscordSignIn(discord, challengeOf),
    github: createGithub({ ...outside, userAgent: () => `Spawnpoint/${VERSION} (${appUrl()})`, challengeOf }),
    google: oidc,
    oidc,
  };
  const sso = createSso({ ...deps, clients });
  const tasks: ScheduledTask[] = [{ name: 'sso.purge', everyMs: HOUR, run: () => sso.purge() }];
  return { sso, tasks };
}
