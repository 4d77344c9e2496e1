import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import * as z from 'zod/mini';
import type { PlayerCount, PlayerQuery } from '#server/modules/servers/index.ts';
import { SECOND } from '#shared/time.ts';

/**
 * Asks a game server who plays on it, in the words of its game: the server list ping of Minecraft (Java), the
 * unconnected ping of Bedrock, and A2S_INFO of games on the Source engine. The program that answers is a stranger's:
 * nothing of it is kept beyond these bounds, and what is not a proper answer is none. Libraries for this keep whatever
 * comes.
 */
const TIMEOUT_MS = 3 * SECOND;
/** Bytes of the longest answer: with its picture, that of Minecraft has about 30 KB. */
const MAX_BYTES = 65_536;
/** More players than this is no count. */
const MAX_COUNT = 1_000_000;
/** What may be a player's name: those of Java, and of Bedrock's players behind a proxy, which begin with a sign. */
const NAME = /^[.*+]?\w{2,16}$/;
/** Names that are told at most: Minecraft itself gives twelve. */
const MAX_NAMES = 12;

const count = z.int().check(z.minimum(0), z.maximum(MAX_COUNT));
const status = z.object({
  players: z.object({ online: count, max: count, sample: z.nullish(z.array(z.object({ name: z.string() }))) }),
});

/** A number as Minecraft's protocol writes it: seven bits a byte, the lowest first. */
function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value >>> 0;
  do {
    bytes.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
    rest >>>= 7;
  } while (rest > 0);
  return bytes;
}
/** The number at a place, and where it ends; null where it is not whole yet. Throws where it never ends. */
function readVarint(bytes: Buffer, from: number): { value: number; end: number } | null {
  let value = 0;
  for (let at = 0; at < 5; at += 1) {
    const byte = bytes[from + at];
    if (byte === undefined) return null;
    value |= (byte & 0x7f) << (7 * at);
    if (byte < 0x80) return { value: value >>> 0, end: from + at + 1 };
  }
  throw new Error('not a number');
}

/** The JSON of the answer to a status request; null where it is not whole yet. Throws where it is none. */
export function readStatus(bytes: Buffer): PlayerCount | null {
  const length = readVarint(bytes, 0);
  if (!length) return null;
  if (length.value > MAX_BYTES) throw new Error('too long');
  if (bytes.length < length.end + length.value) return null;
  const kind = readVarint(bytes, length.end);
  const text = kind && readVarint(bytes, kind.end);
  if (!text || kind.value !== 0 || text.end + text.value > length.end + length.value) throw new Error('not a status');
  const { players } = status.parse(JSON.parse(bytes.toString('utf8', text.end, text.end + text.value)));
  const names = (players.sample ?? []).map(({ name }) => name).filter((name) => NAME.test(name));
  return { online: players.online, max: players.max, names: [...new Set(names)].slice(0, MAX_NAMES) };
}

function queryMinecraft(host: string, port: number): Promise<PlayerCount | null> {
  const name = Buffer.from(host);
  // Version −1: whoever asks is no player. 1: the status is wanted.
  const handshake = [0, ...varint(-1), ...varint(name.length), ...name, port >> 8, port & 0xff, 1];
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const socket = connect({ host, port });
    const end = (found: PlayerCount | null): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(found);
    };
    const timer = setTimeout(() => end(null), TIMEOUT_MS);
    socket.on('error', () => end(null));
    socket.on('close', () => end(null));
    socket.on('connect', () => socket.write(Buffer.from([...varint(handshake.length), ...handshake, 1, 0])));
    socket.on('data', (piece: Buffer) => {
      received = Buffer.concat([received, piece]);
      if (received.length > MAX_BYTES) return end(null);
      try {
        const found = readStatus(received);
        if (found) end(found);
      } catch {
        end(null);
      }
    });
  });
}

/** The end of a text that ends with a zero, and is not empty of one. */
function endOfText(bytes: Buffer, from: number): number {
  const at = bytes.indexOf(0, from);
  if (at === -1) throw new Error('a text without an end');
  return at + 1;
}

/** The counts of an answer to A2S_INFO; of a challenge what is sent back. Throws where it is neither. */
export function readInfo(bytes: Buffer): { challenge: Buffer } | PlayerCount {
  if (bytes.readInt32LE(0) !== -1) throw new Error('in pieces');
  const kind = bytes.readUInt8(4);
  if (kind === 0x41) return { challenge: bytes.subarray(5, 9) };
  if (kind !== 0x49) throw new Error('something else');
  // Its protocol; then name, map, folder and game; then two bytes of its number at Steam.
  let at = 6;
  for (let texts = 0; texts < 4; texts += 1) at = endOfText(bytes, at);
  return { online: bytes.readUInt8(at + 2), max: bytes.readUInt8(at + 3), names: [] };
}

const MAGIC = Buffer.from('00ffff00fefefefefdfdfdfd12345678', 'hex');
/** The counts of an answer to an unconnected ping of Bedrock. Throws where it is none. */
export function readPong(bytes: Buffer): PlayerCount {
  if (bytes.readUInt8(0) !== 0x1c || !bytes.subarray(17, 33).equals(MAGIC)) throw new Error('something else');
  const parts = bytes.toString('utf8', 35).split(';');
  const [online, max] = [count.parse(Number(parts[4] ?? 'none')), count.parse(Number(parts[5] ?? 'none'))];
  return { online, max, names: [] };
}

/** Asks by a packet and answers one challenge: `read` gives the counts, or what to send next, or throws. */
function queryByPacket(
  host: string,
  port: number,
  first: Buffer,
  read: (bytes: Buffer) => PlayerCount | { next: Buffer },
): Promise<PlayerCount | null> {
  return new Promise((resolve) => {
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    let challenged = false;
    const end = (found: PlayerCount | null): void => {
      clearTimeout(timer);
      socket.removeAllListeners();
      // What comes late of a socket that is closed is nobody's fault.
      socket.on('error', () => undefined);
      socket.close();
      resolve(found);
    };
    const timer = setTimeout(() => end(null), TIMEOUT_MS);
    const onMessage = (bytes: Buffer): void => {
      const answer = read(bytes);
      if (!('next' in answer)) return end(answer);
      if (challenged) return end(null);
      challenged = true;
      socket.send(answer.next);
    };
    socket.once('error', () => end(null));
    socket.on('message', (bytes: Buffer) => {
      try {
        onMessage(bytes);
      } catch {
        end(null);
      }
    });
    // Connected: packets of others do not arrive.
    socket.connect(port, host, () => socket.send(first));
  });
}

const A2S_INFO = Buffer.from('\xff\xff\xff\xffTSource Engine Query\0', 'latin1');
const querySource = (host: string, port: number): Promise<PlayerCount | null> =>
  queryByPacket(host, port, A2S_INFO, (bytes) => {
    const answer = readInfo(bytes);
    return 'challenge' in answer ? { next: Buffer.concat([A2S_INFO, answer.challenge]) } : answer;
  });

/** Its kind, the time, the magic, and who asks: nobody in particular. */
const PING = Buffer.concat([Buffer.from([1, 0, 0, 0, 0, 0, 0, 0, 1]), MAGIC, Buffer.alloc(8)]);

/** Asks the game server at an address who plays on it; null where it does not say so within three seconds. Never throws. */
export const queryPlayers: PlayerQuery = async (game, { host, port }) => {
  if (game === 'minecraft') return queryMinecraft(host, port);
  return game === 'source' ? querySource(host, port) : queryByPacket(host, port, PING, readPong);
};
