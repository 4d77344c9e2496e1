import { HOUR } from '#shared/time.ts';
import { wallTime, wallTimeToMs } from '#shared/zoned.ts';
import type { Clock } from '../kernel.ts';
import type { Settings } from '../settings/index.ts';
import type { BackupFiles, BackupWorker, RemoteBackup, RemoteBackups, StoredBackup } from './ports.ts';
import type { BackupState, BackupTasks } from './tasks.ts';

/** After a failure the schedule waits so long before it tries again. */
const RETRY_MS = 2 * HOUR;

interface Deps {
  readonly clock: Clock;
  readonly settings: Pick<Settings, 'current'>;
  readonly files: BackupFiles;
  readonly remote: RemoteBackups;
  readonly worker: BackupWorker;
  readonly state: BackupState;
  readonly tasks: BackupTasks;
}

/**
 * The schedule of backups: makes the day's where it is due, proves it, sends a copy of it to the storage elsewhere
 * where one is named, and throws away the oldest of those it made, here and there.
 */
export function createSchedule({ clock, settings, files, remote, worker, state, tasks }: Deps): () => Promise<void> {
  const startedMs = clock.now();

  /**
   * Whether the day's backup is to be made now: its hour has come and there is none of today. The first one waits for
   * an hour that comes while the process runs: a new installation has nothing to save yet.
   */
  function isDue(): boolean {
    const { backup_daily: on, backup_hour: hour, app_timezone: zone } = settings.current();
    if (!on || state.running) return false;
    const now = clock.now();
    if (state.failedMs !== null && now - state.failedMs < RETRY_MS) return false;
    const dayOf = (ms: number) => wallTime(ms, zone).slice(0, 10);
    const dueMs = wallTimeToMs(`${dayOf(now)}T${String(hour).padStart(2, '0')}:00`, zone) ?? now;
    const made = files.list().filter(isDaily);
    const isFirst = made.length === 0;
    return now >= dueMs && (!isFirst || dueMs > startedMs) && !made.some(({ atMs }) => dayOf(atMs) === dayOf(now));
  }
  async function makeDaily(): Promise<void> {
    const made = await tasks.perform('create', null, (onStep) => worker.create('daily', onStep));
    state.failedMs = made ? null : clock.now();
    if (!made) throw new Error(`the backup of the day failed: ${state.last?.fault}`);
    // What somebody made by hand is never among them.
    for (const { id } of dailyBeyond(files, settings.current().backup_keep)) files.remove(id);
    await tasks.perform('verify', made.id, (onStep) => worker.verify(made.id, onStep));
  }

  /** The daily backup that is to be sent now: the newest, once it is proven; null where there is none or it is there. */
  function unsentDaily(): string | null {
    if (remote.place() === null || state.running) return null;
    if (state.sendFailedMs !== null && clock.now() - state.sendFailedMs < RETRY_MS) return null;
    const newest = files.list().find(isDaily);
    const isProven = newest?.facts?.verified?.fault === null;
    return newest && isProven && newest.id !== state.sentId ? newest.id : null;
  }
  async function sendDaily(id: string): Promise<void> {
    const sent = await tasks.perform('send', id, (onStep) => worker.send(id, onStep));
    state.sendFailedMs = sent === null ? clock.now() : null;
    if (sent === null) throw new Error(`the backup of the day was not sent: ${state.last?.fault}`);
    state.sentId = id;
    const there = await remote.list();
    if ('fault' in there) return;
    for (const old of there.done.filter(isDaily).slice(settings.current().backup_s3_keep)) await remote.remove(old.id);
  }

  return async () => {
    if (isDue()) await makeDaily();
    const unsent = unsentDaily();
    if (unsent !== null) await sendDaily(unsent);
  };
}

/** The daily backups that are there beside so many of the newest. */
export const dailyBeyond = (files: Pick<BackupFiles, 'list'>, keep: number): readonly StoredBackup[] =>
  files.list().filter(isDaily).slice(keep);

const isDaily = ({ kind }: Pick<RemoteBackup, 'kind'>): boolean => kind === 'daily';
