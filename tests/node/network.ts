import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { RECIPE_IDS } from '#server/panel/index.ts';
import { okOf } from '../conformance/panel.world.ts';
import { pageAt, specOf, until, type NodeProcess } from './node-process.ts';

const [ID, OTHER] = ['0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7c0a', '0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7c0b'];
const [PORT, OTHER_PORT, PRODUCT_PORT] = [25_811, 25_812, 25_898];
/** A server that says, of each `host:port` it is asked about, whether it gets there: by TCP, and by a page of it. */
const APP = `const open = async (host, port) => {
  try { (await Bun.connect({ hostname: host, port, socket: { data() {} } })).end(); return true; } catch { return false; }
};
Bun.serve({ hostname: '0.0.0.0', port: Number(process.env.SERVER_PORT), async fetch(request) {
  const asked = new URL(request.url).searchParams.getAll('to');
  const reached = await Promise.all(asked.map(async (to) => {
    const at = to.lastIndexOf(':');
    return await Promise.race([open(to.slice(0, at), Number(to.slice(at + 1))), Bun.sleep(1500).then(() => false)]) ? to : null;
  }));
  return Response.json(reached.filter(Boolean));
} });`;

/** Addresses of this machine that others may reach it by, without those of the wires to servers. */
const ownAddresses = (): string[] =>
  Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    name.startsWith('spawn') ? [] : addresses.flatMap(({ family, address }) => (family === 'IPv4' ? [address] : [])),
  );
/** The machine's end of each wire to a server, and the server's own. */
const wires = (): string[] =>
  Object.entries(networkInterfaces())
    .filter(([name]) => name.startsWith('spawn'))
    .flatMap(([, addresses = []]) => addresses.filter(({ family }) => family === 'IPv4').map(({ address }) => address))
    .flatMap((address) => [address, address.replace(/\d+$/, (last) => String(Number(last) + 1))]);

/** Tests of what a server reaches in the network, on a node that runs. */
export function testNetwork(host: NodeProcess): void {
  const reaches = (wanted: string, id: string) => until(async () => okOf(await host.runtime.read(id)).state === wanted);
  const reachedBy = async (targets: readonly string[]): Promise<string[]> => {
    const query = targets.map((to) => `to=${encodeURIComponent(to)}`).join('&');
    return JSON.parse((await pageAt(PORT, `/?${query}`)) ?? 'null');
  };

  describe('the network of a server', () => {
    beforeAll(async () => {
      await host.runtime.put(specOf(OTHER, OTHER_PORT));
      await host.runtime.put(specOf(ID, PORT, { recipe: RECIPE_IDS[1] }));
      await reaches('running', ID);
      await reaches('running', OTHER);
      writeFileSync(join(host.folder, ID, 'home', 'index.ts'), APP);
      await until(async () => (await host.runtime.power(ID, 'restart')).outcome === 'ok');
      await until(async () => (await pageAt(PORT)) === '[]');
    });
    afterAll(async () => {
      for (const id of [ID, OTHER]) await host.runtime.remove(id);
    });

    test('N12 a server opens neither the product nor the metadata of a cloud, private networks, or other servers', async () => {
      // Somebody listens at every address of the machine, as the product and its database do, and is there.
      const listener = Bun.listen({ hostname: '0.0.0.0', port: PRODUCT_PORT, socket: { data: () => undefined } });
      for (const address of ownAddresses()) {
        const socket = await Bun.connect({ hostname: address, port: PRODUCT_PORT, socket: { data: () => undefined } });
        socket.end();
      }
      const closed = [
        ...[...ownAddresses(), ...wires(), hostname(), 'localhost', '0.0.0.0', '[::1]'].map(
          (address) => `${address}:${PRODUCT_PORT}`,
        ),
        // Another server where it lives, past the port that is open to all.
        ...wires()
          .map((address) => `${address}:${OTHER_PORT}`)
          .filter((to) => !to.startsWith('127.')),
        '169.254.169.254:80',
        '10.0.0.1:80',
        '172.16.0.1:80',
        '192.168.1.1:80',
        '100.64.0.1:80',
      ];
      // The machine's own ends of wires lead to what is open to all; the servers' ends do not.
      const opened = new Set(
        wires()
          .filter((_, index) => index % 2 === 0)
          .map((address) => `${address}:${OTHER_PORT}`),
      );
      expect(wires().length).toBeGreaterThanOrEqual(4);
      expect(await reachedBy(closed.filter((to) => !opened.has(to)))).toEqual([]);
      listener.stop(true);
    });

    test('N12 a server reaches another one by the port that is open to everybody', async () => {
      const [outside] = ownAddresses().filter((address) => !address.startsWith('127.'));
      // A machine without any address has no such port.
      const targets = outside === undefined ? [] : [`${outside}:${OTHER_PORT}`];
      expect(await reachedBy(targets)).toEqual(targets);
    });
  });
}
