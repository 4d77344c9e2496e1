import { SQL } from 'bun';
import { isIP } from 'node:net';
import type { HostKind } from '../modules/panels/index.ts';
import { ImportFault } from './fault.ts';
import type { SourceSpec, SourceTables } from './model.ts';
import type { Staging } from './staging.ts';
import { mendText, type TextFaults } from './text.ts';

/** Rows that are asked for at once. */
const PAGE = 5_000;
/** How long a database may take to answer that it is there, in seconds. */
const CONNECT_S = 15;

interface Place {
  readonly hostname: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly database: string;
  readonly encrypted: boolean;
}

/** The parts of `mysql://user:password@host:3306/database`; `?ssl=1` asks for encryption. Throws ImportFault `address`. */
function parseAddress(address: string): Place {
  const url = URL.parse(address);
  const database = url ? decodeURIComponent(url.pathname.slice(1)) : '';
  if (!url || !['mysql:', 'mariadb:'].includes(url.protocol) || url.hostname === '' || database === '')
    throw new ImportFault('address', 'The address of a database is mysql://user:password@host:3306/database.');
  return {
    hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? 3306 : Number(url.port),
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database,
    encrypted: url.searchParams.get('ssl') === '1',
  };
}

export interface MysqlDeps {
  readonly resolve: (host: string) => Promise<readonly string[]>;
  readonly kindOf: (address: string) => Exclude<HostKind, 'unknown'>;
}

/**
 * Connects to the database of the source at an address that was looked at: this machine, a private network, or, with
 * encryption, the internet; never where clouds keep their machines' keys. Throws ImportFault `address`, `connection`.
 */
async function connect(address: string, { resolve, kindOf }: MysqlDeps): Promise<{ sql: SQL; database: string }> {
  const { hostname, encrypted, ...place } = parseAddress(address);
  const found = isIP(hostname) ? [hostname] : await resolve(hostname).catch((): string[] => []);
  const [host] = found;
  if (host === undefined) throw new ImportFault('connection', `The name ${hostname} leads nowhere.`);
  const kinds = found.map((ip) => kindOf(ip));
  if (kinds.includes('forbidden')) throw new ImportFault('address', 'No database is asked at this address.');
  if (!encrypted && kinds.includes('public'))
    throw new ImportFault(
      'address',
      'Over the internet the connection has to be encrypted: add ?ssl=1, or bring a dump.',
    );
  const sql = new SQL({
    ...place,
    adapter: 'mysql',
    hostname: host,
    max: 1,
    connectionTimeout: CONNECT_S,
    ...(encrypted ? { tls: { serverName: hostname } } : {}),
  });
  return { sql, database: place.database };
}

const quote = (name: string): string => `\`${name.replaceAll('`', '``')}\``;

/**
 * Reads the tables of a source from its database into the working file: in one snapshot, and without writing anything.
 * Throws ImportFault.
 */
export async function readMysqlInto(
  staging: Staging,
  spec: SourceSpec,
  address: string,
  { faults, onRows, ...deps }: MysqlDeps & { readonly faults: TextFaults; readonly onRows: (rows: number) => void },
): Promise<{ tables: Record<string, number>; columnsOf: SourceTables }> {
  const { sql, database } = await connect(address, deps);
  try {
    const one = await sql.reserve();
    try {
      await one.unsafe('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ');
      await one.unsafe("SET time_zone = '+00:00'");
      await one.unsafe('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY');
      const columnsOf = await listColumns(one, database);
      spec.assertIs(columnsOf);
      staging.begin(spec);
      const tables: Record<string, number> = {};
      for (const [table, wanted] of Object.entries(spec.tables)) {
        const has = columnsOf.get(table);
        if (!has) continue;
        const columns = wanted.filter((name) => has.has(name));
        tables[table] = await readTable(one, staging, { table, columns, faults }, (rows) => onRows(rows));
      }
      staging.commit();
      return { tables, columnsOf };
    } finally {
      await one.release();
    }
  } catch (error) {
    if (error instanceof ImportFault) throw error;
    throw new ImportFault(
      'connection',
      `The database did not answer: ${error instanceof Error ? error.message : String(error)}`,
    );
  } finally {
    await sql.close({ timeout: 1 });
  }
}

async function listColumns(sql: SQL, database: string): Promise<Map<string, Map<string, string>>> {
  const rows = (await sql.unsafe(
    'SELECT CAST(TABLE_NAME AS CHAR) AS t, CAST(COLUMN_NAME AS CHAR) AS c, CAST(COLUMN_TYPE AS CHAR) AS k FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? ORDER BY TABLE_NAME, ORDINAL_POSITION',
    [database],
  )) as { t: string; c: string; k: string }[];
  const tables = new Map<string, Map<string, string>>();
  for (const { t, c, k } of rows) {
    const columns = tables.get(t) ?? new Map<string, string>();
    columns.set(c, k.toLowerCase());
    tables.set(t, columns);
  }
  return tables;
}

/** Every value as text: the source's dates are no times of JavaScript's. */
async function readTable(
  sql: SQL,
  staging: Staging,
  {
    table,
    columns,
    faults,
  }: { readonly table: string; readonly columns: readonly string[]; readonly faults: TextFaults },
  onRows: (rows: number) => void,
): Promise<number> {
  if (columns.length === 0) return 0;
  const selected = columns
    .map((name) => `CAST(${quote(name)} AS CHAR CHARACTER SET utf8mb4) AS ${quote(name)}`)
    .join(', ');
  // By its key a page costs what it holds; the tables without one are small.
  const byKey = columns.includes('id');
  let done = 0;
  let after: string | null = null;
  for (;;) {
    const where: string = byKey && after !== null ? ` WHERE id > ?` : '';
    const order = byKey ? ' ORDER BY id LIMIT ?' : ` ORDER BY ${columns.map(quote).join(', ')} LIMIT ? OFFSET ${done}`;
    const rows = (await sql.unsafe(`SELECT ${selected} FROM ${quote(table)}${where}${order}`, [
      ...(where === '' ? [] : [after]),
      PAGE,
    ])) as Record<string, string | null>[];
    for (const row of rows)
      staging.add(
        table,
        columns,
        columns.map((name) => clean(row[name] ?? null, faults)),
      );
    done += rows.length;
    onRows(rows.length);
    after = rows.at(-1)?.['id'] ?? null;
    if (rows.length < PAGE) return done;
  }
}

const clean = (value: string | null, faults: TextFaults): string | null =>
  value === null ? null : mendText(value.replaceAll('\0', ''), faults);
