import { describe, expect, test } from 'bun:test';
import {
  createPlayerCounts,
  ownQueryAddressOf,
  PLAYERS,
  protocolOf,
  queryAddressOf,
  type PlayerCount,
} from './players.ts';

const egg = (name: string, envs: readonly string[] = [], dockerImage = 'ghcr.io/example/yolks:java_21') => ({
  name,
  dockerImage,
  variables: envs.map((env) => ({
    env,
    name: env,
    description: '',
    default_value: '',
    rules: '',
    user_editable: true,
  })),
});

describe('how a server is asked who plays on it', () => {
  test.each([
    ['Paper', [], 'minecraft'],
    ['Forge Minecraft', [], 'minecraft'],
    ['Our modpack', ['SERVER_JARFILE', 'MINECRAFT_VERSION'], 'minecraft'],
    ['Bungeecord', [], 'minecraft'],
    ['Vanilla Bedrock', ['BEDROCK_VERSION'], 'bedrock'],
    ['PocketMine-MP', [], 'bedrock'],
    ['Counter-Strike: Global Offensive', ['SRCDS_MAP'], 'source'],
    ['Garrys Mod', [], 'source'],
    ['Rust', [], 'source'],
    ['Ark: Survival Evolved', [], 'source'],
    ['Node.js', ['MAIN_FILE'], null],
    ['Discord bot for a market', [], null],
    ['Terraria', [], null],
  ] as const)('an egg called %s with the variables %j is asked as %p', (name, envs, protocol) => {
    expect(protocolOf(egg(name, envs))).toBe(protocol);
  });

  test('software of this machine is known by its recipe, whatever it is called', () => {
    expect(protocolOf(egg('A name of ours', [], 'spawnpoint/minecraft-velocity'))).toBe('minecraft');
    expect(protocolOf(egg('Minecraft map viewer', ['MINECRAFT_VERSION'], 'spawnpoint/node-app'))).toBeNull();
  });

  test('a port that a variable names is asked only where it is one of the ports of its server', () => {
    const rust = egg('Rust', ['QUERY_PORT']);
    const withStandard = { ...rust, variables: rust.variables.map((each) => ({ ...each, default_value: '27016' })) };
    const ports = ['play.example.com:28015', 'play.example.com:27016', '[2001:db8::7]:7016'];
    const asked = (values: Record<string, string>, of = withStandard) => ownQueryAddressOf(of, values, ports);
    expect(asked({ QUERY_PORT: '28015' })).toBe('play.example.com:28015');
    expect(asked({ QUERY_PORT: '7016' })).toBe('[2001:db8::7]:7016');
    // What the egg says, where the owner says nothing.
    expect(asked({})).toBe('play.example.com:27016');
    // Somebody else's, a part of one of its own, and what is no port.
    for (const port of ['25565', '016', '2016', '', ' 27016', '27016 ', '-1', 'ssh', 'example.com:27016', ':27016'])
      expect([port, asked({ QUERY_PORT: port })]).toEqual([port, null]);
    expect(asked({}, rust)).toBeNull();
    expect(asked({ QUERY_PORT: '27016' }, egg('Rust'))).toBeNull();
    expect(ownQueryAddressOf(withStandard, {}, [])).toBeNull();
  });

  test('a server of this machine is asked at the loopback, one of a panel at its own address', () => {
    expect(queryAddressOf('play.example.com:25565', true)).toEqual({ host: '127.0.0.1', port: 25_565 });
    expect(queryAddressOf('play.example.com:25565', false)).toEqual({ host: 'play.example.com', port: 25_565 });
    expect(queryAddressOf('[2001:db8::7]:27015', false)).toEqual({ host: '2001:db8::7', port: 27_015 });
    for (const address of [null, '', 'play.example.com', ':25565', 'a:0', 'a:70000', 'a:123456'])
      expect(queryAddressOf(address, false)).toBeNull();
  });
});

describe('counts are remembered', () => {
  const COUNT: PlayerCount = { online: 3, max: 20, names: ['Mirela'] };
  function counting(answer: () => Promise<PlayerCount | null> = async () => COUNT) {
    let now = 1_000_000;
    let asked = 0;
    const counts = createPlayerCounts({ now: () => now }, () => {
      asked += 1;
      return answer();
    });
    const read = (key = 'a') => counts(key, async () => ['minecraft', { host: '127.0.0.1', port: 25_565 }]);
    return { counts, read, asked: () => asked, pass: (ms: number) => (now += ms) };
  }
  const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

  test('nobody waits for the first answer, and the next who asks has it', async () => {
    const { read, asked } = counting();
    expect(read()).toBeNull();
    await settle();
    expect(read()).toEqual(COUNT);
    expect(asked()).toBe(1);
  });

  test('a server is asked once in fifteen seconds however many read its page, and an old count is none', async () => {
    const { read, asked, pass } = counting();
    for (let n = 0; n < 50; n += 1) read();
    await settle();
    pass(PLAYERS.everyMs - 1);
    for (let n = 0; n < 50; n += 1) read();
    await settle();
    expect(asked()).toBe(1);
    pass(1);
    expect(read()).toEqual(COUNT);
    await settle();
    expect(asked()).toBe(2);
    pass(PLAYERS.staleMs);
    expect(read()).toBeNull();
  });

  test('a server that answers no more has no count from then on', async () => {
    let answer: PlayerCount | null = COUNT;
    const { read, pass } = counting(async () => answer);
    read();
    await settle();
    answer = null;
    pass(PLAYERS.everyMs);
    read();
    await settle();
    expect(read()).toBeNull();
  });

  test('at most so many are asked at a time, and the others at the next poll', async () => {
    let letGo: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (letGo = resolve));
    const { read, asked } = counting(async () => gate.then(() => COUNT));
    for (let n = 0; n < PLAYERS.atOnce + 10; n += 1) read(`server ${n}`);
    await settle();
    expect(asked()).toBe(PLAYERS.atOnce);
    letGo();
    await settle();
    read(`server ${PLAYERS.atOnce + 5}`);
    await settle();
    expect(asked()).toBe(PLAYERS.atOnce + 1);
  });

  test('a server about which the database cannot be asked now is asked about again', async () => {
    const { counts, read, asked } = counting();
    counts('a', () => Promise.reject(new Error('away')));
    await settle();
    expect(asked()).toBe(0);
    read();
    await settle();
    expect(read()).toEqual(COUNT);
  });

  test('servers beyond the most that are remembered push out those not asked for longest', async () => {
    const { read, asked } = counting();
    for (let n = 0; n <= PLAYERS.most; n += 1) {
      read(`server ${n}`);
      if (n % PLAYERS.atOnce === PLAYERS.atOnce - 1) await settle();
    }
    await settle();
    expect(asked()).toBe(PLAYERS.most + 1);
    expect(read(`server ${PLAYERS.most}`)).toEqual(COUNT);
    expect(read('server 0')).toBeNull();
  });
});
