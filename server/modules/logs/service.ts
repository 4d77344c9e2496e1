import type { LineLevel, LogLevel } from '#shared/logs.ts';
import { writeAudit } from '../audit/index.ts';
import type { Clock, Ids, SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { UnitOfWork } from '../tx.ts';

interface Line {
  /** Its place (`LOG_PLACE`). */
  readonly id: string;
  readonly atMs: number;
  readonly level: LineLevel;
  readonly event: string;
  /** The whole line, as JSON. */
  readonly text: string;
}
interface LineQuery {
  readonly level: LineLevel;
  readonly text?: string | undefined;
  readonly requestId?: string | undefined;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}
/** The log: its lines, and from which level on this process writes. */
export interface LogPort {
  /** The newest lines first, and the place behind the last line of the log; null where there is none. */
  list(query: LineQuery): Promise<{ readonly lines: readonly Line[]; readonly end: string | null }>;
  level(): LogLevel;
  setLevel(level: LogLevel): void;
}
interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logs: LogPort;
}
export type Logs = ReturnType<typeof createLogs>;

/** Lines on a page. */
const PAGE = 100;

/** The log for staff: searching its lines, and changing its level while it runs. */
export function createLogs({ uow, clock, ids, logs }: Deps) {
  return {
    /** A page of lines, the newest first, and the places of the next page and behind the last line; null: none. */
    async list(query: Omit<LineQuery, 'limit'>) {
      const { lines, end } = await logs.list({ ...query, limit: PAGE + 1 });
      const shown = lines.slice(0, PAGE);
      return {
        lines: shown.map(readLine),
        older: lines.length > PAGE ? (shown.at(-1)?.id ?? null) : null,
        end,
        level: logs.level(),
      };
    },
    /** Only of this process, and until it is started again. */
    async setLevel(ctx: SignedIn, level: LineLevel): Promise<void> {
      assertMay(ctx, 'admin.settings.edit');
      const before = logs.level();
      await uow.run((tx) =>
        writeAudit(tx, { clock, ids }, ctx, { action: 'logs.level', before: { level: before }, after: { level } }),
      );
      logs.setLevel(level);
    },
  };
}

/** Fields that stand for themselves. */
const APART: ReadonlySet<string> = new Set(['at', 'level', 'event', 'request_id']);

/** A line with its request and the rest of its fields as text. */
function readLine({ id, atMs, level, event, text }: Line) {
  const fields = parse(text);
  const requestId = fields.find(([name]) => name === 'request_id')?.[1];
  return {
    id,
    atMs,
    level,
    event,
    requestId: typeof requestId === 'string' ? requestId : null,
    details: fields
      .filter(([name]) => !APART.has(name))
      .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join(' '),
  };
}

/** The fields of a line; of one that was cut its text. */
function parse(text: string): [string, unknown][] {
  try {
    return Object.entries(JSON.parse(text) as object);
  } catch {
    return [['line', text]];
  }
}
