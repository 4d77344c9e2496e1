import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_INSTALL_SCRIPT, type ContainerSpec } from '#shared/engine.ts';
import { type RuntimeServer, type RuntimeSpec } from '#server/panel/index.ts';
import { okOf } from '../conformance/panel.world.ts';
import { killProcessesOf, pageAt, processesOf, specOf, until, type NodeProcess } from './node-process.ts';
import { IMAGE, type TestEngine } from './podman.ts';

const [ID, OTHER, LEFT] = [
  '0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7ce1',
  '0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7ce2',
  '0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7ce3',
];
const [PORT, OTHER_PORT, PRODUCT_PORT] = [25_871, 25_872, 25_897];
const NAME = `spawnpoint-${ID}`;
/** Serves what its installation made, and writes back what it reads. */
const ECHO =
  'httpd -h www -p {{SERVER_PORT}}; echo ready; while read -r line; do echo "got $line"; [ "$line" = end ] && exit 0; done';
const INSTALL =
  'id -u; mkdir -p /mnt/server/www\r\necho "$GREETING" > /mnt/server/www/index.html; chmod 700 /mnt/server/www';

/** Tests of servers in containers, on a node that runs with Podman as it is. */
export function testContainers(host: NodeProcess, engine: TestEngine): void {
  let revision = 0;
  const read = async (id = ID): Promise<RuntimeServer> => okOf(await host.runtime.read(id));
  const reaches = (state: RuntimeServer['state'], id = ID) => until(async () => (await read(id)).state === state);
  const lines = async (id = ID): Promise<string[]> =>
    okOf(await host.runtime.console(id, 0, 0)).lines.map(({ text }) => text);
  const says = (text: string, id = ID) => until(async () => (await lines(id)).includes(text));
  const container = (startup: string, more: Partial<ContainerSpec> = {}): ContainerSpec => ({
    image: IMAGE,
    startup,
    stop: 'end',
    done: ['ready'],
    install: null,
    ...more,
  });
  /** What a server shall be, and that it is so at once. */
  async function put(made: ContainerSpec, more: Partial<RuntimeSpec> = {}): Promise<void> {
    revision += 1;
    const spec = specOf(ID, PORT, { recipe: 'container', revision, container: made, ...more });
    okOf(await host.runtime.put(spec));
  }
  /** Runs another command in the server that is there. */
  async function run(
    startup: string,
    more: Partial<RuntimeSpec> = {},
    made: Partial<ContainerSpec> = {},
  ): Promise<void> {
    await host.runtime.power(ID, 'kill');
    await reaches('offline');
    await put(container(startup, made), more);
    await until(async () => (await host.runtime.power(ID, 'start')).outcome === 'ok');
  }
  const home = (path = '') => join(host.folder, ID, 'home', path);
  const firstProcess = (id = ID) => readFileSync(join(host.folder, id, 'run', 'mark'), 'utf8').split(' ')[0] ?? '';

  describe('servers in containers', () => {
    beforeAll(async () => {
      await put(container(ECHO, { install: { image: IMAGE, shell: 'ash', script: INSTALL } }), {
        environment: { GREETING: 'Hello $(touch /home/container/was-run) "you"' },
      });
      await reaches('running');
    });
    afterAll(async () => {
      for (const id of [ID, OTHER]) await host.runtime.remove(id);
    });

    test('the machine says which engine it has, and that it runs images', async () => {
      const machine = okOf(await host.runtime.machine(null));
      expect(machine.engine).toMatchObject({ state: 'ready', name: 'Podman', socket: engine.socket });
      expect(machine.lacking.map(({ recipe }) => recipe)).not.toContain('container');
    });

    test('N23 an image is installed by its script and answers on its port; a variable is a value and nothing else', async () => {
      expect(await pageAt(PORT)).toBe('Hello $(touch /home/container/was-run) "you"\n');
      expect(existsSync(home('was-run'))).toBe(false);
      // Installed as root inside of its container, and its own afterwards.
      expect(await lines()).toContain('0');
      const { uid } = statSync(home());
      expect([statSync(home('www')).uid, statSync(home('www/index.html')).uid]).toEqual([uid, uid]);
      expect(uid).toBeGreaterThanOrEqual(2_000_000_000);
      const { memory, disk, totals } = await read();
      expect([memory > 0, disk > 0, totals.received > 0, totals.sent > 0]).toEqual([true, true, true, true]);
    });

    test('a command is read, and its word ends it', async () => {
      expect((await host.runtime.command(ID, 'hello')).outcome).toBe('ok');
      await says('got hello');
      await host.runtime.power(ID, 'stop');
      await reaches('offline');
      expect(await lines()).toContain('got end');
      expect((await read()).halt).toBeNull();
    });

    test('what the engine is asked to make has no rights, no device and no folder of the machine but its own', async () => {
      const orders = engine.orders.map((text) => JSON.parse(text));
      const run = join(host.folder, ID, 'run');
      const [installs, plays] = orders.slice(-2);
      expect(plays.HostConfig).toMatchObject({
        NetworkMode: 'none',
        Privileged: false,
        ReadonlyRootfs: true,
        CapDrop: ['ALL'],
        CapAdd: [],
        SecurityOpt: ['no-new-privileges'],
        IpcMode: 'private',
        Binds: [
          `${home()}:/home/container:rw`,
          `${run}/inside:/opt/spawnpoint:ro`,
          `${run}/resolv.conf:/etc/resolv.conf:ro`,
          `${run}/passwd:/etc/passwd:ro`,
          `${run}/group:/etc/group:ro`,
        ].map((bind) => bind.replace('/home/:', '/home:')),
      });
      expect(installs.HostConfig.CapAdd).toEqual(['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'SETGID', 'SETUID']);
      // What its owner set is in its environment, and nowhere else.
      for (const { Env, ...rest } of [installs, plays]) {
        expect(Env).toContain('GREETING=Hello $(touch /home/container/was-run) "you"');
        expect(JSON.stringify(rest)).not.toContain('Hello');
      }
    });

    test('N11 a server sees no file and no process of the machine, and has no rights', async () => {
      await run(
        'grep -E "^(Uid|CapEff|CapBnd|NoNewPrivs|Seccomp):" /proc/self/status; ls -d /proc/[0-9]*; touch /seen || echo closed; ls /var/run/docker.sock /run/podman /root/.ssh; echo ready; sleep 600',
      );
      await reaches('running');
      const { uid } = statSync(home());
      const said = await lines();
      const after = said.slice(said.lastIndexOf('starting'));
      for (const line of [
        `Uid:\t${uid}\t${uid}\t${uid}\t${uid}`,
        'CapEff:\t0000000000000000',
        'CapBnd:\t0000000000000000',
        'NoNewPrivs:\t1',
        'Seccomp:\t2',
        'closed',
      ])
        expect(after).toContain(line);
      expect(after.filter((line) => line.startsWith('/proc/')).length).toBeLessThanOrEqual(4);
      expect(after).toContain('ls: /var/run/docker.sock: No such file or directory');
      expect(after).toContain('ls: /run/podman: No such file or directory');
    });

    test('N12 a server opens neither the product nor the metadata of a cloud nor another server', async () => {
      const listener = Bun.listen({ hostname: '0.0.0.0', port: PRODUCT_PORT, socket: { data: () => undefined } });
      okOf(await host.runtime.put(specOf(OTHER, OTHER_PORT)));
      await reaches('running', OTHER);
      const { slot } = JSON.parse(readFileSync(join(host.folder, ID, 'state.json'), 'utf8'));
      const other = JSON.parse(readFileSync(join(host.folder, OTHER, 'state.json'), 'utf8')).slot;
      const at = (place: number, end: number) => `10.233.${(place * 4 + end) >> 8}.${(place * 4 + end) & 255}`;
      const targets = [
        `${at(slot, 1)} ${PRODUCT_PORT}`,
        `127.0.0.1 ${PRODUCT_PORT}`,
        `169.254.169.254 80`,
        `${at(other, 2)} 8080`,
        // A port that is open to all is open to servers as well.
        `${at(slot, 1)} ${OTHER_PORT}`,
      ];
      await run(
        `for to in ${targets.map((to) => `"${to}"`).join(' ')}; do nc -w 2 $to </dev/null >/dev/null 2>&1 && echo "reached $to"; done; echo ready; sleep 600`,
      );
      await reaches('running');
      listener.stop(true);
      expect((await lines()).filter((line) => line.startsWith('reached'))).toEqual([
        `reached ${at(slot, 1)} ${OTHER_PORT}`,
      ]);
      okOf(await host.runtime.remove(OTHER));
    });

    test('N16 it lives on when the node is killed, is found again and is not started twice', async () => {
      await run(ECHO);
      await reaches('running');
      const [before, made] = [processesOf(ID), engine.orders.length];
      await host.end('SIGKILL');
      expect(await pageAt(PORT)).toContain('Hello');
      await host.start();
      await reaches('running');
      expect(processesOf(ID)).toEqual(before);
      expect((await host.runtime.command(ID, 'again')).outcome).toBe('ok');
      await says('got again');
      expect([engine.orders.length, (await engine.containers()).filter((name) => name === NAME)]).toEqual([
        made,
        [NAME],
      ]);
    });

    test('N16 a container that waits for its beginning when the node is killed is ended, and another one begins', async () => {
      await host.runtime.power(ID, 'stop');
      await reaches('offline');
      engine.faults.push({ on: /^POST .*\/start$/, how: 'held' });
      await host.runtime.power(ID, 'start');
      await until(() => engine.faults.length === 0);
      await until(() => engine.isRunning(NAME));
      await host.end('SIGKILL');
      engine.answerHeld();
      await host.start();
      await reaches('running');
      expect(await pageAt(PORT)).toContain('Hello');
      expect((await engine.containers()).filter((name) => name === NAME)).toEqual([NAME]);
    });

    test('N20 fifty starts at once make one container', async () => {
      await host.runtime.power(ID, 'stop');
      await reaches('offline');
      const made = engine.orders.length;
      await Promise.all(Array.from({ length: 50 }, () => host.runtime.power(ID, 'start')));
      await reaches('running');
      expect(engine.orders.length).toBe(made + 1);
    });

    test('N15 what goes on in the background ends with it, and an end of its own is a crash', async () => {
      await run('( trap "" TERM INT HUP; sleep 600 ) & echo ready; sleep 1; exit 3');
      await until(async () => (await read()).halt?.reason === 'crashed');
      await host.runtime.power(ID, 'kill');
      await until(() => processesOf(ID).length === 0);
      expect((await read()).state).toBe('offline');
    });

    test('N17 a killed first process ends the rest, and the server starts again', async () => {
      await run(ECHO);
      await reaches('running');
      const before = firstProcess();
      process.kill(Number(before), 'SIGKILL');
      await until(async () => (await read()).state === 'running' && firstProcess() !== before);
      await until(async () => (await pageAt(PORT))?.includes('Hello') === true);
    });

    test('N18 after a power cut a server that shall run begins again', async () => {
      const before = firstProcess();
      await host.end('SIGKILL');
      killProcessesOf(ID);
      await host.start();
      await until(async () => (await read()).state === 'running' && firstProcess() !== before);
      await until(async () => (await pageAt(PORT))?.includes('Hello') === true);
    });

    test('N1 a fork bomb stands at its limit, and ends when it is killed', async () => {
      await run('echo ready; n=0; while [ $n -lt 2000 ]; do sleep 600 & n=$((n+1)); done; sleep 600');
      await until(() => processesOf(ID).length > 100);
      expect(processesOf(ID).length).toBeLessThanOrEqual(512);
      await host.runtime.power(ID, 'kill');
      await until(() => processesOf(ID).length === 0);
      await reaches('offline');
    });

    test('N2 N3 a server that takes too much memory ends, in a temporary file as well', async () => {
      await run(
        'echo ready; dd if=/dev/zero of=/dev/shm/all bs=1M count=60; dd if=/dev/zero of=/tmp/all bs=1M count=90; exit 1',
        { memory: 64 },
      );
      await until(async () => (await read()).halt?.reason === 'out_of_memory');
      await host.runtime.power(ID, 'kill');
      await reaches('offline');
    });

    test('N2 a crash after an end for lack of memory is a crash', async () => {
      await run('echo ready; exit 3');
      await until(async () => (await read()).halt !== null);
      expect((await read()).halt?.reason).toBe('crashed');
      await host.runtime.power(ID, 'kill');
      await reaches('offline');
    });

    test('limits of a container that runs change with those of its server, and a suspension ends it', async () => {
      await run(ECHO);
      await reaches('running');
      await put(container(ECHO), { memory: 512, cpu: 50 });
      const limit = [
        `/sys/fs/cgroup/memory/spawnpoint/${ID}/memory.limit_in_bytes`,
        `/sys/fs/cgroup/spawnpoint/${ID}/memory.max`,
      ].find((path) => existsSync(path));
      await until(() => Number(readFileSync(limit ?? '', 'utf8')) === Math.ceil(512 * 1.1) * 1_048_576);
      await put(container(ECHO), { suspended: true });
      await reaches('offline');
      expect(processesOf(ID)).toEqual([]);
      await put(container(ECHO));
    });

    test('N22 an installation that fails, or writes more than its server may, is ended, and its console says why', async () => {
      const install = (script: string) => ({ install: { image: IMAGE, shell: 'sh', script } }) as const;
      await put(container(ECHO, install('echo no; exit 4')), { installation: 2 });
      await reaches('install_failed');
      // Files of a folder that only root may look into are counted as well.
      const fills =
        'mkdir -p /mnt/server/full; chmod 700 /mnt/server/full; for n in 1 2 3 4 5; do dd if=/dev/zero of=/mnt/server/full/$n bs=1M count=20; sleep 1; done; sleep 600';
      await put(container(ECHO, install(fills)), { installation: 3 });
      await says('The installation was ended: it needs more disk than there is.');
      await reaches('install_failed');
      await put(container(ECHO, install('rm -rf /mnt/server/full')), { installation: 4 });
      await reaches('running');
    });

    test('answers of the engine that are lost, broken off or refused start nothing twice and leave nothing behind', async () => {
      const again = async () => {
        await host.runtime.power(ID, 'kill');
        await reaches('offline');
        expect((await host.runtime.power(ID, 'start')).outcome).toBe('ok');
      };
      // Made or started, but the answer never came: it is found.
      for (const on of [/\/containers\/create$/, /^POST .*\/start$/])
        for (const how of ['lost', 'broken', 'repeated'] as const) {
          engine.faults.push({ on, how });
          await again();
          await reaches('running');
          expect(await pageAt(PORT)).toContain('Hello');
        }
      // Refused, or nobody knows what it is: nothing is left, and its owner hears of it.
      for (const on of [/\/containers\/create$/, /^POST .*\/start$/, /^GET .*\/containers\/.*\/json$/]) {
        engine.faults.push({ on, how: 'refused' });
        await again();
        await until(async () => (await read()).halt?.reason === 'start_failed');
        expect(processesOf(ID)).toEqual([]);
        expect(await engine.containers()).not.toContain(NAME);
      }
    });

    test('an image that is not there any more is said, and a container of a server that is not there is removed', async () => {
      await run(ECHO, {}, { image: 'localhost/nobody/knows:1' });
      await until(async () => (await read()).halt?.reason === 'start_failed');
      expect(await lines()).toContain('There is no image localhost/nobody/knows:1.');
      await engine.make(`spawnpoint-${LEFT}`, { 'spawnpoint.server': LEFT, 'spawnpoint.folder': host.folder });
      expect(await engine.containers()).toContain(`spawnpoint-${LEFT}`);
    });

    test('while the engine does not answer servers go on, none starts, and those that shall start when it is back', async () => {
      await run(ECHO);
      await reaches('running');
      await engine.stop();
      await until(async () => okOf(await host.runtime.machine(null)).engine.state !== 'ready');
      expect(await pageAt(PORT)).toContain('Hello');
      await host.runtime.power(ID, 'restart');
      await until(async () => (await read()).halt?.reason === 'engine');
      expect(processesOf(ID)).toEqual([]);
      // An installation waits for it as well.
      await put(container(ECHO, { install: { image: IMAGE, shell: 'sh', script: 'echo installed' } }), {
        installation: 5,
      });
      await says('It waits for Docker or Podman.');
      await engine.start();
      await reaches('running');
      expect(await pageAt(PORT)).toContain('Hello');
      // Found when it came back.
      await until(async () => !(await engine.containers()).includes(`spawnpoint-${LEFT}`));
    });

    test('N18 when the engine ends with its containers, as for an update, those that ran start again with it', async () => {
      await run(ECHO);
      await reaches('running');
      // The node has not looked yet, and believes that it is there.
      await engine.stop();
      killProcessesOf(ID);
      await until(async () => (await read()).halt?.reason === 'engine');
      await engine.start();
      await until(async () => (await pageAt(PORT))?.includes('Hello') === true);
      expect((await read()).state).toBe('running');
    });

    test('what an engine that came back still has of a server that rests is removed', async () => {
      await host.runtime.power(ID, 'stop');
      await reaches('offline');
      await engine.make(`${NAME}-left`, { 'spawnpoint.server': ID, 'spawnpoint.folder': host.folder });
      await engine.stop();
      await until(async () => okOf(await host.runtime.machine(null)).engine.state !== 'ready');
      await engine.start();
      await until(async () => (await engine.containers()).every((name) => !name.startsWith(NAME)));
    });

    test('N25 after its deletion no process, container, group, network or file of it is left', async () => {
      const { slot } = JSON.parse(readFileSync(join(host.folder, ID, 'state.json'), 'utf8'));
      okOf(await host.runtime.remove(ID));
      expect(await engine.containers()).not.toContain(NAME);
      expect(processesOf(ID)).toEqual([]);
      expect([existsSync(join(host.folder, ID)), existsSync(`/run/netns/spawn${slot}`)]).toEqual([false, false]);
    });

    test('N24 what the socket of the node takes is bounded: no other recipe has a container, and no image is a path or an option', async () => {
      const refused = async (more: Partial<RuntimeSpec>) =>
        (
          await host.runtime.put(
            specOf(OTHER, OTHER_PORT, { recipe: 'container', container: container(ECHO), ...more }),
          )
        ).outcome;
      for (const image of ['/etc/passwd', '--privileged', 'a b', 'x?y=1', '../../x', 'A'.repeat(300)])
        expect([image, await refused({ container: container(ECHO, { image }) })]).toEqual([image, 'refused']);
      expect(await refused({ recipe: 'bun-app' })).toBe('refused');
      expect(await refused({ container: null })).toBe('refused');
      expect(await refused({ container: container('one\ntwo') })).toBe('refused');
      // N24 A script that is too long, by a little or by far.
      for (const length of [MAX_INSTALL_SCRIPT + 1, 10_000_000]) {
        const install = { image: IMAGE, shell: 'sh', script: 'x'.repeat(length) } as const;
        expect(await refused({ container: container(ECHO, { install }) })).toBe('refused');
      }
      expect((await host.runtime.read(OTHER)).outcome).toBe('not_found');
    });
  });
}

/** Tests of a node whose machine has no engine. */
export function testNoEngine(host: NodeProcess): void {
  test('a machine without Docker and Podman says so, and that it runs no images', async () => {
    const { engine, lacking } = okOf(await host.runtime.machine(null));
    expect(engine.state).toBe('absent');
    expect(lacking).toContainEqual({ recipe: 'container', needs: null });
  });
}
