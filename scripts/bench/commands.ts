import { join } from 'node:path';
import type { Host } from '#server/compose/host.ts';
import { systemIds } from '#server/kernel.ts';
import { toCredits } from '#shared/credits.ts';
import { DEFAULT_LOCALE } from '#shared/i18n/locales.ts';
import { normaliseCode } from '#shared/redeem-code.ts';
import { DAY, iso } from '#shared/time.ts';
import { inFolder } from './folder.ts';
import { load, type Load } from './load.ts';
import { freePort, startServer } from './processes.ts';
import { plainFigure, ratioFigure, type Figure } from './report.ts';
import { alternate, secondsOf } from './rounds.ts';
import { addPlayers, BROWSER, openSession, openWorld } from './installation.ts';

const TURNS = 5;
/**
 * Commands a turn, one of each player: so nobody comes near the limit of 120 a minute, and what a player saw before
 * still holds.
 */
const REQUESTS = 2000;
const CONNECTIONS = 32;
const PLAYERS = REQUESTS;
const STAFF = 400;
const RICH = 10_000_000;
/** Where all of them are, as a server on this machine sees it. */
const ADDRESS = '127.0.0.1';
/** The least share of a command's service that is left of it over HTTP. */
const LEAST = 0.6;
const ROOT = join(import.meta.dir, '../..');

interface Player {
  readonly id: string;
  readonly username: string;
  readonly cookie: string;
  readonly serverId: string;
  readonly expiresMs: number;
}
type Staff = Pick<Player, 'id' | 'username' | 'cookie'>;
type Post = ReturnType<NonNullable<Load['post']>>;
type Posting = Parameters<Host['services']['ledger']['transfer']>[1]['postings'][number];
type Account = Posting['source'];
/** A command, its n-th request of a turn; the warm-up is turn 0. */
interface Command {
  /** What is sent. */
  readonly post: (turn: number, number: number) => Post;
  /** The same by its service, without HTTP. */
  readonly serve: (turn: number, number: number) => Promise<unknown>;
  /** What of it the ledger moves. */
  readonly movement: (user: Account, other: Account) => readonly Posting[];
}
type Commands = Readonly<Record<'redeem' | 'buy' | 'renew' | 'gift' | 'adjust', Command>>;

/**
 * Figures h.*: each command on credits through HTTP, beside the same command by its own service, which has all that a
 * command checks, notes and tells but not HTTP, durable both; and, for information, as a share of its movement of
 * credits through the ledger's service alone.
 */
export function commandFigures(): Promise<Figure[]> {
  return inFolder(async (folder) => {
    const world = await openWorld(folder);
    const commands = await prepare(world.host);
    await world.close();
    const port = await freePort();
    const server = await startServer(
      [process.execPath, join(ROOT, 'server/main.ts'), 'serve', '--local'],
      { DATA_DIR: folder, PORT: String(port), LOG_LEVEL: 'info' },
      port,
      '/healthz',
    );
    try {
      return await inFolder((other) =>
        inFolder(async (third) => {
          const alone = await openWorld(other);
          const bare = await openWorld(third);
          const served = await prepare(alone.host);
          const move = await ledgerAlone(bare.host);
          const figures: Figure[] = [];
          for (const [name, command] of Object.entries(commands) as [keyof Commands, Command][]) {
            const [sent = NaN, service = NaN, ledger = NaN] = await alternate(TURNS, [
              (turn) => load({ ...ASKED, port, post: (number) => command.post(turn, number) }),
              (turn) => rateOf((number) => served[name].serve(turn, number)),
              () => move(command.movement),
            ]);
            figures.push(
              ratioFigure(`h.${name}`, sent, service, 'commands/s', LEAST),
              plainFigure(`h.${name}.of_ledger`, sent / ledger, 'of its movement alone'),
            );
          }
          for (const { host, close } of [alone, bare]) {
            await prove(host);
            await close();
          }
          return figures;
        }),
      );
    } finally {
      await server.stop();
    }
  });
}

/** Calls a second, as many at once as HTTP has connections. */
async function rateOf(call: (number: number) => Promise<unknown>): Promise<number> {
  return REQUESTS / (await secondsOf(REQUESTS, CONNECTIONS, call));
}

const ASKED = {
  path: '',
  cookies: [],
  headers: { 'User-Agent': BROWSER, Accept: 'application/json' },
  requests: REQUESTS,
  connections: CONNECTIONS,
  check(text: string) {
    if (!text.startsWith('HTTP/1.1 200') || !text.includes('"success":true'))
      throw new Error(`unexpected answer: ${text.slice(0, 600)}`);
  },
};

/** Movements a second of the ledger's service by itself. */
async function ledgerAlone({ database, services }: Host): Promise<(movement: Command['movement']) => Promise<number>> {
  const { ledger } = services;
  await database.uow.run(async (tx) => {
    for (let user = 0; user < PLAYERS; user += 1)
      await ledger.transfer(tx, {
        kind: 'bench',
        reference: `rich:${user}`,
        postings: [{ source: 'system:adjustment', destination: `user:${user}`, amount: toCredits(RICH) }],
      });
  });
  let count = 0;
  return (movement) =>
    rateOf(() => {
      const from = (count += 1) % PLAYERS;
      const postings = movement(`user:${from}`, `user:${(from * 7 + 1) % PLAYERS}`);
      return database.uow.run((tx) =>
        ledger.transfer(tx, { kind: 'bench', reference: `bench:${count}:${from}`, postings }),
      );
    });
}

/** Throws where the ledger of an installation does not add up. */
export async function prove({ database, services }: Host): Promise<void> {
  const faults = await database.uow.read((tx) => services.ledger.verify(tx));
  if (faults.length > 0) throw new Error(`the ledger does not add up: ${faults.map(({ text }) => text).join(', ')}`);
}

/**
 * An installation in which every command can be sent many times, and what is to be sent. In: how many players and staff
 * there are, and codes: each turn has its own.
 */
export async function prepare(
  host: Host,
  { players: count = PLAYERS, staff: desks = STAFF, codes: coupons = TURNS + 1 } = {},
): Promise<Commands> {
  const { services, database } = host;
  const players = await addRichPlayers(host, count);
  // Over HTTP the first request of each says where it comes from; without it, a service has no one to compare.
  for (const { id } of players)
    await services.abuse.observe({ userId: id, sessionId: `bench:${id}`, address: ADDRESS, device: null });
  await services.settings.set(null, {
    server_renew_days: 1,
    gift_daily_cap: 1_000_000,
    redeem_daily_cap: 0,
    redeem_daily_budget: 0,
  });
  await database.write(({ raw }) => raw.run('UPDATE store_items SET limit_total = 1000000000, price = 1'));
  const items = await database.uow.read((tx) => tx.store.items());
  const staff = await addStaff(host, desks);
  const codes = await addCodes(host, coupons);
  const player = (number: number) => nth(players, number);
  return {
    redeem: redeemCommand(host, player, (turn) => codes[turn] ?? ''),
    buy: buyCommand(host, player, (number) => nth(items, number).id),
    renew: renewCommand(host, player),
    gift: giftCommand(host, player),
    adjust: adjustCommand(host, player, (number) => nth(staff, number)),
  };
}

/** Players whom no cost holds up, each with one server that is not due: nobody else renews it meanwhile. */
async function addRichPlayers(host: Host, count: number): Promise<Player[]> {
  const { services, database } = host;
  // No command reads a statement.
  const cookies = await addPlayers(host, count, 1, 1);
  await database.write(({ raw }) =>
    raw.run('UPDATE servers SET auto_renew = 0, expires_ms = expires_ms + ?', [20 * DAY]),
  );
  const rows = await database.read(({ raw }) =>
    raw.all<{ id: string; username: string; server: string; expires: number }>(
      'SELECT u.id AS id, u.username AS username, s.id AS server, s.expires_ms AS expires FROM users u JOIN servers s ON s.user_id = u.id ORDER BY u.username',
    ),
  );
  await database.uow.run(async (tx) => {
    for (const { id } of rows)
      await services.ledger.transfer(tx, {
        kind: 'adjustment',
        reference: `rich:${id}`,
        postings: [{ source: 'system:adjustment', destination: `user:${id}`, amount: toCredits(RICH) }],
      });
  });
  return rows.map(({ id, username, server, expires }, index) => ({
    id,
    username,
    cookie: cookies[index] ?? '',
    serverId: server,
    expiresMs: expires,
  }));
}

/** The n-th of a list, from the start again after its end. */
function nth<T>(list: readonly T[], number: number): T {
  const found = list[number % list.length];
  if (found === undefined) throw new Error('nobody there');
  return found;
}

let keys = 0;
/** What a service gets of a request: who asks, and a key that was never used. */
const contextOf = ({ id, username }: Pick<Player, 'id' | 'username'>, permissions: readonly string[] = []) => ({
  actor: { userId: id, sessionId: `bench:${id}`, username, permissions, verified: true },
  requestId: 'bench',
  locale: DEFAULT_LOCALE,
  address: ADDRESS,
  userAgent: BROWSER,
  idempotency: { key: `bench:${(keys += 1)}`, hash: 'bench' },
});

type PlayerOf = (number: number) => Player;

const redeemCommand = ({ services }: Host, player: PlayerOf, code: (turn: number) => string): Command => ({
  post: (turn, number) => ({ path: '/api/earn/redeem', cookie: player(number).cookie, body: { code: code(turn) } }),
  serve: (turn, number) => services.redeem.redeem(contextOf(player(number)), code(turn)),
  movement: (user) => [{ source: 'system:reward.redeem', destination: user, amount: toCredits(5) }],
});

const buyCommand = ({ services }: Host, player: PlayerOf, item: (number: number) => string): Command => ({
  post: (_turn, number) => ({
    path: '/api/store/buy',
    cookie: player(number).cookie,
    body: { item_id: item(number), units: 1, price: 1 },
  }),
  serve: (_turn, number) => services.store.buy(contextOf(player(number)), { itemId: item(number), units: 1, price: 1 }),
  movement: (user) => [{ source: user, destination: 'system:store', amount: toCredits(1) }],
});

function renewCommand({ services }: Host, player: PlayerOf): Command {
  const { server_renew_cost: cost } = services.settings.current();
  const expires = (turn: number, number: number) => iso(player(number).expiresMs + turn * DAY);
  return {
    post: (turn, number) => ({
      path: `/api/servers/${player(number).serverId}/renew`,
      cookie: player(number).cookie,
      body: { price: cost, expires_at: expires(turn, number) },
    }),
    serve: (turn, number) =>
      services.servers.renew(contextOf(player(number)), player(number).serverId, {
        price: cost,
        expiresAt: expires(turn, number),
      }),
    movement: (user) => [{ source: user, destination: 'system:renewal', amount: toCredits(cost) }],
  };
}

function giftCommand({ services }: Host, player: PlayerOf): Command {
  const other = (number: number) => player(number * 7 + 1).id;
  return {
    post: (_turn, number) => ({
      path: '/api/gifts',
      cookie: player(number).cookie,
      body: { recipient: other(number), amount: 10, total: 11 },
    }),
    serve: (_turn, number) =>
      services.gifts.send(contextOf(player(number)), { recipientId: other(number), amount: 10, total: 11, note: '' }),
    movement: (user, receiver) => [
      { source: user, destination: receiver, amount: toCredits(10) },
      { source: user, destination: 'system:gift.fee', amount: toCredits(1) },
    ],
  };
}

const adjustCommand = ({ services }: Host, player: PlayerOf, staff: (number: number) => Staff): Command => ({
  post: (_turn, number) => ({
    path: `/api/admin/users/${player(number).id}/adjust`,
    cookie: staff(number).cookie,
    body: { direction: 'in', amount: 5, reason: 'a thank-you' },
  }),
  serve: (_turn, number) =>
    services.people.adjust(contextOf(staff(number), ['admin.users.edit']), player(number).id, {
      amount: 5,
      reason: 'a thank-you',
    }),
  movement: (user) => [{ source: 'system:adjustment', destination: user, amount: toCredits(5) }],
});

/** Codes that everybody may redeem once. */
async function addCodes({ database }: Host, count: number): Promise<string[]> {
  const codes = Array.from({ length: count }, (_, number) => `BENCH${1000 + number}`);
  await database.write(async ({ raw }) => {
    for (const code of codes) {
      await raw.run(
        `INSERT INTO redeem_codes (id, code, code_key, note, credits, uses_total, uses_count, min_age_days, starts_ms, ends_ms, enabled, created_by, created_ms, updated_ms)
         VALUES (?, ?, ?, '', 5, 1000000, 0, 0, NULL, NULL, 1, NULL, 0, 0)`,
        [systemIds.uuid(), code, normaliseCode(code)],
      );
    }
  });
  return codes;
}

/** People who may adjust balances. */
async function addStaff({ services, database }: Host, count: number): Promise<Staff[]> {
  const now = services.clock.now();
  const staff: Staff[] = [];
  await database.uow.run(async (tx) => {
    const role = {
      id: systemIds.uuid(),
      key: null,
      name: 'Desk',
      color: '#888888',
      rank: 2,
      isDefault: false,
      createdMs: now,
    };
    await tx.access.add(role, ['admin.users.edit']);
    for (let number = 0; number < count; number += 1) {
      const [id, username] = [systemIds.uuid(), `zstaff${String(number).padStart(4, '0')}`];
      await tx.identity.addUser({
        id,
        username,
        email: `${username}@example.com`,
        passwordHash: '-',
        firstName: 'Alex',
        lastName: 'Desk',
        roleId: role.id,
        locale: 'en',
        verifiedMs: now,
        createdMs: now - 20 * DAY,
      });
      staff.push({ id, username, cookie: await openSession(tx, id) });
    }
  });
  return staff;
}
