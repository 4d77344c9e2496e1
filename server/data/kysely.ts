import {
  DefaultConnectionProvider,
  DefaultQueryExecutor,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type AggregateFunctionNode,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect as KyselyDialect,
  type Driver,
  type QueryResult,
  type SelectModifierNode,
} from 'kysely';
import type { Dialect } from './dialect.ts';
import type { DB } from './schema.ts';

/** Runs one statement in the engine's own placeholders. `changes` is null for statements that only give rows. */
export type Execute = (sql: string, params: readonly unknown[]) => Promise<{ rows: unknown[]; changes: number | null }>;

/** SQLite has no row locks and needs none behind a single writer. */
class PlainSqliteCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier === 'ForUpdate' || node.modifier === 'SkipLocked' || node.modifier === 'NoWait') return;
    super.visitSelectModifier(node);
  }
}

/** PostgreSQL makes a numeric of a sum of bigints, which would come back as text. */
class PlainPostgresCompiler extends PostgresQueryCompiler {
  protected override visitAggregateFunction(node: AggregateFunctionNode): void {
    if (node.func !== 'sum') return super.visitAggregateFunction(node);
    this.append('cast(');
    super.visitAggregateFunction(node);
    this.append(' as bigint)');
  }
}

/** One for all transactions: it keeps nothing between two queries, and making one binds each of its hundred methods. */
const COMPILERS = { sqlite: new PlainSqliteCompiler(), postgres: new PlainPostgresCompiler() };

/**
 * Runs a query at once on the transaction's one connection. Kysely's own executor first acquires it, waits for its turn
 * and gives it back, which for a statement of some microseconds is most of the time.
 */
class DirectExecutor extends DefaultQueryExecutor {
  readonly #connection: DatabaseConnection;
  constructor(dialect: KyselyDialect, driver: Driver, connection: DatabaseConnection) {
    super(dialect.createQueryCompiler(), dialect.createAdapter(), new DefaultConnectionProvider(driver));
    this.#connection = connection;
  }
  override executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#connection.executeQuery<R>(query);
  }
}

function connectionOver(execute: Execute): DatabaseConnection {
  return {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      const { rows, changes } = await execute(query.sql, query.parameters);
      return changes === null ? { rows: rows as R[] } : { rows: rows as R[], numAffectedRows: BigInt(changes) };
    },
    streamQuery() {
      throw new Error('streamed queries are not offered');
    },
  };
}

function refuse(): Promise<never> {
  return Promise.reject(new Error('transactions belong to the unit of work'));
}

function driverOver(connection: DatabaseConnection): Driver {
  const nothing = () => Promise.resolve();
  return {
    init: nothing,
    acquireConnection: () => Promise.resolve(connection),
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    releaseConnection: nothing,
    destroy: nothing,
  };
}

/** A Kysely whose every statement runs through `execute`, that is inside the transaction that owns it. */
export function kyselyOver(dialect: Dialect, execute: Execute): Kysely<DB> {
  const connection = connectionOver(execute);
  const driver = driverOver(connection);
  const createDriver = () => driver;
  const parts: KyselyDialect =
    dialect === 'sqlite'
      ? {
          createDriver,
          createAdapter: () => new SqliteAdapter(),
          createQueryCompiler: () => COMPILERS.sqlite,
          createIntrospector: (db) => new SqliteIntrospector(db),
        }
      : {
          createDriver,
          createAdapter: () => new PostgresAdapter(),
          createQueryCompiler: () => COMPILERS.postgres,
          createIntrospector: (db) => new PostgresIntrospector(db),
        };
  return new Kysely<DB>({
    config: { dialect: parts },
    dialect: parts,
    driver,
    executor: new DirectExecutor(parts, driver, connection),
  });
}
