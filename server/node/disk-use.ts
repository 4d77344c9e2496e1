import { MINUTE, SECOND } from '#shared/time.ts';

/**
 * Files are counted every second while the disk gets fuller, and less often where that takes long: at most a twentieth
 * of the time. While nobody writes, once a minute is enough.
 */
const COUNT_MS = SECOND;
const COUNT_QUIET_MS = MINUTE;
/** Bytes by which the disk may get fuller before they may be anybody's. */
const QUIET_BYTES = 256 * 1024;
const COUNT_SHARE = 20;
const MB = 1_048_576;

interface Deps {
  /** Counts the bytes of the server's files; null where that failed. */
  readonly usedBytes: () => Promise<number | null>;
  /** Bytes that are free on the disk of servers. */
  readonly freeBytes: () => number;
  /** MB that its files may have. */
  readonly mostMb: () => number;
}

/** How much of its disk a server uses, counted as seldom as will do. */
export class DiskUse {
  /** Bytes of its files when they were counted last; null before the first time. */
  bytes: number | null = null;
  private countedMs = 0;
  /** What was free on the disk then. */
  private free = 0;
  private dueMs = 0;
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }
  /** A process begins: the next count is due when it has run for a moment. */
  begin(): void {
    this.dueMs = performance.now() + COUNT_MS;
  }
  /** Whether its files are to be counted again, which may have grown since or not. */
  isDue(): boolean {
    return performance.now() >= this.dueMs;
  }
  /** Whether its files may have grown since they were counted, if ever. */
  mayHaveGrown(): boolean {
    if (this.bytes === null || performance.now() - this.countedMs > COUNT_QUIET_MS) return true;
    return this.free - this.deps.freeBytes() > QUIET_BYTES;
  }
  /** Counts its files. */
  async count(): Promise<void> {
    this.countedMs = performance.now();
    this.free = this.deps.freeBytes();
    this.bytes = (await this.deps.usedBytes()) ?? this.bytes;
    const endedMs = performance.now();
    this.dueMs = endedMs + Math.max(COUNT_MS, (endedMs - this.countedMs) * COUNT_SHARE);
  }
  /** Whether its files were larger than they may be when they were counted last. */
  isOver(): boolean {
    return (this.bytes ?? 0) > this.deps.mostMb() * MB;
  }
}
