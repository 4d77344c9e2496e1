import { join } from 'node:path';
import type { Host } from '#server/compose.ts';
import { systemIds } from '#server/kernel.ts';
import { coins } from '#shared/coins.ts';
import { MARKER_COOKIE, SESSION_COOKIE } from '#shared/constants.ts';
import { normaliseCode } from '#shared/redeem-code.ts';
import { DAY, iso } from '#shared/time.ts';
import { inFolder } from './folder.ts';
import { load, type Load } from './load.ts';
import { freePort, startServer } from './processes.ts';
import { ratioFigure, type Figure } from './report.ts';
import { inTurn, secondsOf } from './rounds.ts';
import { addPlayers, BROWSER, openWorld } from './world.ts';

const TURNS = 5;
/** Commands a turn, one of each player: so nobody comes near the limit of 120 a minute, and what a player saw before still holds. */
const REQUESTS = 2000;
const CONNECTIONS = 32;
const PLAYERS = REQUESTS;
const STAFF = 400;
const RICH = 10_000_000;
const ROOT = join(import.meta.dir, '../..');

interface Player {
  readonly id: string;
  readonly cookie: string;
  readonly serverId: string;
  readonly expiresMs: number;
}
type Post = ReturnType<NonNullable<Load['post']>>;
/** A command: its n-th request of a turn. The warm-up is turn 0. */
type Command = (turn: number, number: number) => Post;

/** Figures h.*: each command on credits through HTTP, beside bare transfers of the ledger's service, durable both. */
export function commandFigures(): Promise<Figure[]> {
  return inFolder(async (folder) => {
    const world = await openWorld(folder);
    const commands = await prepare(world.host);
    await world.close();
    const port = await freePort();
    const server = await startServer([process.execPath, join(ROOT, 'server/main.ts'), 'serve', '--local'], { DATA_DIR: folder, PORT: String(port), LOG_LEVEL: 'info' }, port, '/healthz');
    try {
      return await inFolder(async (other) => {
        const bare = await openWorld(other);
        const baseline = await ledgerAlone(bare.host);
        const figures: Figure[] = [];
        for (const [name, command] of Object.entries(commands)) {
          const rates = await inTurn(TURNS, (turn) => load({ ...ASKED, port, post: (number) => command(turn, number) }), baseline);
          figures.push(ratioFigure(`h.${name}`, rates.a, rates.b, 'commands/s', 0.5));
        }
        await prove(bare.host);
        await bare.close();
        return figures;
      });
    } finally {
      await server.stop();
    }
  });
}

const ASKED = {
  path: '', cookies: [], headers: { 'User-Agent': BROWSER, Accept: 'application/json' }, requests: REQUESTS, connections: CONNECTIONS,
  check(text: string) {
    if (!text.startsWith('HTTP/1.1 200') || !text.includes('"success":true')) throw new Error(`unexpected answer: ${text.slice(0, 600)}`);
  },
};

/** Transfers a second of the ledger's service by itself, as many at once. */
async function ledgerAlone({ database, services }: Host): Promise<(turn: number) => Promise<number>> {
  const { ledger } = services;
  await database.uow.run(async (tx) => {
    for (let user = 0; user < PLAYERS; user += 1) await ledger.transfer(tx, { kind: 'bench', reference: `rich:${user}`, postings: [{ source: 'system:adjustment', destination: `user:${user}`, amount: coins(RICH) }] });
  });
  let count = 0;
  return async () => {
    const seconds = await secondsOf(REQUESTS, CONNECTIONS, () => {
      const from = (count += 1) % PLAYERS;
      const postings = [{ source: `user:${from}`, destination: `user:${(from * 7 + 1) % PLAYERS}`, amount: coins(1) }] as const;
      return database.uow.run((tx) => ledger.transfer(tx, { kind: 'bench', reference: `bench:${count}:${from}`, postings }));
    });
    return REQUESTS / seconds;
  };
}

async function prove({ database, services }: Host): Promise<void> {
  const faults = await database.uow.read((tx) => services.ledger.verify(tx));
  if (faults.length > 0) throw new Error(`the ledger does not add up: ${faults.join(', ')}`);
}

/** An installation in which every command can be sent many times, and what is to be sent. */
async function prepare(host: Host): Promise<Record<string, Command>> {
  const { services, database } = host;
  const cookies = await addPlayers(host, PLAYERS, 1);
  // No server is due, so that nobody else renews one meanwhile.
  await database.write(({ raw }) => raw.run('UPDATE servers SET auto_renew = 0, expires_ms = expires_ms + ?', [20 * DAY]));
  const rows = await database.read(({ raw }) => raw.all<{ id: string; server: string; expires: number }>('SELECT u.id AS id, s.id AS server, s.expires_ms AS expires FROM users u JOIN servers s ON s.user_id = u.id ORDER BY u.username'));
  const players = rows.map(({ id, server, expires }, index): Player => ({ id, cookie: cookies[index] ?? '', serverId: server, expiresMs: expires }));
  await services.settings.set(null, { server_renew_days: 1, gift_daily_cap: 0, redeem_daily_cap: 0, redeem_daily_budget: 0 });
  const { server_renew_cost: cost } = services.settings.current();
  await database.write(({ raw }) => raw.run('UPDATE store_items SET limit_total = 1000000000, price = 1'));
  await database.uow.run(async (tx) => {
    for (const { id } of players) await services.ledger.transfer(tx, { kind: 'adjustment', reference: `rich:${id}`, postings: [{ source: 'system:adjustment', destination: `user:${id}`, amount: coins(RICH) }] });
  });
  const items = await database.uow.read((tx) => tx.store.items());
  const staff = await addStaff(host);
  const nth = <T>(list: readonly T[], number: number): T => {
    const found = list[number % list.length];
    if (found === undefined) throw new Error('nobody there');
    return found;
  };
  const codes = await addCodes(host);
  const rounds = Math.ceil(REQUESTS / PLAYERS);
  return {
    redeem: (turn, number) => ({ path: '/api/earn/redeem', cookie: nth(players, number).cookie, body: { code: codes[turn * rounds + Math.floor(number / PLAYERS)] } }),
    buy: (_turn, number) => ({ path: '/api/store/buy', cookie: nth(players, number).cookie, body: { item_id: nth(items, number).id, units: 1, price: 1 } }),
    renew(turn, number) {
      const { cookie, serverId, expiresMs } = nth(players, number);
      const before = turn * rounds + Math.floor(number / PLAYERS);
      return { path: `/api/servers/${serverId}/renew`, cookie, body: { price: cost, expires_at: iso(expiresMs + before * DAY) } };
    },
    gift: (_turn, number) => ({ path: '/api/gifts', cookie: nth(players, number).cookie, body: { recipient: nth(players, number * 7 + 1).id, amount: 10, total: 11 } }),
    adjust: (_turn, number) => ({ path: `/api/admin/users/${nth(players, number).id}/adjust`, cookie: nth(staff, number), body: { direction: 'in', amount: 5, reason: 'a thank-you' } }),
  };
}

/** Codes that everybody may redeem once. */
async function addCodes({ database }: Host): Promise<string[]> {
  const codes = Array.from({ length: (TURNS + 1) * Math.ceil(REQUESTS / PLAYERS) }, (_, number) => `BENCH${1000 + number}`);
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

/** People who may adjust balances. Out: their Cookie headers. */
async function addStaff({ services, database }: Host): Promise<string[]> {
  const now = services.clock.now();
  const secrets = Array.from({ length: STAFF }, () => systemIds.token());
  await database.uow.run(async (tx) => {
    const role = { id: systemIds.uuid(), key: null, name: 'Desk', color: '#888888', rank: 2, isDefault: false, createdMs: now };
    await tx.access.add(role, ['admin.users.edit']);
    for (const [number, secret] of secrets.entries()) {
      const [id, username] = [systemIds.uuid(), `zstaff${String(number).padStart(4, '0')}`];
      await tx.identity.addUser({
        id, username, email: `${username}@example.com`, passwordHash: '-', firstName: 'Alex', lastName: 'Desk', roleId: role.id, locale: 'en', verifiedMs: now, createdMs: now - 20 * DAY,
      });
      await tx.identity.addSession({
        id: systemIds.uuid(), userId: id, tokenHash: systemIds.hash(secret), device: 'Chrome · Linux', userAgent: BROWSER, address: '127.0.0.1', createdMs: now, seenMs: now, expiresMs: now + 30 * DAY,
      });
    }
  });
  return secrets.map((secret) => `${SESSION_COOKIE}=${secret}; ${MARKER_COOKIE}=1`);
}
