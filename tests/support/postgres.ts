import { SQL } from 'bun';
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { roomyFolder } from './folder.ts';
import { freePort } from './free-port.ts';

/** Address of a server to use instead of a private one: a role that may create databases. */
const GIVEN = 'TEST_POSTGRES_URL';
/** Whether the server is kept between runs. */
export const isServerGiven = process.env[GIVEN] !== undefined;
const ROOT_OF_DEBIAN = '/usr/lib/postgresql';
/** How long a busy machine may take to start a server. */
const PATIENCE_MS = 55_000;

let starting: Promise<string> | undefined;

/** Address of a PostgreSQL server for tests, without a database name. All test files of a run share one private server. */
export function postgresServer(): Promise<string> {
  starting ??= process.env[GIVEN] ? Promise.resolve(process.env[GIVEN]) : privateServer();
  return starting;
}

/** Makes an empty database or a copy of another. Out: its address. */
export async function makeDatabase(name: string, template = 'template0'): Promise<string> {
  const server = await postgresServer();
  // Copying files costs half of what writing them through the log does.
  await admin(server, `CREATE DATABASE "${name}" TEMPLATE "${template}" STRATEGY FILE_COPY`);
  return `${server}/${name}`;
}

/** Makes a database that others copy, unless another test file has: then waits until it is filled. */
export async function makeTemplate(name: string, fill: (url: string) => Promise<void>): Promise<void> {
  const server = await postgresServer();
  try {
    await admin(server, `CREATE DATABASE "${name}" TEMPLATE template0`);
  } catch (error) {
    // "Exists already", or the other's row was not yet visible.
    if (!(error instanceof SQL.PostgresError) || !['42P04', '23505'].includes(String(error.errno))) throw error;
    await poll(
      async () =>
        (await admin(server, `SELECT 1 FROM pg_database WHERE datname = '${name}' AND datistemplate`)).length > 0,
    );
    return;
  }
  await fill(`${server}/${name}`);
  await admin(server, `ALTER DATABASE "${name}" IS_TEMPLATE true`);
}

/**
 * Drops a database, whoever is still connected, while the test goes on: the server looks only every 100 ms whether the
 * last connection is gone. What is not dropped when the run ends goes with its folder; on a server that is kept nothing
 * is left behind.
 */
export async function dropDatabase(name: string): Promise<void> {
  const server = await postgresServer();
  dropping ??= connect(server);
  // A query is lazy: one that nobody awaits needs `execute` to start, else a run ends with 7 GB of databases in memory.
  const dropped = dropping.unsafe(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`).execute();
  if (isServerGiven) await dropped;
  else dropped.catch(() => {});
}
let dropping: SQL | undefined;

/** Runs a statement over one connection that this process keeps while it is used. */
async function admin(server: string, statement: string): Promise<unknown[]> {
  making ??= connect(server);
  return await making.unsafe(statement);
}
let making: SQL | undefined;

const connect = (server: string): SQL => new SQL(`${server}/postgres`, { max: 1 });

/** Waits until something is so. Throws when patience ends. */
async function poll(holds: () => boolean | Promise<boolean>): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (Date.now() > until) throw new Error('PostgreSQL for the tests did not get ready');
    await Bun.sleep(50);
  }
}

/**
 * The process of the whole run: the coordinator of parallel workers, else this one. Files of a run meet in a folder
 * named after it.
 */
const runPid = process.env['BUN_TEST_WORKER_ID'] ? process.ppid : process.pid;

async function privateServer(): Promise<string> {
  const uid = process.getuid?.() ?? 0;
  const folder = join(roomyFolder(), `spawnpoint-postgres-${uid}-${runPid}`);
  const address = join(folder, 'address');
  if (mine(folder)) await start(folder, address);
  await poll(() => existsSync(address) || existsSync(join(folder, 'failed')));
  if (!existsSync(address))
    throw new Error(`PostgreSQL did not start: ${readFileSync(join(folder, 'failed'), 'utf8')}`);
  return readFileSync(address, 'utf8').trim();
}

/** Whether this process is the first in the folder, and so the one to start the server. */
function mine(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o755 });
    return true;
  } catch (error) {
    if (!existsSync(folder)) throw error;
    const owners = [process.getuid?.() ?? 0, serverUser()?.uid];
    if (!owners.includes(statSync(folder).uid)) throw new Error(`${folder} belongs to somebody else`, { cause: error });
    return false;
  }
}

/** PostgreSQL refuses to run as root: then its own user runs it. */
export function serverUser(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((text) => text.startsWith('postgres:'));
  const [, , uid, gid] = line?.split(':') ?? [];
  if (!uid || !gid) throw new Error('the tests run as root, but there is no user postgres to run the server');
  return { uid: Number(uid), gid: Number(gid) };
}

/** Folder of initdb and postgres: the newest of Debian's, else that of the path. */
export function programs(): string {
  const versions = existsSync(ROOT_OF_DEBIAN) ? readdirSync(ROOT_OF_DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  for (const version of versions) {
    const folder = join(ROOT_OF_DEBIAN, version, 'bin');
    if (existsSync(join(folder, 'initdb'))) return folder;
  }
  const found = Bun.which('initdb');
  if (found) return join(found, '..');
  throw new Error(
    `the tests need PostgreSQL's server programs (Debian: apt-get install postgresql), or ${GIVEN} with the address of a server`,
  );
}

/**
 * Starts a cluster in the folder. It is on its own from then on: a test file's end does not take it along, the end of
 * the run does.
 */
async function start(folder: string, address: string): Promise<void> {
  const user = serverUser();
  const port = await freePort();
  const password = crypto.randomUUID();
  const files = { password, url: `postgres://spawnpoint:${password}@127.0.0.1:${port}`, 'run.sh': SCRIPT };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    if (user) chownSync(join(folder, name), user.uid, user.gid);
  }
  if (user) chownSync(folder, user.uid, user.gid);
  const drop = user ? `setpriv --reuid=${user.uid} --regid=${user.gid} --clear-groups` : '';
  const command = `cd "$2"; nohup ${drop} sh "$2/run.sh" "$@" >/dev/null 2>&1 </dev/null &`;
  await Bun.spawn(['sh', '-c', command, 'start', programs(), folder, String(port), String(runPid), address], {
    stdio: ['ignore', 'ignore', 'ignore'],
  }).exited;
}

/**
 * Durability is switched off: the engine's own is not what is tested, and it costs seconds. A watch ends the server
 * with the run, even after a kill; what runs left in memory whose watch was killed, too, is removed.
 */
const SCRIPT = `
BIN="$1"; DIR="$2"; PORT="$3"; RUN="$4"; ADDRESS="$5"
fail() { tail -n 5 "$DIR/log" > "$DIR/failed.new"; mv "$DIR/failed.new" "$DIR/failed"; }
alive() { if [ -d /proc/self ]; then [ -d "/proc/$1" ]; else ps -p "$1" >/dev/null; fi; }
for OLD in "\${DIR%-*}"-*; do alive "\${OLD##*-}" || rm -rf "$OLD" 2>/dev/null; done
if "$BIN/initdb" -D "$DIR/data" -U spawnpoint -A password --pwfile="$DIR/password" -E UTF8 --locale=C --no-sync >"$DIR/log" 2>&1; then
  "$BIN/postgres" -D "$DIR/data" -p "$PORT" -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off \\
    -c synchronous_commit=off -c full_page_writes=off -c deadlock_timeout=100ms -c max_connections=200 >"$DIR/log" 2>&1 &
  SERVER=$!
  until "$BIN/pg_isready" -q -h 127.0.0.1 -p "$PORT"; do kill -0 $SERVER 2>/dev/null && alive "$RUN" || break; sleep 0.1; done
  if kill -0 $SERVER 2>/dev/null; then mv "$DIR/url" "$ADDRESS"; else fail; fi
else
  fail
fi
while alive "$RUN"; do sleep 1; done
[ -n "$SERVER" ] && kill -QUIT $SERVER && wait $SERVER
rm -rf "$DIR"
`;
