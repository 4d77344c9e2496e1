import { fieldOf } from '#shared/egg-rules.ts';
import { can } from '#shared/permissions.ts';
import type { Egg } from '../catalog/ports.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { ServersDeps } from './deps.ts';
import { placeRefusal } from './guard.ts';
import { estimateMs } from './policy.ts';
import { terms } from './renew.ts';
import { queueFacts } from './views.ts';

/** An egg as the create page offers it. VIP eggs are shown to everybody, with the reason why they cannot be had. */
function eggOption(egg: Egg, vip: boolean) {
  const reason = egg.vipOnly && !vip ? 'VIP_ONLY' : null;
  const variables = egg.variables
    .filter((variable) => variable.user_editable)
    .map(({ env, name, description, default_value, rules }) => ({ env, name, description, default_value, rules, ...fieldOf(rules) }))
    .map(({ options, ...variable }) => ({ ...variable, options: [...options] }));
  return {
    id: egg.id, name: egg.name, description: egg.description, shape: egg.shape, hue: egg.hue,
    min_memory: egg.minMemory, min_disk: egg.minDisk, min_cpu: egg.minCpu, vip_only: egg.vipOnly, available: reason === null, reason, variables,
  };
}

/** Everything the create page needs: places with free slots, software by category, the caller's meters, the price of keeping a server, the queue. */
export async function optionsOf(deps: ServersDeps, tx: Tx, ctx: SignedIn) {
  const vip = can(ctx.actor.permissions, 'user.permission.vip');
  const uses = await tx.catalog.locationUses();
  const eggs = (await tx.catalog.eggs()).filter((egg) => egg.enabled);
  const categories = (await tx.catalog.categories()).filter((category) => category.enabled);
  const facts = await queueFacts(deps, tx);
  const { cost, days } = terms(deps);
  return {
    locations: (await tx.catalog.locations()).map((location) => {
      const used = uses.get(location.id) ?? 0;
      const reason = placeRefusal(location, used) ?? (location.vipOnly && !vip ? 'VIP_ONLY' : null);
      return {
        id: location.id, name: location.name, code: location.code, description: location.description,
        slots_free: Math.max(0, location.slots - used), vip_only: location.vipOnly, available: reason === null, reason,
      };
    }),
    categories: categories
      .map(({ id, name, description }) => ({ id, name, description, eggs: eggs.filter((egg) => egg.categoryId === id).map((egg) => eggOption(egg, vip)) }))
      .filter((category) => category.eggs.length > 0),
    meters: await deps.limits.meters(tx, ctx.actor.userId),
    renew: { enabled: deps.settings.flags().server_renew_enabled, cost, days },
    queue: { length: facts.waiting, estimate_s: Math.ceil(estimateMs(facts.waiting + 1, facts.building, facts.buildMs) / 1000) },
    panel: deps.panel.driver,
  };
}
