import { createDiscord } from '../identity-providers/discord/index.ts';
import { createIdentities } from '../modules/identities/index.ts';
import { VERSION } from '../version.ts';
import { href } from '#shared/routes/href.ts';
import type { Foundation } from './foundation.ts';

/** Linked accounts (behaviour 3.6), and Discord, which knows of them. */
export function composeIdentities(foundation: Foundation) {
  const { appUrl, ids, keyed, outbound } = foundation;
  const discord = createDiscord({
    ...foundation,
    version: VERSION,
    redirectUri: () => appUrl() + href('account.discord'),
    hash: ids.hash,
    fetch: outbound,
  });
  const identities = createIdentities({ ...foundation, discord, mac: (text) => keyed.mac('identity', text) });
  return { discord, identities };
}
