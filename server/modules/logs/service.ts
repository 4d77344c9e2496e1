import type { LineLevel, LogLevel } from '#shared/logs.ts';
import { iso } from '#shared/time.ts';
import { writeAudit } from '../audit/index.ts';
import type { Clock, Ids, SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { UnitOfWork } from '../tx.ts';

interface Line {
  readonly seq: number;
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
  readonly before?: number | undefined;
  readonly limit: number;
}
/** The log of this process: its last lines, and from which level on it writes. */
export interface LogPort {
  lines(query: LineQuery): readonly Line[];
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

/** The log for staff: searching its last lines, and changing its level while it runs. */
export function createLogs({ uow, clock, ids, logs }: Deps) {
  return {
    list(query: Omit<LineQuery, 'limit'>) {
      const found = logs.lines({ ...query, limit: PAGE + 1 });
      const shown = found.slice(0, PAGE);
      return {
        lines: shown.map(toView),
        older: found.length > PAGE ? (shown.at(-1)?.seq ?? null) : null,
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

function toView({ seq, atMs, level, event, text }: Line) {
  const fields = parse(text);
  const requestId = fields.find(([name]) => name === 'request_id')?.[1];
  return {
    seq,
    at: iso(atMs),
    level,
    event,
    request_id: typeof requestId === 'string' ? requestId : null,
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
