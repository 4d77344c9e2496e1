import type { Handlers } from '#server/http/implement.types.ts';
import type { Servers } from '#server/modules/servers/index.ts';
import type { servers as contract } from '#shared/contract/servers.ts';
import type { serverUpdateInput } from '#shared/schemas/server.ts';
import type { output } from 'zod/mini';
import { SERVER_MINIMUM } from '#shared/constants.ts';
import {
  orderOf,
  presentOptions,
  presentPlace,
  presentServer,
  presentRenewal,
  presentServerPage,
  presentShared,
  presentUsage,
  presentUsageHistory,
} from './present-servers.ts';

/** The resources in an input. */
function toResources({ memory, disk, cpu, ports, databases, backups }: output<typeof serverUpdateInput>) {
  return { memory, disk, cpu, ports, databases, backups };
}

/** Servers: the endpoints of behaviour 6. */
export function serversHandlers({ servers }: { servers: Servers }): Handlers<typeof contract> {
  return {
    options: async (ctx) => presentOptions(await servers.options(ctx)),
    availability: (ctx, { query }) => {
      const { memory = SERVER_MINIMUM.memory, disk = SERVER_MINIMUM.disk, ports = SERVER_MINIMUM.ports } = query;
      return servers.availability(ctx, {
        locationId: query.location_id ?? null,
        eggId: query.egg_id ?? null,
        memory,
        disk,
        ports,
      });
    },
    joinWaitingList: async (ctx, { body }) => {
      const { location_id, egg_id, memory, disk, ports } = body;
      const place = await servers.joinWaitingList(ctx, location_id, { eggId: egg_id, memory, disk, ports });
      return presentPlace(place);
    },
    leaveWaitingList: (ctx, { params }) => servers.leaveWaitingList(ctx, params.id),
    list: async (ctx) => {
      const { servers: own, shared, meters } = await servers.list(ctx);
      return { servers: own.map(presentServer), shared: shared.map(presentShared), meters };
    },
    usage: async (ctx, { params }) => presentUsage(await servers.usage(ctx, params.id)),
    usageHistory: async (ctx, { params }) => presentUsageHistory(await servers.usageHistory(ctx, params.id)),
    power: async (ctx, { params, body }) => {
      await servers.power(ctx, params.id, body.signal);
      return {};
    },
    reinstall: (ctx, { params }) => servers.reinstall(ctx, params.id),
    get: async (ctx, { params }) => {
      const page = presentServerPage(await servers.get(ctx, params.id));
      // Passwords and keys are often among them.
      return ctx.actor.viewer ? { ...page, variables: [] } : page;
    },
    create: async (ctx, { body }) => {
      const { name, description, variables } = body;
      const target = { locationId: body.location_id, categoryId: body.category_id, eggId: body.egg_id };
      const { id, queueId } = await servers.create(
        ctx,
        { name, description, variables, ...target, resources: toResources(body), autoRenew: body.auto_renew },
        body.price,
      );
      return { id, queue_id: queueId };
    },
    update: (ctx, { params, body }) =>
      servers.update(ctx, params.id, {
        name: body.name,
        description: body.description,
        resources: toResources(body),
        ...(body.variables ? { variables: body.variables } : {}),
      }),
    async updateVariables(ctx, { params, body }) {
      await servers.updateVariables(ctx, params.id, body.variables);
    },
    async setPrimaryPort(ctx, { params, body }) {
      await servers.setPrimaryPort(ctx, params.id, body.port);
    },
    renew: async (ctx, { params, body }) =>
      presentRenewal(await servers.renew(ctx, params.id, { price: body.price, expiresAt: body.expires_at })),
    renewAll: (ctx, { body }) => servers.renewAll(ctx, body.price),
    autoRenew: (ctx, { params, body }) =>
      servers.autoRenew(ctx, params.id, body.on, body.priority && orderOf(body.priority)),
    delete: (ctx, { params, body }) => servers.delete(ctx, params.id, body.name),
    cancel: (ctx, { params }) => servers.cancel(ctx, params.id),
    retry: (ctx, { params, query }) => servers.retry(ctx, params.id, query.price),
  };
}
