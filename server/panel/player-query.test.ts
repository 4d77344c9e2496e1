import { afterEach, describe, expect, test } from 'bun:test';
import { createSocket, type RemoteInfo, type Socket as PacketSocket } from 'node:dgram';
import { createServer, type Server, type Socket } from 'node:net';
import { queryPlayers, readInfo, readPong, readStatus } from './player-query.ts';

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

/** A game server on a port of its own, which does with each connection what a test says; the port. */
async function listen(serve: (socket: Socket, sent: Buffer) => void): Promise<number> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (piece: Buffer) => serve(socket, piece));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => server.close());
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}
async function listenForPackets(serve: (answer: (bytes: Buffer) => void, sent: Buffer) => void): Promise<number> {
  const socket: PacketSocket = createSocket('udp4');
  socket.on('message', (sent: Buffer, { port, address }: RemoteInfo) =>
    serve((bytes) => socket.send(bytes, port, address), sent),
  );
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  open.push(() => socket.close());
  return socket.address().port;
}
const at = (port: number) => ({ host: '127.0.0.1', port });

const varint = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...varint(value >> 7)]);
/** The answer of a Minecraft server to a status request. */
function statusOf(content: unknown): Buffer {
  const json = Buffer.from(typeof content === 'string' ? content : JSON.stringify(content));
  const body = Buffer.concat([Buffer.from([0, ...varint(json.length)]), json]);
  return Buffer.concat([Buffer.from(varint(body.length)), body]);
}
const players = (online: unknown, max: unknown, names: readonly string[] = []) => ({
  version: { name: '1.21.8', protocol: 772 },
  description: { text: 'Welcome' },
  players: { online, max, sample: names.map((name) => ({ name, id: '00000000-0000-0000-0000-000000000000' })) },
});
/** The answer to A2S_INFO. */
const infoOf = (online: number, max: number): Buffer =>
  Buffer.from(
    `\xff\xff\xff\xffI\x11A server\0de_dust2\0csgo\0A game\0\xda\x02${String.fromCharCode(online, max)}\0dl\0`,
    'latin1',
  );
const MAGIC = Buffer.from('00ffff00fefefefefdfdfdfd12345678', 'hex');
const pongOf = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0x1c]), Buffer.alloc(16), MAGIC, Buffer.from([0, text.length]), Buffer.from(text)]);

describe('Minecraft', () => {
  test('a server says how many play and names some of them, also when its answer comes in pieces', async () => {
    const asked: Buffer[] = [];
    const answer = statusOf(players(23, 40, ['Mirela', '.Vlad_on_console', 'Mirela', '§aJoin our Discord', 'a b']));
    const port = await listen((socket, sent) => {
      asked.push(sent);
      socket.write(answer.subarray(0, 3));
      setTimeout(() => socket.write(answer.subarray(3, 60)), 5);
      setTimeout(() => socket.write(answer.subarray(60)), 10);
    });
    expect(await queryPlayers('minecraft', at(port))).toEqual({
      online: 23,
      max: 40,
      names: ['Mirela', '.Vlad_on_console'],
    });
    const [first = Buffer.alloc(0)] = asked;
    // The handshake: its length, its kind, version −1, the address, the port, and that the status is wanted.
    expect(first.subarray(1, 7).toString('hex')).toBe('00ffffffff0f');
    expect(first.subarray(8, 17).toString()).toBe('127.0.0.1');
    expect(first.readUInt16BE(17)).toBe(port);
    expect([...first.subarray(19)]).toEqual([1, 1, 0]);
  });

  test.each([
    ['says nothing of players', statusOf({ version: {} })],
    ['counts backwards', statusOf(players(-1, 20))],
    ['counts more than there are players', statusOf(players(4_000_000_000, 20))],
    ['counts in words', statusOf(players('many', 20))],
    ['sends no JSON', statusOf('<html>')],
    ['is a website', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['sends a number that never ends', Buffer.from([255, 255, 255, 255, 255, 255])],
    ['promises more than may be', Buffer.from([255, 255, 255, 127, 0])],
    ['names a text that is longer than its packet', Buffer.from([3, 0, 120, 65])],
  ])('a server that %s has no count', async (_, answer) => {
    const port = await listen((socket) => void socket.write(answer));
    expect(await queryPlayers('minecraft', at(port))).toBeNull();
  });

  test('a server that sends without end is left, having been read only so far', async () => {
    let taken = 0;
    const port = await listen((socket) => {
      // A length of 60,000, and then never enough.
      socket.write(Buffer.from([...varint(60_000), 0]));
      const more = () => {
        taken += 16_384;
        socket.write(Buffer.alloc(16_384, 65));
      };
      socket.on('drain', more);
      for (let n = 0; n < 8; n += 1) more();
    });
    expect(await queryPlayers('minecraft', at(port))).toBeNull();
    expect(taken).toBeGreaterThan(65_536);
  });

  test('nobody who listens, a server that hangs up and one that never answers have no count', async () => {
    const port = await listen((socket) => socket.destroy());
    expect(await queryPlayers('minecraft', at(port))).toBeNull();
    for (const close of open.splice(0)) close();
    expect(await queryPlayers('minecraft', at(port))).toBeNull();
    const silent = await listen(() => undefined);
    expect(await queryPlayers('minecraft', at(silent))).toBeNull();
  });

  test('no beginning of an answer is a fault, and none is a count', () => {
    const answer = statusOf(players(2, 20, ['Mirela']));
    for (let end = 0; end < answer.length; end += 1) expect(readStatus(answer.subarray(0, end))).toBeNull();
    expect(readStatus(answer)).toEqual({ online: 2, max: 20, names: ['Mirela'] });
  });
});

describe('the Source engine', () => {
  test('a server says how many play, at once or after its challenge', async () => {
    const port = await listenForPackets((answer) => answer(infoOf(7, 16)));
    expect(await queryPlayers('source', at(port))).toEqual({ online: 7, max: 16, names: [] });
    const careful = await listenForPackets((answer, sent) =>
      answer(
        sent.length > 25 && sent.subarray(25).equals(Buffer.from('9b1d', 'latin1'))
          ? infoOf(31, 32)
          : Buffer.from('\xff\xff\xff\xffA9b1d', 'latin1'),
      ),
    );
    expect(await queryPlayers('source', at(careful))).toEqual({ online: 31, max: 32, names: [] });
  });

  test('a server that challenges for ever is left after the second time', async () => {
    let asked = 0;
    const port = await listenForPackets((answer) => {
      asked += 1;
      answer(Buffer.from('\xff\xff\xff\xffA9b1d', 'latin1'));
    });
    expect(await queryPlayers('source', at(port))).toBeNull();
    expect(asked).toBe(2);
  });

  test('packets that are cut anywhere, in pieces or of another kind have no count', async () => {
    const whole = infoOf(7, 16);
    const counts = whole.indexOf('\xda\x02', 0, 'latin1') + 4;
    for (let end = 0; end < counts; end += 1) expect(() => readInfo(whole.subarray(0, end))).toThrow();
    const port = await listenForPackets((answer) => answer(Buffer.from('\xfe\xff\xff\xffI', 'latin1')));
    expect(await queryPlayers('source', at(port))).toBeNull();
    const other = await listenForPackets((answer) => answer(Buffer.from('\xff\xff\xff\xffD', 'latin1')));
    expect(await queryPlayers('source', at(other))).toBeNull();
  });
});

describe('Bedrock', () => {
  test('a server says how many play', async () => {
    const port = await listenForPackets((answer, sent) => {
      expect(sent.subarray(9, 25).equals(MAGIC)).toBe(true);
      answer(pongOf('MCPE;A; server;827;1.21.100;3;10;1;Bedrock level;Survival;1;19132;19133;'.replace('A; ', 'A ')));
    });
    expect(await queryPlayers('bedrock', at(port))).toEqual({ online: 3, max: 10, names: [] });
  });

  test('what is no answer to a ping has no count', () => {
    const whole = pongOf('MCPE;A server;827;1.21.100;3;10;1');
    for (let end = 0; end < 40; end += 1) expect(() => readPong(whole.subarray(0, end))).toThrow();
    expect(() => readPong(pongOf('MCPE;A server;827;1.21.100;many;10'))).toThrow();
    expect(() => readPong(Buffer.concat([Buffer.from([0x1d]), whole.subarray(1)]))).toThrow();
  });
});
