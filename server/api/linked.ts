import type { Handlers } from '#server/http/implement.types.ts';
import type { Identities, LinkedIdentity } from '#server/modules/identities/index.ts';
import type { Sso } from '#server/modules/sso/index.ts';
import type { linked as contract } from '#shared/contract/discord.ts';
import { identityKey, providerHost } from '#shared/sso.ts';
import { iso } from '#shared/time.ts';

interface Services {
  readonly identities: Identities;
  readonly sso: Pick<Sso, 'listProviders' | 'startLink' | 'link'>;
}

const toView = ({ id, name, linkedMs, broken }: LinkedIdentity) => ({
  id,
  name,
  linked_at: iso(linkedMs),
  relink: broken,
});

/** Linked accounts: the endpoints of behaviour 3.6 that link and unlink. */
export function linkedHandlers({ identities, sso }: Services): Handlers<typeof contract> {
  return {
    async get(ctx) {
      const { discordAvailable, linked } = await identities.getPage(ctx);
      const discord = linked.find(({ provider }) => provider === 'discord');
      const providers = (await sso.listProviders()).filter(({ kind }) => kind !== 'discord');
      const known = new Set(['discord', ...providers.map(identityKey)]);
      const others = providers.map((provider) => {
        const link = linked.find((each) => each.provider === identityKey(provider));
        return {
          provider: provider.id,
          name: provider.name,
          icon: provider.icon,
          identity: link ? toView(link) : null,
          can_unlink: link?.canUnlink ?? false,
        };
      });
      // Links of providers that were deleted or disabled can still be removed.
      const orphaned = linked
        .filter(({ provider }) => !known.has(provider))
        .map((link) => ({
          provider: null,
          name: providerHost(link.provider),
          icon: 'key',
          identity: toView(link),
          can_unlink: link.canUnlink,
        }));
      return {
        discord: {
          available: discordAvailable,
          identity: discord ? toView(discord) : null,
          can_unlink: discord?.canUnlink ?? false,
        },
        others: [...others, ...orphaned],
      };
    },
    startDiscord: (ctx) => identities.start(ctx),
    finishDiscord: (ctx, { body }) => identities.finish(ctx, body),
    start: (ctx, { body }) => sso.startLink(ctx, body.provider),
    finish: (ctx, { body }) => sso.link(ctx, body),
    unlink: (ctx, { params }) => identities.unlink(ctx, params.id),
  };
}
