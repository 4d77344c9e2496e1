import { MINUTE } from '#shared/time.ts';
import type { Clock, Log } from '../kernel.ts';
import type { RemoteBackups } from './ports.ts';
import { NO_REMOTE, type BackupState, type RemoteList } from './tasks.ts';

/** How long what the storage said is believed. */
const FRESH_MS = MINUTE;

interface Deps {
  readonly clock: Clock;
  readonly log: Log;
  readonly remote: RemoteBackups;
  readonly state: BackupState;
}

/** The backups in the storage elsewhere, as it said last: nobody waits for a service that may be silent. */
export function createRemoteLister({ clock, log, remote, state }: Deps) {
  async function ask(place: string): Promise<void> {
    const before = state.remote.place === place ? state.remote.backups : [];
    state.remote = { place, atMs: state.remote.atMs, asking: true, backups: before, fault: null };
    const outcome = await remote.list();
    const atMs = clock.now();
    if ('fault' in outcome) {
      log.warn('backup.remote.silent', { fault: outcome.fault, error: outcome.message });
      state.remote = { place, atMs, asking: false, backups: before, fault: outcome.fault };
    } else state.remote = { place, atMs, asking: false, backups: outcome.done, fault: null };
  }
  return {
    /** What is known; null where no storage is named. Asks for more where that is old. */
    current(): RemoteList | null {
      const place = remote.place();
      if (place === null) {
        state.remote = NO_REMOTE;
        return null;
      }
      const { asking, atMs } = state.remote;
      const isOld = state.remote.place !== place || atMs === null || clock.now() - atMs > FRESH_MS;
      if (!asking && isOld) void ask(place);
      return state.remote;
    },
    /** What is known is not so any more. */
    forget(): void {
      if (!state.remote.asking) state.remote = { ...state.remote, atMs: null };
    },
  };
}
