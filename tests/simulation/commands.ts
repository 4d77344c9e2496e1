import type { SignedIn } from '#server/modules/kernel.ts';
import type { ServerRow } from '#server/modules/servers/core/ports.ts';
import type { Servers } from '#server/modules/servers/index.ts';
import { SERVER_STATES } from '#shared/schemas/server.ts';
import { iso } from '#shared/time.ts';
import { keyed } from '#tests/support/coins.ts';
import { TERMS } from './books.ts';
import { byHand, meddle } from './by-hand.ts';
import type { World } from './world.ts';

/** A command that is drawn, ready to be sent; sent again, with the same key, where nobody answered. */
export interface Action {
  readonly name: string;
  run(servers: Servers): Promise<unknown>;
  /** After it was answered with yes. */
  done?(): void;
}
interface Kind {
  readonly name: string;
  readonly weight: number;
  /** Null where there is nothing that it could be about. */
  draw(world: World, key: string): Promise<Action['run'] | Omit<Action, 'name'> | null>;
}

const MB = 256;
const small = ({ random }: World) => ({
  memory: MB * (1 + random.int(3)),
  disk: MB * (1 + random.int(3)),
  cpu: 50,
  ports: 1 + random.int(3),
  databases: random.int(2),
  backups: 0,
});

/**
 * Somebody's server in one of some states, or null. Deleted ones are asked for too: a page that was open may still send
 * something.
 */
async function pick(world: World, states: readonly string[]): Promise<{ ctx: SignedIn; server: ServerRow } | null> {
  const { db, random, uow, people } = world;
  const marks = states.map(() => '?').join(', ');
  const [{ n = 0 } = {}] = await db.sql<{ n: number }>(`SELECT COUNT(*) AS n FROM servers WHERE state IN (${marks})`, [
    ...states,
  ]);
  if (n === 0) return null;
  const [found] = await db.sql<{ id: string }>(
    `SELECT id FROM servers WHERE state IN (${marks}) ORDER BY id LIMIT 1 OFFSET ?`,
    [...states, random.int(n)],
  );
  const server = found ? await uow.read((tx) => tx.servers.find(found.id)) : null;
  const ctx = people.find(({ actor }) => actor.userId === server?.userId);
  return server && ctx ? { ctx, server } : null;
}
const LIVE = ['active', 'suspended'];

/** A command about a server: mostly of one that it fits, at times of any. */
function about(
  name: string,
  weight: number,
  states: readonly string[],
  act: (facts: { world: World; ctx: SignedIn; server: ServerRow }) => Action['run'] | Omit<Action, 'name'>,
): Kind {
  return {
    name,
    weight,
    async draw(world, key) {
      const found = await pick(world, world.random.chance(0.05) ? SERVER_STATES : states);
      return found && act({ world, server: found.server, ctx: keyed(found.ctx, key) });
    },
  };
}
const change = ({ name, description, resources }: ServerRow) => ({ name, description, resources });

const USERS: readonly Kind[] = [
  {
    name: 'create',
    weight: 16,
    draw: async (world, key) => {
      const [ctx, site] = [keyed(world.random.pick(world.people), key), world.random.pick(world.sites)];
      const autoRenew = world.random.chance(0.5);
      const serverInput = world.serverInput({
        name: `Server ${key}`,
        locationId: site.location,
        resources: small(world),
        variables: { MOTD: key },
        autoRenew,
      });
      return (servers) => servers.create(ctx, serverInput);
    },
  },
  about('update', 12, ['active'], ({ world, ctx, server }) => {
    const serverInput = { ...change(server), resources: small(world) };
    return (servers) => servers.update(ctx, server.id, serverInput);
  }),
  about('rename', 8, ['active'], ({ world, ctx, server }) => {
    const serverInput = { ...change(server), name: `Renamed ${world.random.int(1000)}`, description: 'A hall' };
    return (servers) => servers.update(ctx, server.id, serverInput);
  }),
  about('variables', 8, ['active'], ({ world, ctx, server }) => {
    const serverInput = { ...change(server), variables: { MOTD: `motd ${world.random.int(1000)}` } };
    return (servers) => servers.update(ctx, server.id, serverInput);
  }),
  about('renew', 12, LIVE, ({ world, ctx, server }) => {
    const shown = { price: TERMS.cost, expiresAt: iso(server.expiresMs) };
    return {
      run: (servers) => servers.renew(ctx, server.id, shown),
      done: () => world.books.pays(server.userId, server.id),
    };
  }),
  about(
    'autoRenew',
    4,
    LIVE,
    ({ ctx, server }) =>
      (servers) =>
        servers.autoRenew(ctx, server.id, !server.autoRenew),
  ),
  about(
    'delete',
    7,
    [...LIVE, 'failed', 'queued'],
    ({ ctx, server }) =>
      (servers) =>
        servers.delete(ctx, server.id, server.name),
  ),
  about(
    'retry',
    6,
    ['failed'],
    ({ ctx, server }) =>
      (servers) =>
        servers.retry(ctx, server.id),
  ),
  {
    name: 'cancel',
    weight: 4,
    draw: async (world, key) => {
      const ctx = keyed(world.random.pick(world.people), key);
      const serverInput = world.serverInput({
        name: `Server ${key}`,
        locationId: world.random.pick(world.sites).location,
        resources: small(world),
      });
      // Somebody changes their mind, while the queue may be at it already.
      return async (servers) => servers.cancel(ctx, (await servers.create(ctx, serverInput)).id);
    },
  },
  about(
    'reinstall',
    5,
    ['active'],
    ({ ctx, server }) =>
      (servers) =>
        servers.reinstall(ctx, server.id),
  ),
];

const STAFF: readonly Kind[] = [
  about(
    'suspend',
    5,
    LIVE,
    ({ world, server }) =>
      (servers) =>
        servers.staff.suspend(world.staff, server.id, 'a reason'),
  ),
  about(
    'unsuspend',
    5,
    ['suspended'],
    ({ world, server }) =>
      (servers) =>
        servers.staff.unsuspend(world.staff, server.id),
  ),
  about('remove', 2, [...LIVE, 'deleting'], ({ world, server }) => {
    const how = { name: server.name, force: world.random.chance(0.3) };
    return (servers) => servers.staff.remove(world.staff, server.id, how);
  }),
  {
    name: 'adopt',
    weight: 5,
    async draw(world, key) {
      const site = world.random.pick(world.sites);
      const strange = [...site.fake.state.servers.values()].filter((server) => server.externalId === null);
      if (strange.length === 0) return null;
      const [ref, owner] = [String(world.random.pick(strange).id), world.random.pick(world.people).actor.username];
      const ctx = keyed(world.staff, key);
      return (servers) =>
        servers.staff.adopt(ctx, { panel: site.id, ref, owner, days: TERMS.days, locationId: null, eggId: null });
    },
  },
  ban('ban', 2, 'banned'),
  ban('unban', 4, 'active'),
];

/** A ban or its end, as identity does it: the status, and then the servers. */
function ban(name: string, weight: number, status: 'banned' | 'active'): Kind {
  return {
    name,
    weight,
    async draw({ db, random, clock, life, uow }) {
      const rows = await db.sql<{ id: string }>(
        "SELECT id FROM users WHERE status = ? AND username LIKE 'user%' ORDER BY id",
        [status === 'banned' ? 'active' : 'banned'],
      );
      if (rows.length === 0) return null;
      const { id } = random.pick(rows);
      return async (servers) => {
        const own = life().servers === servers ? life().process.uow(uow) : uow;
        await own.run((tx) => tx.identity.setStatus(id, status, { reason: null, untilMs: null }, clock.now()));
        await servers.syncWithOwnerStatus(id);
      };
    },
  };
}

/** What comes from outside of the product. */
const OUTSIDE: readonly Kind[] = [
  {
    name: 'top up',
    weight: 5,
    async draw(world) {
      const ctx = world.random.pick(world.people);
      const credits = 10 + world.random.int(60);
      // Paid outside of any process: what matters here is what the servers make of it.
      let once: Promise<unknown> | null = null;
      return {
        run: () => (once ??= world.grant(ctx, credits)),
        done: () => world.books.gave(ctx.actor.userId, credits),
      };
    },
  },
  { name: 'made by hand at the panel', weight: 3, draw: async (world) => () => Promise.resolve(byHand(world)) },
  { name: 'changed by hand at the panel', weight: 3, draw: async (world) => () => Promise.resolve(meddle(world)) },
];

export const KINDS: readonly Kind[] = [...USERS, ...STAFF, ...OUTSIDE];

/** Draws a command. `key` tells it from all others. */
export async function drawAction(world: World, key: string): Promise<Action> {
  const total = KINDS.reduce((sum, { weight }) => sum + weight, 0);
  for (;;) {
    let ticket = world.random.int(total);
    const kind = KINDS.find(({ weight }) => (ticket -= weight) < 0);
    const drawn = await kind?.draw(world, key);
    if (kind && drawn)
      return typeof drawn === 'function' ? { name: kind.name, run: drawn } : { name: kind.name, ...drawn };
  }
}
