import { SQL } from 'bun';
import { chmodSync, existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Address of a server to use instead of a private one: a role that may create databases. */
const GIVEN = 'TEST_POSTGRES_URL';
/** Where this process keeps the address of the server it started; the environment outlives a test file's own globals. */
const STARTED = 'SPAWNPOINT_TEST_POSTGRES';
const ROOT_OF_DEBIAN = '/usr/lib/postgresql';

let starting: Promise<string> | undefined;

/** Address of a PostgreSQL server for tests, without a database name. Starts a private one at the first call of a process. */
export function postgresServer(): Promise<string> {
  const known = process.env[GIVEN] ?? process.env[STARTED];
  if (known) return Promise.resolve(known);
  starting ??= start();
  return starting;
}

/** Makes an empty database or a copy of another. Out: its address. */
export async function makeDatabase(name: string, template = 'template0'): Promise<string> {
  const server = await postgresServer();
  await admin(server, `CREATE DATABASE "${name}" TEMPLATE "${template}"`);
  return `${server}/${name}`;
}

/** Drops a database, whoever is still connected. */
export async function dropDatabase(name: string): Promise<void> {
  await admin(await postgresServer(), `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
}

async function admin(server: string, statement: string): Promise<void> {
  const sql = new SQL(`${server}/postgres`, { max: 1 });
  try {
    await sql.unsafe(statement);
  } finally {
    await sql.close();
  }
}

/** Folder of initdb and postgres: the newest of Debian's, else that of the path. */
function programs(): string {
  const versions = existsSync(ROOT_OF_DEBIAN) ? readdirSync(ROOT_OF_DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  for (const version of versions) {
    const folder = join(ROOT_OF_DEBIAN, version, 'bin');
    if (existsSync(join(folder, 'initdb'))) return folder;
  }
  const found = Bun.which('initdb');
  if (found) return join(found, '..');
  throw new Error(`the tests need PostgreSQL's server programs (Debian: apt-get install postgresql), or ${GIVEN} with the address of a server`);
}

/**
 * Starts a cluster in a temporary folder, as another user where the tests run as root (PostgreSQL refuses root). A small shell watches
 * this process and ends the cluster and its folder with it, even after a kill.
 */
async function start(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'spawnpoint-postgres-'));
  const port = await freePort();
  const password = crypto.randomUUID();
  const script = join(folder, 'run.sh');
  writeFileSync(join(folder, 'password'), password);
  writeFileSync(script, SCRIPT);
  const asRoot = process.getuid?.() === 0;
  if (asRoot) {
    chmodSync(folder, 0o755);
    await Bun.$`chown -R postgres ${folder}`.quiet();
  }
  const command = ['sh', script, programs(), folder, String(port), String(process.pid)];
  const child = Bun.spawn(asRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups', ...command] : command, {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
    cwd: folder,
  });
  child.unref();
  const reader = child.stdout.getReader();
  let heard = '';
  while (!heard.includes('ready\n')) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`PostgreSQL did not start: ${heard}`);
    heard += new TextDecoder().decode(value);
  }
  reader.releaseLock();
  const address = `postgres://spawnpoint:${password}@127.0.0.1:${port}`;
  process.env[STARTED] = address;
  return address;
}

/** Durability is switched off: the engine's own is not what is tested, and it costs seconds. */
const SCRIPT = `
BIN="$1"; DIR="$2"; PORT="$3"; PARENT="$4"
"$BIN/initdb" -D "$DIR/data" -U spawnpoint -A scram-sha-256 --pwfile="$DIR/password" -E UTF8 --locale=C --no-sync || exit 1
"$BIN/postgres" -D "$DIR/data" -p "$PORT" -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off \\
  -c synchronous_commit=off -c full_page_writes=off -c deadlock_timeout=100ms -c max_connections=100 >"$DIR/log" 2>&1 &
SERVER=$!
trap 'kill -QUIT $SERVER 2>/dev/null; rm -rf "$DIR"; exit 0' TERM INT HUP
for _ in $(seq 1 300); do "$BIN/pg_isready" -q -h 127.0.0.1 -p "$PORT" && break; sleep 0.1; done
"$BIN/pg_isready" -q -h 127.0.0.1 -p "$PORT" || exit 1
echo ready
alive() { if [ -d /proc/self ]; then [ -d "/proc/$PARENT" ]; else ps -p "$PARENT" >/dev/null; fi; }
while alive; do sleep 1; done
kill -QUIT $SERVER; wait $SERVER 2>/dev/null; rm -rf "$DIR"
`;

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => (address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no free port'))));
    });
  });
}
