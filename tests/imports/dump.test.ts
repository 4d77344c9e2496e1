import { describe, expect, test } from 'bun:test';
import { readDump } from '#server/imports/dump.ts';
import { decodeBytes, noTextFaults } from '#server/imports/text.ts';

type Row = readonly [table: string, ...values: (string | null)[]];

/** Rows and tables of a dump that comes in pieces of so many bytes. */
async function read(text: string, size = 1 << 20, wants = (_table: string) => true) {
  const bytes = Buffer.from(text, 'utf8');
  async function* pieces() {
    for (let at = 0; at < bytes.byteLength; at += size) {
      await Promise.resolve();
      yield bytes.subarray(at, at + size);
    }
  }
  const rows: Row[] = [];
  const tables: Record<string, string[]> = {};
  await readDump(pieces(), {
    table: (name, columns) => void (tables[name] = [...columns].map(([column, type]) => `${column} ${type}`)),
    wants,
    row: (table, values) => void rows.push([table, ...values]),
    progress: () => undefined,
  });
  return { rows, tables };
}

const DUMP = `/*M!999999\\- enable the sandbox mode */
-- A comment; with 'quotes' and a semicolon
/*!40101 SET NAMES utf8mb4 */;
# another
DROP TABLE IF EXISTS \`users\`;
CREATE TABLE \`users\` (
  \`id\` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  \`na\`\`me\` varchar(255) DEFAULT 'a;b' COMMENT 'it''s; (so)',
  PRIMARY KEY (\`id\`),
  UNIQUE KEY \`users_name\` (\`name\`)
) ENGINE=InnoDB;
INSERT INTO \`users\` VALUES
(1,'a\\'b''c\\\\'),
(-2.5,NULL),(3,_binary 'x\\0y'),(4,0x4142),(5,b'101'),(6,'--no; comment /* here')
;
INSERT INTO other (a, b) VALUES (1,'x;('),(2,')');
DELIMITER ;;
/*!50003 CREATE*/ /*!50003 TRIGGER t BEFORE INSERT ON users FOR EACH ROW BEGIN SET @a = 1; END */;;
DELIMITER ;
insert ignore into \`db\`.\`users\` (\`id\`) values (9);
`;

describe('a dump', () => {
  test('T53 quotes, escapes, comments, triggers and all kinds of values are read as the database wrote them', async () => {
    const { rows, tables } = await read(DUMP);
    expect(rows).toEqual([
      ['users', '1', "a'b'c\\"],
      ['users', '-2.5', null],
      ['users', '3', 'x\0y'],
      ['users', '4', 'AB'],
      ['users', '5', '5'],
      ['users', '6', '--no; comment /* here'],
      ['other', '1', 'x;('],
      ['other', '2', ')'],
      ['users', '9'],
    ]);
    expect(tables.users?.[0]).toBe('id bigint(20)');
    expect(
      (await read('CREATE TABLE bare (\n  id int NOT NULL,\n  name text,\n  PRIMARY KEY (id)\n);')).tables,
    ).toEqual({ bare: ['id int', 'name text'] });
  });

  test('pieces of any size give the same rows', async () => {
    const whole = await read(DUMP);
    for (const size of [1, 2, 3, 7, 64, 1000]) expect(await read(DUMP, size)).toEqual(whole);
  });

  test('rows of tables that nobody wants are passed over', async () => {
    const { rows } = await read(DUMP, 50, (table) => table === 'other');
    expect(rows).toEqual([
      ['other', '1', 'x;('],
      ['other', '2', ')'],
    ]);
  });

  test('T54 what is cut off or is no dump is refused, and an endless row is not kept in memory', async () => {
    for (const text of [
      DUMP.slice(0, DUMP.indexOf('(3,')),
      "INSERT INTO users VALUES (1,'x",
      'INSERT INTO users SELECT 1;',
      'INSERT INTO users VALUES (1) (2);',
      `SELECT '`,
    ])
      expect(
        await read(text).then(
          () => 'read',
          (error: unknown) => (error instanceof Error ? error.name : ''),
        ),
      ).toBe('NoDump');
    async function* endless() {
      yield Buffer.from("INSERT INTO users VALUES (1,'");
      for (;;) yield Buffer.alloc(8 << 20, 'x');
    }
    const listener = { table: () => undefined, wants: () => true, row: () => undefined, progress: () => undefined };
    expect(await readDump(endless(), listener).catch((error: unknown) => String(error))).toContain('64 MB');
  });
});

describe('texts of a dump', () => {
  const decode = (bytes: Buffer) => {
    const faults = noTextFaults();
    return [decodeBytes(bytes.toString('latin1'), faults), faults.latin1, faults.mended];
  };
  test('T53 UTF-8 stays, Windows-1252 and UTF-8 that was encoded twice are repaired and counted', () => {
    expect(decode(Buffer.from('Jürgen 💎'))).toEqual(['Jürgen 💎', 0, 0]);
    expect(decode(Buffer.from('Jürgen', 'latin1'))).toEqual(['Jürgen', 1, 0]);
    expect(decode(Buffer.from('JÃ¼rgen'))).toEqual(['Jürgen', 0, 1]);
    expect(decode(Buffer.from('Ã…gÃ¥ard â€“ “ok”'))).toEqual(['Ã…gÃ¥ard â€“ “ok”', 0, 0]);
    expect(decode(Buffer.from('SÃO PAULO'))).toEqual(['SÃO PAULO', 0, 0]);
    expect(decode(Buffer.from('a\0b'))).toEqual(['ab', 0, 0]);
  });
});
