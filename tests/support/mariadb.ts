import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { roomyFolder } from './folder.ts';

/** How long a busy machine may take to start a server. */
const PATIENCE_MS = 55_000;

export interface MariaDb {
  /** Address of a database for somebody who may only read. */
  readonly address: (database: string) => string;
  /** Makes a database of SQL. */
  load(database: string, sql: string): Promise<void>;
  /** What `mariadb-dump` writes of a database, as a file. */
  dump(database: string, ...options: string[]): Promise<string>;
  close(): Promise<void>;
}

const run = async (command: readonly string[], stdin?: string): Promise<string> => {
  const child = Bun.spawn([...command], {
    stdin: stdin === undefined ? 'ignore' : new Blob([stdin]),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0) throw new Error(`${command[0]}: ${err.slice(0, 2000)}`);
  return out;
};

/** A MariaDB of Debian's in a folder of its own, for one test file; it ends with the test's process. */
export async function startMariaDb(): Promise<MariaDb> {
  if (!Bun.which('mariadbd')) throw new Error('the tests need MariaDB (Debian: apt-get install mariadb-server)');
  const folder = mkdtempSync(join(roomyFolder(), 'spawnpoint-mariadb-'));
  const [data, socket] = [join(folder, 'data'), join(folder, 's')];
  const asRoot = process.getuid?.() === 0 ? ['--user=root'] : [];
  await run([
    'mariadb-install-db',
    '--no-defaults',
    `--datadir=${data}`,
    '--skip-test-db',
    '--auth-root-authentication-method=normal',
    ...asRoot,
  ]);
  const port = 20_000 + (process.pid % 20_000);
  writeFileSync(
    join(folder, 'init.sql'),
    "CREATE USER IF NOT EXISTS 'reader'@'127.0.0.1' IDENTIFIED BY 'reads';\nGRANT SELECT ON *.* TO 'reader'@'127.0.0.1';\n",
  );
  const options = [
    '--no-defaults',
    `--datadir=${data}`,
    `--socket=${socket}`,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    `--init-file=${join(folder, 'init.sql')}`,
    '--innodb-flush-log-at-trx-commit=0',
    '--skip-log-bin',
    '--sql-mode=',
    ...asRoot,
  ];
  // A watch ends the server with the test, even after a kill.
  const watch = `mariadbd "$@" >"${folder}/log" 2>&1 & S=$!; while kill -0 ${process.pid} 2>/dev/null && kill -0 $S 2>/dev/null; do sleep 0.5; done; kill -9 $S 2>/dev/null; rm -rf "${folder}"`;
  const server = Bun.spawn(['sh', '-c', watch, 'watch', ...options], { stdio: ['ignore', 'ignore', 'ignore'] });
  const client = ['mariadb', '--no-defaults', `--socket=${socket}`, '-uroot', '--default-character-set=utf8mb4'];
  const until = Date.now() + PATIENCE_MS;
  while (
    !existsSync(socket) ||
    !(await run([...client, '-e', 'SELECT 1']).then(
      () => true,
      () => false,
    ))
  ) {
    if (Date.now() > until) throw new Error('MariaDB for the tests did not get ready');
    await Bun.sleep(100);
  }
  return {
    address: (database) => `mysql://reader:reads@127.0.0.1:${port}/${database}`,
    async load(database, sql) {
      await run([
        ...client,
        '-e',
        `DROP DATABASE IF EXISTS ${database}; CREATE DATABASE ${database} CHARACTER SET utf8mb4`,
      ]);
      await run([...client, database], sql);
    },
    async dump(database, ...more) {
      const path = join(folder, `${database}-${crypto.randomUUID()}.sql`);
      await run([
        'mariadb-dump',
        '--no-defaults',
        `--socket=${socket}`,
        '-uroot',
        `--result-file=${path}`,
        ...more,
        database,
      ]);
      return path;
    },
    async close() {
      await run(['mariadb-admin', '--no-defaults', `--socket=${socket}`, '-uroot', 'shutdown']).catch(() => undefined);
      await server.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
