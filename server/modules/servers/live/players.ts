import { MINUTE, SECOND } from '#shared/time.ts';
import type { Clock } from '../../kernel.ts';

/** How a game server is asked who plays on it. */
type QueryProtocol = 'minecraft' | 'bedrock' | 'source';
/** Who plays on a server. Names: of some of them, where the game tells them. */
export interface PlayerCount {
  readonly online: number;
  readonly max: number;
  readonly names: readonly string[];
}
/** Asks the server at an address; null where it does not say. Never throws. */
export type PlayerQuery = (
  protocol: QueryProtocol,
  address: { readonly host: string; readonly port: number },
) => Promise<PlayerCount | null>;

export const PLAYERS = {
  /** A server is asked this often while somebody has its page open. */
  everyMs: 15 * SECOND,
  /** A count older than this says nothing any more. */
  staleMs: MINUTE,
  /** Servers asked at the same time. */
  atOnce: 32,
  /** Servers remembered; the oldest go first. */
  most: 5000,
} as const;

/** What the eggs of a game are called, and the variables they have. */
const BEDROCK = /\bbedrock\b|pocketmine|nukkit/i;
const MINECRAFT =
  /minecraft|\b(?:paper|purpur|folia|spigot|bukkit|forge|neoforge|fabric|quilt|sponge\w*|velocity|bungeecord|waterfall)\b/i;
const SOURCE =
  /\bsource engine\b|counter-?strike|\bcs ?(?:go|2)\b|garry'?s ?mod|team fortress|\bark\b|\brust\b|insurgency|left 4 dead/i;

/** What is known of an egg. */
interface EggFacts {
  readonly dockerImage: string;
  readonly name: string;
  readonly variables: readonly { readonly env: string; readonly default_value: string }[];
}

/**
 * How servers of an egg are asked who plays on them, by its image, its name and its variables; null: nobody knows. A
 * wrong guess shows nothing, as such a server gives no proper answer.
 */
export function protocolOf({ dockerImage, name, variables }: EggFacts): QueryProtocol | null {
  const own = /^spawnpoint\/(.*)$/.exec(dockerImage)?.[1];
  if (own !== undefined) return own.startsWith('minecraft-') ? 'minecraft' : null;
  const names = variables.map(({ env }) => env);
  if (BEDROCK.test(name) || names.includes('BEDROCK_VERSION')) return 'bedrock';
  if (names.some((env) => env.startsWith('SRCDS_')) || SOURCE.test(name)) return 'source';
  return MINECRAFT.test(name) || names.some((env) => /^(?:MINECRAFT|MC|PAPER|FORGE|FABRIC)_VERSION$/.test(env))
    ? 'minecraft'
    : null;
}

/** Games on the Source engine that answer at a port of their own (ARK, Rust) name it in this variable. */
const QUERY_PORT = 'QUERY_PORT';

/**
 * The address of the port that a server's game answers such questions at, where a variable names one; null where none
 * does. Only one of the server's own ports counts: its owner may set the variable, and would choose whom we ask. In:
 * the owner's values, and the addresses of all of its ports.
 */
export function ownQueryAddressOf(
  { variables }: EggFacts,
  values: Readonly<Record<string, string>>,
  addresses: readonly string[],
): string | null {
  const variable = variables.find(({ env }) => env === QUERY_PORT);
  if (!variable) return null;
  const port = (Object.hasOwn(values, QUERY_PORT) ? values[QUERY_PORT] : undefined) ?? variable.default_value;
  return /^\d{1,5}$/.test(port) ? (addresses.find((address) => address.endsWith(`:${port}`)) ?? null) : null;
}

/**
 * Where a server is asked: at its address, on this machine at the loopback, which leads to it from everywhere; null
 * where it has none.
 */
export function queryAddressOf(address: string | null, isHere: boolean): { host: string; port: number } | null {
  const [, host, digits] = /^\[?([^\]]+?)\]?:(\d{1,5})$/.exec(address ?? '') ?? [];
  const port = Number(digits);
  return host !== undefined && port > 0 && port < 65_536 ? { host: isHere ? '127.0.0.1' : host, port } : null;
}

interface Entry {
  readonly count: PlayerCount | null;
  readonly atMs: number;
}

/**
 * Who plays on servers, remembered for a short time (in this process). Nobody waits for an answer: what is known is
 * given, and a server that was not asked for a while is asked beside it. The game program is a stranger's and may
 * answer late, or never.
 */
export function createPlayerCounts(clock: Clock, query: PlayerQuery) {
  const entries = new Map<string, Entry>();
  const asking = new Set<string>();

  async function ask(key: string, findTarget: () => Promise<Parameters<PlayerQuery> | null>): Promise<void> {
    asking.add(key);
    try {
      const target = await findTarget();
      const count = target && (await query(...target));
      entries.delete(key);
      entries.set(key, { count, atMs: clock.now() });
      for (const oldest of entries.keys()) {
        if (entries.size <= PLAYERS.most) break;
        entries.delete(oldest);
      }
    } finally {
      asking.delete(key);
    }
  }

  /**
   * Who plays on a server that runs, as far as is known; null: unknown. `findTarget`: how and where it is asked, null
   * where nobody knows how.
   */
  return function playersOf(
    key: string,
    findTarget: () => Promise<Parameters<PlayerQuery> | null>,
  ): PlayerCount | null {
    const entry = entries.get(key);
    const ageMs = entry ? clock.now() - entry.atMs : Infinity;
    // Who cannot be read now is asked with the next poll.
    if (ageMs >= PLAYERS.everyMs && !asking.has(key) && asking.size < PLAYERS.atOnce)
      void ask(key, findTarget).catch(() => undefined);
    return entry && ageMs < PLAYERS.staleMs ? entry.count : null;
  };
}
