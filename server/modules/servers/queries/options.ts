import type { QueriesDeps } from './deps.ts';
import { SERVER_MINIMUM } from '#shared/constants.ts';
import { formFieldFor, uncheckedRules } from '#shared/egg-rules.ts';
import { can } from '#shared/permissions.ts';
import type { Egg } from '../../catalog/ports.ts';
import type { SignedIn } from '../../kernel.ts';
import type { Tx } from '../../tx.ts';
import { freeCapacity } from '../capacity/index.ts';
import { estimateMs, renewalTerms } from '../core/index.ts';
import { queueStatus } from './views.ts';

/**
 * The variables of an egg that are its owner's to set, and how a form asks for them. `unchecked`: rules that only the
 * panel can check.
 */
function ownVariables(egg: Egg) {
  return egg.variables
    .filter((variable) => variable.user_editable)
    .map(({ env, name, description, default_value: defaultValue, rules }) => {
      const { kind, options } = formFieldFor(rules);
      return {
        env,
        name,
        description,
        defaultValue,
        rules,
        kind,
        options: [...options],
        unchecked: uncheckedRules(rules),
      };
    });
}

/** The variables a server's owner may set, with their values now; none where the egg is gone. */
export function variablesOf(egg: Egg | null, values: Readonly<Record<string, string>>) {
  return egg
    ? ownVariables(egg).map((variable) => ({
        ...variable,
        value: (Object.hasOwn(values, variable.env) ? values[variable.env] : undefined) ?? variable.defaultValue,
      }))
    : [];
}

/** An egg as the create page offers it. VIP eggs are shown to everybody, with the reason why they cannot be had. */
function eggOption(
  egg: Egg,
  vip: boolean,
  { simulated, closed }: { simulated: boolean; closed: 'EGG_UNAVAILABLE' | 'MACHINE_CLOSED' | null },
) {
  const reason = egg.vipOnly && !vip ? 'VIP_ONLY' : closed;
  return {
    id: egg.id,
    name: egg.name,
    description: egg.description,
    shape: egg.shape,
    hue: egg.hue,
    picture: egg.picture,
    minMemory: egg.minMemory,
    minDisk: egg.minDisk,
    minCpu: egg.minCpu,
    vipOnly: egg.vipOnly,
    available: reason === null,
    reason,
    simulated,
    variables: ownVariables(egg),
  };
}

/**
 * Everything the create page needs: places with free slots, software by category, the caller's meters, the price of
 * keeping a server, the queue.
 */
export async function optionsOf(deps: QueriesDeps, tx: Tx, ctx: SignedIn) {
  const vip = can(ctx.actor.permissions, 'user.permission.vip');
  const capacity = await deps.capacity.load(tx);
  const locations = (await tx.catalog.locations()).map((location) => ({
    location,
    free: freeCapacity(capacity, location, null, SERVER_MINIMUM),
  }));
  const everywhereIn = (panel: string | null) => locations.every(({ location }) => location.panel === panel);
  const full = new Set(
    locations.filter(({ free }) => free.reason === 'LOCATION_FULL').map(({ location }) => location.id),
  );
  const lines = await deps.waitingList.list(tx, ctx.actor.userId, full);
  const eggs = (await tx.catalog.eggs()).filter((egg) => egg.enabled);
  const categories = (await tx.catalog.categories()).filter((category) => category.enabled);
  const status = await queueStatus(deps, tx);
  const { cost, days } = renewalTerms(deps);
  const builtIn = deps.panels.find(null);
  const hereOf = (egg: Egg) => ({
    simulated: builtIn?.runsHere?.(egg) !== true,
    // Where other panels have places as well, it depends on the place.
    closed: everywhereIn(null) ? (builtIn?.refusal?.(egg, ctx.actor.permissions) ?? null) : null,
  });
  return {
    locations: locations.map(({ location, free }) => {
      const reason = free.reason ?? (location.vipOnly && !vip ? 'VIP_ONLY' : null);
      return {
        id: location.id,
        name: location.name,
        code: location.code,
        description: location.description,
        slotsFree: free.left,
        vipOnly: location.vipOnly,
        available: reason === null,
        reason,
        embedded: deps.panels.find(location.panel)?.driver === 'embedded',
        ...(lines.get(location.id) ?? { waiting: 0, estimateMs: null, wait: null }),
      };
    }),
    categories: categories
      .map(({ id, name, description, picture }) => ({
        id,
        name,
        description,
        picture,
        eggs: eggs.filter((egg) => egg.categoryId === id).map((egg) => eggOption(egg, vip, hereOf(egg))),
      }))
      .filter((category) => category.eggs.length > 0),
    meters: await deps.limits.meters(tx, ctx.actor.userId),
    renew: { enabled: deps.settings.flags().server_renew_enabled, cost, days },
    carriedDebt: await deps.debts.find(tx, ctx.actor.userId),
    balance: await deps.ledger.balance(tx, `user:${ctx.actor.userId}`),
    queue: {
      length: status.waiting,
      estimateMs: estimateMs(status.waiting + 1, status.building, status.buildMs),
    },
    panel: builtIn?.driver ?? 'remote',
  };
}
