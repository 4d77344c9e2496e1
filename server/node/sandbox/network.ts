import { isIP } from 'node:net';
import { existsSync } from 'node:fs';
import { readText, tryWrite } from '../files.ts';

/** A server's place in the network: its slot, and the ports of the machine that lead to it. */
interface NetworkPlace {
  readonly slot: number;
  readonly ports: readonly number[];
}

/** Slots there are: addresses of 10.233.0.0/16 in groups of four. */
export const SLOTS = 16_384;
/** What no server reaches: other servers, private and shared networks, and what clouds tell machines about themselves. */
const CLOSED = '10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 169.254.0.0/16, 100.64.0.0/10, 127.0.0.0/8';

const LOOK_MS = 20;

/** Name of a server's network, which is that of its end of the wire on the machine as well (15 characters at most). */
export const networkName = (slot: number) => `spawn${slot}`;
/** The address at which a server reaches the ports of this machine that are open to all. */
export const gatewayOf = (slot: number): string => addressOf(slot, 1);
function addressOf(slot: number, host: 1 | 2): string {
  const at = slot * 4 + host;
  return `10.233.${at >> 8}.${at & 255}`;
}

async function run(argv: readonly string[], input?: string): Promise<void> {
  const child = Bun.spawn([...argv], {
    stdin: input === undefined ? 'ignore' : new TextEncoder().encode(input),
    stdout: 'ignore',
    stderr: 'pipe',
  });
  const [said, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  if (code !== 0) throw new Error(`${argv.slice(0, 3).join(' ')} ended with ${code}: ${said.trim().slice(0, 300)}`);
}

/** Name servers of the machine that are not the machine itself. */
function nameServers(): string[] {
  // Where a resolver runs on the machine, this file has what it asks.
  const text = readText('/run/systemd/resolve/resolv.conf') || readText('/etc/resolv.conf');
  return [...text.matchAll(/^nameserver\s+(\S+)/gm)].flatMap(([, address = '']) =>
    isIP(address) === 4 && !address.startsWith('127.') ? [address] : [],
  );
}

/** Makes the stack of a process that was begun without a network that of its server, and puts the wire in. */
export async function enterNetwork(slot: number, pid: number): Promise<void> {
  await run(['ip', 'netns', 'attach', networkName(slot), String(pid)]);
  await ensureNetwork(slot);
}
/**
 * Whether a wire is there as a whole: its end at the machine is switched on last, so that one whose maker was killed in
 * between is known.
 */
const isWired = (name: string): boolean => (Number(readText(`/sys/class/net/${name}/flags`)) & 1) === 1;
/** Makes the network of a server where it is not there yet: a stack of its own, and a wire to the machine. */
export async function ensureNetwork(slot: number): Promise<void> {
  const name = networkName(slot);
  if (!existsSync(`/run/netns/${name}`)) await run(['ip', 'netns', 'add', name]);
  if (!isWired(name)) {
    if (existsSync(`/sys/class/net/${name}`)) await run(['ip', 'link', 'del', name]);
    await run(['ip', 'link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name]);
    await run(['ip', 'addr', 'add', `${addressOf(slot, 1)}/30`, 'dev', name]);
    const inside = ['ip', '-n', name];
    await run([...inside, 'addr', 'add', `${addressOf(slot, 2)}/30`, 'dev', 'eth0']);
    await run([...inside, 'link', 'set', 'lo', 'up']);
    await run([...inside, 'link', 'set', 'eth0', 'up']);
    await run([...inside, 'route', 'add', 'default', 'via', addressOf(slot, 1)]);
    await run(['ip', 'link', 'set', name, 'up']);
  }
  tryWrite('/proc/sys/net/ipv4/ip_forward', 1);
  // Ports of a server answer on this machine's 127.0.0.1 as well.
  tryWrite(`/proc/sys/net/ipv4/conf/${name}/route_localnet`, 1);
}

/** Numbers of the processes that stand in a server's network, whatever group they are in. */
async function standingIn(name: string): Promise<number[]> {
  if (!existsSync(`/run/netns/${name}`)) return [];
  const child = Bun.spawn(['ip', 'netns', 'pids', name], { stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' });
  const text = await new Response(child.stdout).text();
  return text.split('\n').filter(Boolean).map(Number);
}
/** Ends everything that stands in the network of a server. Out: whether nobody is left. */
export async function emptyNetwork(slot: number, ms: number): Promise<boolean> {
  const name = networkName(slot);
  for (let waited = 0; ; waited += LOOK_MS) {
    const left = await standingIn(name);
    if (left.length === 0) return true;
    if (waited >= ms) return false;
    for (const pid of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended by itself.
      }
    }
    await Bun.sleep(LOOK_MS);
  }
}

/** Bytes that a server has received and sent since its network was made; zeros without one. */
export function networkTotals(slot: number): { readonly received: number; readonly sent: number } {
  // Seen from the machine's end of the wire: what leaves there is received by the server.
  const count = (name: 'rx_bytes' | 'tx_bytes') =>
    Number(readText(`/sys/class/net/${networkName(slot)}/statistics/${name}`).trim()) || 0;
  return { received: count('tx_bytes'), sent: count('rx_bytes') };
}

/** Removes the network of a server. Out: whether it is gone. */
export async function removeNetwork(slot: number): Promise<boolean> {
  const name = networkName(slot);
  if (existsSync(`/sys/class/net/${name}`)) await run(['ip', 'link', 'del', name]).catch(() => undefined);
  if (existsSync(`/run/netns/${name}`)) await run(['ip', 'netns', 'del', name]).catch(() => undefined);
  return !existsSync(`/run/netns/${name}`) && !existsSync(`/sys/class/net/${name}`);
}

/**
 * The rules for all servers: each port leads to its server, with the player's own address; servers reach the internet
 * and the name servers, but neither this machine nor private networks nor each other but by a port that is open to
 * all.
 */
function networkRules(places: readonly NetworkPlace[], resolvers: readonly string[]): string {
  const forward = places.flatMap(({ slot, ports }) =>
    ports.map((port) => `meta l4proto { tcp, udp } th dport ${port} dnat ip to ${addressOf(slot, 2)}:${port}`),
  );
  const names =
    resolvers.length > 0
      ? `iifname "spawn*" ip daddr { ${resolvers.join(', ')} } meta l4proto { tcp, udp } th dport 53 accept`
      : '';
  return `table inet spawnpoint
delete table inet spawnpoint
table inet spawnpoint {
  chain prerouting {
    type nat hook prerouting priority dstnat
    ${forward.map((rule) => `fib daddr type local ${rule}`).join('\n    ')}
  }
  chain output {
    type nat hook output priority -100
    ${forward.map((rule) => `fib daddr type local ${rule}`).join('\n    ')}
  }
  chain postrouting {
    type nat hook postrouting priority srcnat
    ip saddr 10.233.0.0/16 oifname != "spawn*" masquerade
    ip saddr 127.0.0.0/8 oifname "spawn*" masquerade
  }
  chain forward {
    type filter hook forward priority filter
    ct state established,related accept
    ct status dnat accept
    ${names}
    iifname "spawn*" ip daddr { ${CLOSED} } reject
    iifname "spawn*" meta nfproto ipv6 reject
    oifname "spawn*" iifname != "spawn*" drop
  }
  chain input {
    type filter hook input priority filter
    iifname "spawn*" ct state established,related accept
    iifname "spawn*" reject
  }
}
`;
}

/** Puts the rules in the place of those that hold, at once. Throws where nft does not take them. */
export const applyRules = (places: readonly NetworkPlace[]) =>
  run(['nft', '-f', '-'], networkRules(places, nameServers()));

/** Whether a port of this machine can be listened on, for TCP and UDP: what another program has is not ours to forward. */
export async function isPortFree(port: number): Promise<boolean> {
  try {
    Bun.listen({ hostname: '0.0.0.0', port, socket: { data: () => undefined } }).stop(true);
    (await Bun.udpSocket({ hostname: '0.0.0.0', port })).close();
    return true;
  } catch {
    return false;
  }
}
