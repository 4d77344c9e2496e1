import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { systemClock } from '#server/kernel.ts';
import { inFolder } from './folder.ts';
import { openWorld } from './installation.ts';
import { plainFigure, type Figure } from './report.ts';
import { fillWorld } from './world/fill.ts';

const USERS = 10_000;
const POSTINGS_A_USER = 10;
/** Tables of which less than this share of the database is are not shown. */
const SHOWN = 0.01;

/** What one table takes. */
export interface TableSize {
  readonly table: string;
  readonly rows: number;
  /** With its indexes. */
  readonly bytes: number;
}

/** Figures u.world and u.table: what each user of a believable host after half a year takes, and where, on SQLite. */
export function tableSizeFigures(): Promise<Figure[]> {
  return inFolder(async (folder) => {
    await (await openWorld(folder)).close();
    const path = join(folder, 'spawnpoint.db');
    await fillWorld(
      path,
      { users: USERS, postings: USERS * POSTINGS_A_USER, nowMs: systemClock.now() },
      () => undefined,
    );
    const sizes = tableSizes(path);
    const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
    return [
      plainFigure('u.world', total / USERS, 'bytes a user of half a year'),
      ...sizes
        .filter(({ bytes }) => bytes >= total * SHOWN)
        .flatMap(({ table, rows, bytes }) => [
          plainFigure(`u.table.${table}`, bytes / USERS, 'bytes a user'),
          plainFigure(`u.table.${table}.row`, bytes / Math.max(1, rows), 'bytes a row'),
        ]),
    ];
  });
}

/** What every table of a SQLite file takes, the largest first. */
export function tableSizes(path: string): TableSize[] {
  const db = new Database(path, { readonly: true });
  try {
    const sizes = db
      .query<{ table: string; bytes: number }, []>(
        "SELECT COALESCE(s.tbl_name, d.name) AS 'table', SUM(d.pgsize) AS bytes FROM dbstat d LEFT JOIN sqlite_schema s ON s.name = d.name WHERE d.aggregate = TRUE GROUP BY 1 ORDER BY bytes DESC",
      )
      .all();
    return sizes.map(({ table, bytes }) => ({
      table,
      bytes,
      rows: db.query<{ n: number }, []>(`SELECT COUNT(*) AS n FROM "${table}"`).get()?.n ?? 0,
    }));
  } finally {
    db.close();
  }
}
