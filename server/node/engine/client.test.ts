import { afterEach, expect, spyOn, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EngineError } from './calls.ts';
import { createEngine } from './client.ts';
import { loadImage } from './images.ts';

const says = (server: string, api: string) => (response: ServerResponse) =>
  void response.writeHead(200, { server, 'api-version': api, 'content-type': 'text/plain' }).end('OK');
// Answers as Podman 4.3.1 and Docker 20.10.24 gave them on one machine, shortened to what is read.
const DOCKER = says('Docker/20.10.24 (linux)', '1.41');
const PODMAN = says('Libpod/4.3.1 (linux)', '1.41');
const INFO = { OSType: 'linux', SecurityOptions: ['name=seccomp,profile=default'], DockerRootDir: '/var/lib/docker' };
const ID = `sha256:${'a'.repeat(64)}`;
const IMAGE = { Id: ID, Config: { Entrypoint: ['/usr/bin/tini', '-g', '--'], Cmd: ['/entrypoint.sh'] } };

type Answer = unknown | ((response: ServerResponse) => void);
let server: Server | null = null;
let folder = '';
/** An engine behind a socket of its own, which answers by `METHOD path`; what has no answer is 404. */
async function standIn(answers: Record<string, Answer>) {
  folder = mkdtempSync(join(tmpdir(), 'spawnpoint-engine-'));
  const socket = join(folder, 'engine.sock');
  const asked: string[] = [];
  server = createServer((request, response) => {
    const call = `${request.method} ${request.url?.replace('/v1.41', '')}`;
    asked.push(call);
    const answer = answers[call] ?? answers[call.split('?')[0] ?? ''];
    if (typeof answer === 'function') return void answer(response);
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? { message: 'no such thing' }));
  });
  await new Promise<void>((done) => server?.listen(socket, done));
  return { engine: createEngine(socket), asked, socket };
}
afterEach(() => {
  server?.close();
  server?.closeAllConnections();
  server = null;
  if (folder !== '') rmSync(folder, { recursive: true, force: true });
});
const faultOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );
const status = (code: number, message: string) => (response: ServerResponse) => {
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ message }));
};

test('an engine is ready where it speaks the API, is root on this machine and filters system calls', async () => {
  const states: [unknown, unknown, string, string][] = [
    [DOCKER, INFO, 'ready', 'Docker'],
    [PODMAN, INFO, 'ready', 'Podman'],
    [says('Docker/29.1.0 (linux)', '1.51'), INFO, 'ready', 'Docker'],
    [says('Docker/40.0.0 (linux)', '2.0'), INFO, 'ready', 'Docker'],
    [says('Docker/19.03.1 (linux)', '1.40'), INFO, 'old', 'Docker'],
    [says('Docker/0.5.0 (linux)', '1.5'), INFO, 'old', 'Docker'],
    [DOCKER, { ...INFO, SecurityOptions: ['name=seccomp,profile=default', 'name=rootless'] }, 'rootless', 'Docker'],
    [DOCKER, { ...INFO, SecurityOptions: ['name=seccomp,profile=default', 'name=userns'] }, 'rootless', 'Docker'],
    [DOCKER, { ...INFO, SecurityOptions: ['name=apparmor'] }, 'unfiltered', 'Docker'],
    [DOCKER, { ...INFO, SecurityOptions: null }, 'unfiltered', 'Docker'],
    [DOCKER, { ...INFO, OSType: 'windows' }, 'rootless', 'Docker'],
    [{ hello: 1 }, INFO, 'silent', ''],
    [DOCKER, undefined, 'silent', ''],
  ];
  for (const [version, info, state, name] of states) {
    const { engine } = await standIn({ 'GET /_ping': version, 'GET /info': info });
    expect(await engine.probe()).toBe(state === 'ready');
    expect(engine.facts()).toMatchObject({ state, name });
    expect(engine.isReady()).toBe(state === 'ready');
    server?.close();
    server?.closeAllConnections();
  }
});

test('without a socket there is none, and by the word of the operator either', async () => {
  const engine = createEngine('/nowhere/engine.sock');
  expect([await engine.probe(), engine.facts().state]).toEqual([false, 'absent']);
  const off = createEngine('off');
  expect([await off.probe(), off.facts().state, off.isReady()]).toEqual([false, 'off', false]);
  // Nothing else on this machine is asked in its place.
  expect(await faultOf(off.remove('a'))).toEqual(new EngineError(0, 'there is no engine'));
});

test('an engine that came is reported once, and one that went is seen', async () => {
  const answers: Record<string, Answer> = { 'GET /_ping': PODMAN, 'GET /info': INFO };
  const { engine, asked } = await standIn(answers);
  expect([await engine.probe(), await engine.probe()]).toEqual([true, false]);
  // What takes an engine long to say is asked for once, and again where another one is in its place.
  expect(asked).toEqual(['GET /_ping', 'GET /info', 'GET /_ping']);
  answers['GET /_ping'] = DOCKER;
  answers['GET /info'] = { ...INFO, SecurityOptions: null };
  expect([await engine.probe(), engine.facts().name, engine.facts().state]).toEqual([false, 'Docker', 'unfiltered']);
  answers['GET /info'] = INFO;
  expect(await engine.probe()).toBe(true);
  server?.close();
  server?.closeAllConnections();
  expect([await engine.probe(), engine.isReady()]).toEqual([false, false]);
});

test('an engine that somebody had no answer from is none until it is looked again', async () => {
  const { engine } = await standIn({ 'GET /_ping': PODMAN, 'GET /info': INFO });
  engine.doubt();
  expect(engine.facts().state).toBe('absent');
  await engine.probe();
  engine.doubt();
  expect(engine.facts()).toMatchObject({ state: 'silent', name: 'Podman' });
  expect([await engine.probe(), engine.isReady()]).toEqual([true, true]);
});

test('what is not there is null; what is refused, broken off or not what the API says is a fault with its status', async () => {
  let looks = 0;
  const { engine } = await standIn({
    'GET /_ping': DOCKER,
    'GET /info': INFO,
    'GET /images/odd/json': { Id: '../../etc', Config: {} },
    'POST /containers/create': status(409, 'The container name is in use'),
    'POST /containers/a/start': (response: ServerResponse) => void response.writeHead(304).end(),
    'POST /containers/b/start': status(500, 'crun: no'),
    'GET /containers/c/json': (response: ServerResponse) => {
      response.writeHead(200, { 'content-length': '500' });
      response.write('{"Id":"', () => response.destroy());
    },
    'DELETE /containers/d': status(409, 'removal of container d is already in progress'),
    'GET /containers/d/json': (response: ServerResponse) => {
      looks += 1;
      if (looks < 3) response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      else status(404, 'no such container')(response);
    },
  });
  await engine.probe();
  expect(await engine.image('none')).toBeNull();
  expect(await engine.container('none')).toBeNull();
  await engine.start('a');
  await engine.remove('none');
  const faults = await Promise.all([
    faultOf(engine.image('odd')),
    faultOf(engine.create('x', {})),
    faultOf(engine.start('b')),
    faultOf(engine.container('c')),
  ]);
  expect(faults.map((fault) => (fault instanceof EngineError ? fault.status : fault))).toEqual([200, 409, 500, 0]);
  // What somebody else removes already is waited for.
  await engine.remove('d');
  expect(looks).toBe(3);
});

test('an image is loaded with one tag and begun with its own words, and its progress is in the console', async () => {
  const layers = [
    { id: 'a', progressDetail: { current: 10, total: 100 } },
    { id: 'b', progressDetail: { current: 100, total: 100 } },
    { status: 'Pull complete', id: 'a', progressDetail: {} },
    'no progress',
  ];
  const { engine, asked } = await standIn({
    'GET /_ping': DOCKER,
    'GET /info': INFO,
    'POST /images/create': (response: ServerResponse) =>
      void response.end(layers.map((each) => `${JSON.stringify(each)}\n`).join('')),
    [`GET /images/${encodeURIComponent('ghcr.io/a/b')}/json`]: IMAGE,
  });
  await engine.probe();
  const said: string[] = [];
  const print = (text: string) => said.push(text);
  expect(await loadImage('ghcr.io/a/b', { engine, print, stopped: () => null })).toEqual({
    id: ID,
    argv: ['/usr/bin/tini', '-g', '--', '/entrypoint.sh'],
    isLookedAfter: false,
  });
  expect(asked).toContain(`POST /images/create?fromImage=${encodeURIComponent('ghcr.io/a/b:latest')}`);
  expect(said).toEqual(['Image ghcr.io/a/b', 'Image ghcr.io/a/b: 10 %']);
});

test('an image that its registry does not give is the one that is here, or none; a pull that is stopped ends at once', async () => {
  const { engine } = await standIn({
    'GET /_ping': DOCKER,
    'GET /info': INFO,
    'POST /images/create?fromImage=here%3A1': (response: ServerResponse) =>
      void response.end('{"error":"no route to host"}\n'),
    'GET /images/here%3A1/json': IMAGE,
    'POST /images/create?fromImage=gone%3A1': status(404, 'manifest unknown'),
    // It goes on for ever.
    'POST /images/create?fromImage=slow%3A1': (response: ServerResponse) =>
      void response.write('{"status":"Pulling"}\n'),
  });
  await engine.probe();
  const said: string[] = [];
  const print = (text: string) => said.push(text);
  const load = (name: string, stopped: () => string | null = () => null) => loadImage(name, { engine, print, stopped });
  expect(await load('here:1')).toMatchObject({ id: ID });
  expect(await load('gone:1')).toEqual({ failed: 'There is no image gone:1.' });
  expect(await load('slow:1', () => 'It was ended.')).toEqual({ failed: 'It was ended.' });
  expect(said).toContain('Image here:1 was not loaded: no route to host');
  expect(said).toContain('Image gone:1 was not loaded: manifest unknown');
});

test('nobody looks on after an image was loaded, from a registry or from this machine', async () => {
  const { engine } = await standIn({ 'GET /_ping': DOCKER, 'GET /info': INFO });
  await engine.probe();
  const [begun, ended] = [spyOn(globalThis, 'setInterval'), spyOn(globalThis, 'clearInterval')];
  try {
    for (const name of ['here:1', 'localhost/here:1'])
      await loadImage(name, { engine, print: () => undefined, stopped: () => null });
    expect(begun.mock.results.map(({ value }) => value)).toEqual(ended.mock.calls.map(([timer]) => timer));
  } finally {
    begun.mockRestore();
    ended.mockRestore();
  }
});
