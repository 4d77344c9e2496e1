import type { Handlers } from '#server/http/implement.types.ts';
import type { Servers } from '#server/modules/servers/index.ts';
import type { servers as contract } from '#shared/contract/servers.ts';
import type { serverUpdateInput } from '#shared/schemas/server.ts';
import type { output } from 'zod/mini';

/** The amounts of a server out of an input. */
function amountsOf({ memory, disk, cpu, ports, databases, backups }: output<typeof serverUpdateInput>) {
  return { memory, disk, cpu, ports, databases, backups };
}

/** Servers: the endpoints of behaviour 6. */
export function serversHandlers({ servers }: { servers: Servers }): Handlers<typeof contract> {
  return {
    options: (ctx) => servers.options(ctx),
    list: (ctx) => servers.list(ctx),
    get: (ctx, { params }) => servers.get(ctx, params.id),
    create: async (ctx, { body }) => {
      const { name, description, variables } = body;
      const place = { locationId: body.location_id, categoryId: body.category_id, eggId: body.egg_id };
      const { id, queueId } = await servers.create(ctx, { name, description, variables, ...place, resources: amountsOf(body), autoRenew: body.auto_renew });
      return { id, queue_id: queueId };
    },
    update: (ctx, { params, body }) => servers.update(ctx, params.id, { name: body.name, description: body.description, resources: amountsOf(body) }),
    renew: (ctx, { params, body }) => servers.renew(ctx, params.id, { price: body.price, expiresAt: body.expires_at }),
    renewAll: (ctx, { body }) => servers.renewAll(ctx, body.price),
    autoRenew: (ctx, { params, body }) => servers.autoRenew(ctx, params.id, body.on),
    delete: (ctx, { params, body }) => servers.delete(ctx, params.id, body.name),
    cancel: (ctx, { params }) => servers.cancel(ctx, params.id),
    retry: (ctx, { params }) => servers.retry(ctx, params.id),
  };
}
