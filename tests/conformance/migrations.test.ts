import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'bun:test';
import { createBus } from '#server/data/bus.ts';
import type { Engine } from '#server/data/engine.ts';
import { migrate } from '#server/data/migrate.ts';
import { MIGRATIONS } from '#server/data/migrations/list.ts';
import type { Migration } from '#server/data/migrations/migration.ts';
import { createPostgresPool, openPostgres } from '#server/data/postgres.ts';
import { openSqlite } from '#server/data/sqlite.ts';
import { RESOURCES } from '#shared/resources/index.ts';
import type { AnyResource } from '#shared/resources/types.ts';
import { TEST_START } from '#tests/support/clock.ts';
import { ENGINES, postgresPlace, sqlitePlace, type Engine as Kind } from '#tests/support/db.ts';
import { testLog } from '#tests/support/log.ts';
import { withMigrations } from '#tests/support/migrations.ts';

/** What a job has that stands in no line. */
const NO_LINE = { limit_key: null, place_key: null, begun_ms: null };
const NAMES = MIGRATIONS.map(({ name }) => name);

describe.each(ENGINES)('migrations on %s', (kind) => {
  const cleaners: (() => unknown)[] = [];
  afterEach(async () => {
    for (const clean of cleaners.splice(0).toReversed()) await clean();
  });

  /** A place without tables, and a way to open it as often as wanted. */
  async function emptyPlace(): Promise<() => Engine> {
    const place = kind === 'sqlite' ? sqlitePlace() : await postgresPlace();
    cleaners.push(() => place.remove());
    return () => {
      const { publish } = createBus(testLog());
      const engine =
        'path' in place.where
          ? openSqlite(place.where.path, publish, testLog())
          : openPostgres(createPostgresPool(place.where.url), publish, testLog());
      cleaners.push(() => engine.close());
      return engine;
    };
  }
  const applied = (engine: Engine) =>
    engine.read(async ({ raw }) =>
      (await raw.all<{ name: string }>('SELECT name FROM schema_migrations ORDER BY name')).map(({ name }) => name),
    );

  test('all migrations are applied once, in order, and a second run finds nothing to do', async () => {
    const engine = (await emptyPlace())();
    expect(await migrate(engine, TEST_START)).toEqual(NAMES);
    expect(NAMES.toSorted()).toEqual(NAMES);
    expect(await migrate(engine, TEST_START)).toEqual([]);
    expect(await applied(engine)).toEqual(NAMES);
  });

  test('a migration that fails half-way leaves nothing of itself, and a later run goes on from there', async () => {
    const engine = (await emptyPlace())();
    const halting: Migration = {
      name: '9000_halting',
      async up({ raw }) {
        await raw.run('CREATE TABLE half_done (id TEXT)');
        await raw.run("INSERT INTO half_done (id) VALUES ('x')");
        throw new Error('power cut');
      },
    };
    await expect(migrate(engine, TEST_START, [...MIGRATIONS, halting])).rejects.toThrow('power cut');
    expect(await applied(engine)).toEqual(NAMES);
    const whole: Migration = {
      name: halting.name,
      up: async ({ raw }) => void (await raw.run('CREATE TABLE half_done (id TEXT)')),
    };
    expect(await migrate(engine, TEST_START, [...MIGRATIONS, whole])).toEqual([whole.name]);
    expect(await engine.read(({ raw }) => raw.all('SELECT id FROM half_done'))).toEqual([]);
  });

  test('what waited for plugins as calls waits behind their cursors, nothing is lost and nothing of others is heard', async () => {
    const engine = (await emptyPlace())();
    await migrate(
      engine,
      TEST_START,
      MIGRATIONS.filter(({ name }) => name < '0186'),
    );
    const eventId = (at: number) => `01890000-0000-7000-8000-00000000000${at}`;
    await engine.write(async ({ raw }) => {
      for (const identifier of ['ahead', 'behind', 'idle'])
        await raw.run(
          `INSERT INTO plugin_packages (identifier, version, manifest, digest, signer, size, granted, granted_ms, installed_ms, updated_ms,
            storage_bytes, storage_keys, last_call, stopped_cause, stopped_text, stopped_ms) VALUES (?, '1.0.0', '{}', '', NULL, 1, '{}', 0, 0, 0, 0, 0, 9, NULL, NULL, NULL)`,
          [identifier],
        );
      const call = (identifier: string, number: number, group: string, name: string, input: string) =>
        raw.run(
          'INSERT INTO plugin_calls (identifier, number, hook_group, name, input, tries, next_ms) VALUES (?, ?, ?, ?, ?, 0, 0)',
          [identifier, number, group, name, input],
        );
      for (const at of [1, 2, 3])
        await call('behind', at, 'events', 'user.renamed', `{"id":"${eventId(at)}","type":"user.renamed"}`);
      await call('ahead', 7, 'events', 'user.renamed', `{"id":"${eventId(3)}","type":"user.renamed"}`);
      await call('ahead', 8, 'tasks', 'tick', '{"at":"2026-01-01T00:00:00.000Z"}');
      for (const name of ['tick', 'tock'])
        await raw.run("INSERT INTO plugin_tasks (identifier, name, next_ms) VALUES ('ahead', ?, 5)", [name]);
    });
    expect(await migrate(engine, TEST_START)).toContain('0186_plugin_cursors');
    const rows = (sql: string) => engine.read(({ raw }) => raw.all(sql));
    expect(await rows('SELECT number, event_id, name FROM plugin_events ORDER BY number')).toEqual(
      [1, 2, 3].map((number) => ({ number, event_id: eventId(number), name: 'user.renamed' })),
    );
    expect(await rows('SELECT identifier, heard FROM plugin_cursors ORDER BY identifier')).toEqual([
      { identifier: 'ahead', heard: 2 },
      { identifier: 'behind', heard: 0 },
      { identifier: 'idle', heard: 3 },
    ]);
    expect(await rows('SELECT name, due_ms, tries FROM plugin_tasks ORDER BY name')).toEqual([
      { name: 'tick', due_ms: 5, tries: 0 },
      { name: 'tock', due_ms: null, tries: 0 },
    ]);
  });

  test('two processes at once apply each migration once', async () => {
    const open = await emptyPlace();
    const engines = [open(), open(), open()];
    const ran = await Promise.all(engines.map((engine) => migrate(engine, TEST_START)));
    expect(ran.flat().sort()).toEqual(NAMES);
  });

  test('a database of a newer version is refused', async () => {
    const engine = (await emptyPlace())();
    await migrate(engine, TEST_START);
    await engine.write(({ raw }) =>
      raw.run("INSERT INTO schema_migrations (name, applied_ms) VALUES ('9999_future', 1)"),
    );
    await expect(migrate(engine, TEST_START)).rejects.toThrow('9999_future');
  });

  test('E11 a database of before a migration was renumbered is brought up to date and keeps its data', async () => {
    const engine = (await emptyPlace())();
    const before = MIGRATIONS.filter(({ name }) => name < '0022');
    const dated = before
      .map((migration) => (migration.name === '0021_panels' ? { ...migration, name: '0018_panels' } : migration))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    await migrate(engine, TEST_START, dated);
    // The index as that version had it, and without those that came later.
    await engine.write(async ({ raw }) => {
      await raw.run('DROP INDEX book_ports_free');
      await raw.run('CREATE INDEX book_ports_free ON book_ports (panel_id, node, assigned, taken_by, port)');
      await raw.run('DROP INDEX server_queue_waiting');
      await raw.run('DROP INDEX server_queue_begun');
      await raw.run("INSERT INTO settings (key, value, updated_ms) VALUES ('app_name', 'kept', 1)");
    });
    expect(await migrate(engine, TEST_START)).toEqual(NAMES.filter((name) => name >= '0022'));
    expect(await applied(engine)).toEqual(NAMES);
    expect(await engine.read(({ raw }) => raw.one("SELECT value FROM settings WHERE key = 'app_name'"))).toEqual({
      value: 'kept',
    });
    // The indexes are there again: naming them anew is refused.
    for (const index of ['server_queue_waiting', 'node_allocations_free']) {
      await expect(engine.write(({ raw }) => raw.run(`CREATE INDEX ${index} ON server_queue (id)`))).rejects.toThrow();
    }
  });

  test('a reward on hold of before keeps its row, its walls and its indexes when sources are no longer listed in the table', async () => {
    const engine = (await emptyPlace())();
    await migrate(
      engine,
      TEST_START,
      MIGRATIONS.filter(({ name }) => name < '0035'),
    );
    const insert = (id: string, source: string, pool: string | null, amount = 5) =>
      engine.write(({ raw }) =>
        raw.run(
          `INSERT INTO held_rewards (id, user_id, source, amount, parts, reference, subject, pool, cause, score, reasons, tx_id, hold_id,
             state, release_ms, created_ms, updated_ms, counted_day, counted)
           VALUES (?, 'ann', ?, ?, 1, ?, 'Code', ?, 'score', 70, '[]', 't', ?, 'open', NULL, 1, 2, '2026-01-01', 5)`,
          [id, source, amount, `r:${id}`, pool, `h:${id}`],
        ),
      );
    await insert('a', 'afk', 'afk');
    await expect(insert('b', 'daily', null)).rejects.toThrow();
    const rows = () => engine.read(({ raw }) => raw.all('SELECT * FROM held_rewards ORDER BY id'));
    const before = await rows();
    await migrate(engine, TEST_START);
    expect(await rows()).toEqual(before);
    await insert('b', 'daily', null);
    await expect(insert('c', 'afk', 'afk')).rejects.toThrow();
    await expect(insert('d', 'afk', null, 0)).rejects.toThrow();
    for (const index of ['pool', 'state', 'user', 'due'])
      await expect(
        engine.write(({ raw }) => raw.run(`CREATE INDEX held_rewards_${index} ON held_rewards (id)`)),
      ).rejects.toThrow();
  });

  test('open entries of a server queue that had leases of its own become jobs, and nothing else does', async () => {
    const engine = (await emptyPlace())();
    await migrate(
      engine,
      TEST_START,
      MIGRATIONS.filter(({ name }) => name < '0033'),
    );
    await engine.write(async ({ raw }) => {
      for (const [id, state, priority, started, panel] of [
        ['waits', 'queued', 1, null, 'p'],
        ['builds', 'building', 0, 7, null],
        ['over', 'completed', 0, 3, 'p'],
      ] as const) {
        await raw.run(
          `INSERT INTO servers (id, user_id, name, description, location_id, category_id, egg_id, memory, disk, cpu, ports, databases, backups, variables, state, desired,
            revision, synced_revision, auto_renew, auto_renew_order, periods, created_ms, updated_ms, panel, panel_node)
           VALUES (?, 'ada', 'x', '', 'l', 'c', 'e', 1, 1, 1, 1, 0, 0, '{}', 'queued', 'running', 1, 0, 0, 0, 0, 1, 1, ?, ?)`,
          [`server ${id}`, panel, panel && 'n'],
        );
        await raw.run(
          `INSERT INTO server_queue (id, server_id, user_id, state, priority, attempts, run_at_ms, lease_until_ms, lease_token, last_error, created_ms, started_ms, done_ms)
           VALUES (?, ?, 'ada', ?, ?, 1, 20, 99, 'token', NULL, 5, ?, NULL)`,
          [id, `server ${id}`, state, priority, started],
        );
      }
      await raw.run(
        `INSERT INTO jobs (id, kind, payload, unique_key, run_at_ms, attempts, max_attempts, lease_until_ms, lease_token, rerun, state, last_error, created_ms, done_ms)
         VALUES ('old', 'servers.queue', '{}', NULL, 1, 0, 5, 0, NULL, 0, 'ready', NULL, 1, NULL), ('mail', 'mail', '{}', NULL, 1, 0, 5, 0, NULL, 0, 'ready', NULL, 1, NULL)`,
      );
    });
    await migrate(engine, TEST_START);
    const ofLine = { kind: 'servers.build', state: 'ready', run_at_ms: 20, lease_token: null, group_key: 'ada' };
    expect(
      await engine.read(({ raw }) =>
        raw.all(
          'SELECT id, kind, state, run_at_ms, lease_token, priority, group_key, limit_key, place_key, begun_ms FROM jobs ORDER BY id',
        ),
      ),
    ).toEqual([
      { id: 'builds', ...ofLine, priority: 0, limit_key: '', place_key: '/', begun_ms: 7 },
      { ...ofLine, id: 'mail', kind: 'mail', run_at_ms: 1, priority: 0, group_key: null, ...NO_LINE },
      { id: 'waits', ...ofLine, priority: 1, limit_key: 'p', place_key: 'p/n', begun_ms: null },
    ]);
    expect(await engine.read(({ raw }) => raw.all('SELECT id, state, attempts FROM server_queue ORDER BY id'))).toEqual(
      [
        { id: 'builds', state: 'building', attempts: 1 },
        { id: 'over', state: 'completed', attempts: 1 },
        { id: 'waits', state: 'queued', attempts: 1 },
      ],
    );
  });

  test('the tables hold the walls that code may run into', async () => {
    const engine = (await emptyPlace())();
    await migrate(engine, TEST_START);
    const refused = [
      "INSERT INTO ledger_balances (account, balance) VALUES ('user:x', -1)",
      "INSERT INTO ledger_balances (account, balance) VALUES ('system:store', 9007199254740992)",
      "INSERT INTO ledger_transactions (id, kind, reference, created_ms) VALUES ('b', 'k', 'r', 1)",
      "INSERT INTO ledger_postings (tx_id, seq, source, destination, amount, source_after, destination_after, created_ms, kind) VALUES ('a', 0, 'x', 'y', 0, 0, 0, 1, 'k')",
      "INSERT INTO ledger_postings (tx_id, seq, source, destination, amount, source_after, destination_after, created_ms, kind) VALUES ('a', 0, 'x', 'x', 1, 0, 0, 1, 'k')",
      "UPDATE ledger_transactions SET kind = 'other'",
      'DELETE FROM ledger_transactions',
      "INSERT INTO user_limits (user_id, memory, disk, cpu, slots, ports, databases, backups) VALUES ('u', -1, 0, 0, 0, 0, 0, 0)",
      "INSERT INTO earn_counters (user_id, source, day, credits) VALUES ('u', 'afk', '2026-01-01', 'many')",
      "INSERT INTO afk_sessions (id, user_id, session_id, device, started_ms, last_beat_ms, counted_ms, minutes, earned) VALUES ('s2', 'u', 's', 'd', 2, 2, 0, 0, 0)",
      "INSERT INTO redeem_uses (id, code_id, user_id, code, credits, tx_id, at_ms) VALUES ('u2', 'c', 'u', 'C', 1, 't', 1)",
    ];
    await engine.write(async ({ raw }) => {
      await raw.run("INSERT INTO ledger_transactions (id, kind, reference, created_ms) VALUES ('a', 'k', 'r', 1)");
      await raw.run(
        "INSERT INTO afk_sessions (id, user_id, session_id, device, started_ms, last_beat_ms, counted_ms, minutes, earned) VALUES ('s1', 'u', 's', 'd', 1, 1, 0, 0, 0)",
      );
      await raw.run(
        "INSERT INTO redeem_uses (id, code_id, user_id, code, credits, tx_id, at_ms) VALUES ('u1', 'c', 'u', 'C', 1, 't', 1)",
      );
    });
    for (const statement of refused) {
      const end = await engine
        .write(({ raw }) => raw.run(statement))
        .then(
          () => `accepted: ${statement}`,
          () => 'refused',
        );
      expect(end).toBe('refused');
    }
  });
});

/** Every column of the tables, in the notation of a type: both engines must have the same. */
async function columnsOf(kind: Kind): Promise<string[]> {
  const sql =
    kind === 'sqlite'
      ? `SELECT m.name || '.' || c.name || CASE WHEN c."notnull" = 0 AND c.pk = 0 THEN '?' ELSE '' END AS text FROM pragma_table_list m, pragma_table_info(m.name) c
         WHERE m.schema = 'main' AND m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY 1`
      : `SELECT table_name || '.' || column_name || CASE WHEN is_nullable = 'YES' THEN '?' ELSE '' END AS text FROM information_schema.columns
         WHERE table_schema = 'public' AND is_generated = 'NEVER' ORDER BY 1`;
  const rows: { text: string }[] = [];
  await withMigrations(
    kind,
    () => true,
    async (engine) => void rows.push(...(await engine.read(({ raw }) => raw.all<{ text: string }>(sql)))),
  );
  return rows.map(({ text }) => text).sort();
}

/**
 * The same from the files of server/data/schema, and from the descriptions of the admin areas that its types derive
 * from.
 */
async function columnsOfTypes(): Promise<string[]> {
  const folder = fileURLToPath(new URL('../../server/data/schema', import.meta.url));
  const files = await Array.fromAsync(new Bun.Glob('*.ts').scan(folder));
  const texts = await Promise.all(files.map((file) => Bun.file(join(folder, file)).text()));
  const source = texts.join('\n').replace(/\/\*\*[^]*?\*\//g, '');
  const shapes = new Map<string, string[]>();
  for (const [, name = '', body = ''] of source.matchAll(/interface (\w+)(?: extends \w+)? \{([^}]*)\}/g)) {
    const fields = [...body.matchAll(/(\w+): ([^;}]+)/g)];
    shapes.set(
      name,
      fields.map(([, field = '', type = '']) => `${field}${/\bnull\b/.test(type) ? '?' : ''}`),
    );
  }
  /** Tables by name with the name of their row: each area has an interface of its own. */
  const types = new Map(
    [...source.matchAll(/interface \w+Tables(?: extends \w+)? \{([^}]*)\}/g)].flatMap(([, body = '']) =>
      [...body.matchAll(/(\w+): (\w+);/g)].map(([, table = '', type = '']): [string, string] => [table, type]),
    ),
  );
  const tables = [...types.keys()];
  const areas = Object.values<AnyResource>(RESOURCES).flatMap(({ table, storage, hidden }) => [
    ...['id', 'created_ms', 'updated_ms'].map((column) => `${table}.${column}`),
    ...Object.entries({ ...storage, ...hidden }).flatMap(([field, { column = field, nullable, derived }]) =>
      derived ? [] : [`${table}.${column}${nullable ? '?' : ''}`],
    ),
  ]);
  return [
    ...areas,
    ...tables.flatMap((table) => (shapes.get(types.get(table) ?? '') ?? []).map((column) => `${table}.${column}`)),
  ].sort();
}

test('both engines have the columns of the types, nullable alike', async () => {
  const expected = await columnsOfTypes();
  expect(expected.length).toBeGreaterThan(250);
  for (const kind of ENGINES) expect(await columnsOf(kind)).toEqual(expected);
});
