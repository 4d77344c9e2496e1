import type { ServerBackupFailure, ServerBackupRefusal } from '#shared/schemas/server-backups.ts';
import type { CallAnswer } from '../call-socket.ts';
import { NoSpace } from './archive.ts';

const NOTHING = new Uint8Array();

export const ok = (value: unknown, bytes: Uint8Array = NOTHING): CallAnswer => ({ outcome: 'ok', value, bytes });
export const refused = (reason: ServerBackupRefusal): CallAnswer => ({ outcome: 'refused', reason });
/** Why an archive was not made or not restored, as the player is shown it. */
export const failureOf = (error: unknown): ServerBackupFailure => (error instanceof NoSpace ? 'no_space' : 'failed');
