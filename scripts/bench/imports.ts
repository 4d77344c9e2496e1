import { join } from 'node:path';
import { inFolder } from './folder.ts';
import { runProgram } from './program.ts';
import { boundFigure, plainFigure, type Figure } from './report.ts';

/** People in the dump; `BENCH_IMPORT_USERS` names another number. */
const USERS = Number(process.env['BENCH_IMPORT_USERS'] ?? 50_000);
/** Rows of one INSERT, as dumps have them. */
const ROWS = 1000;
/** How long a million may take, in minutes, and the most memory for any number, in MB. */
const MINUTES = 30;
const MOST_MB = 500;

/** Figures o: users with passwords and credits out of a dump, brought by the binary into an empty installation. */
export function importFigures(): Promise<Figure[]> {
  return inFolder(async (folder) => {
    const dump = join(folder, 'dump.sql');
    await writeDump(dump, USERS);
    const data = join(folder, 'data');
    const checked = await runProgram(data, ['import', 'ctrlpanel', dump, '--dry-run', '--new']);
    const brought = await runProgram(data, ['import', '--resume']);
    return [
      plainFigure('o.check', checked.seconds / 60, 'minutes'),
      boundFigure('o.bring', brought.seconds / 60, 'minutes', (MINUTES * USERS) / 1_000_000),
      boundFigure('o.memory', Math.max(checked.peakMb, brought.peakMb), 'MB', MOST_MB),
    ];
  });
}

/** Writes a dump of CtrlPanel with so many users (whole thousands), as `mariadb-dump` writes it. */
export async function writeDump(path: string, users: number): Promise<void> {
  const file = Bun.file(path).writer();
  const columns = [
    'id',
    'name',
    'email',
    'email_verified_at',
    'password',
    'credits',
    'server_limit',
    'suspended',
    'created_at',
  ];
  const table = (name: string, of: readonly string[]) =>
    `CREATE TABLE \`${name}\` (\n${of.map((column) => `  \`${column}\` ${column === 'credits' ? 'bigint' : 'text'}`).join(',\n')}\n);\n`;
  await file.write(
    table('users', [...columns, 'pterodactyl_id']) +
      table('shop_products', ['id']) +
      table('vouchers', ['id']) +
      table('settings', ['payload']),
  );
  const hash = `$2y$10$${'a'.repeat(53)}`;
  for (let from = 1; from <= users; from += ROWS) {
    const rows = Array.from({ length: ROWS }, (_, i) => {
      const id = from + i;
      return `(${id},'player${id}','player${id}@old.example','2023-01-02 03:04:05','${hash}',${(id % 5000) * 1000 + 500},1,0,'2023-01-02 03:04:05',NULL)`;
    });
    await file.write(`INSERT INTO \`users\` VALUES ${rows.join(',')};\n`);
  }
  await file.end();
}
