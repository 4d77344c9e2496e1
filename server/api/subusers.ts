import type { Handlers } from '#server/http/implement.types.ts';
import type { Servers } from '#server/modules/servers/index.ts';
import type { subusers as contract } from '#shared/contract/subusers.ts';
import { presentSharedPage } from './present-servers.ts';

/** Who works on servers of others: what owners grant and take back, and what the others see. */
export function subusersHandlers({
  servers,
}: {
  readonly servers: Pick<Servers, 'subusers' | 'getShared'>;
}): Handlers<typeof contract> {
  const { subusers } = servers;
  return {
    add: (ctx, { params, body }) => subusers.add(ctx, params.id, body),
    async setRights(ctx, { params: { id, user }, body }) {
      await subusers.setRights(ctx, id, { userId: user, rights: body.rights });
    },
    async remove(ctx, { params: { id, user } }) {
      await subusers.remove(ctx, id, user);
    },
    async get(ctx, { params }) {
      const page = presentSharedPage(await servers.getShared(ctx, params.id));
      // Passwords and keys are often among them.
      return ctx.actor.viewer ? { ...page, variables: [] } : page;
    },
    async leave(ctx, { params }) {
      await subusers.leave(ctx, params.id);
    },
  };
}
