import { UPLOAD_PART_BYTES } from '#shared/backups.ts';
import { DomainError, fieldError } from '#shared/errors.ts';
import type { Clock, SignedIn } from '../kernel.ts';
import { permitted } from '../permit.ts';
import type { BackupFiles, IncomingFiles } from './ports.ts';

interface Deps {
  readonly clock: Clock;
  readonly files: BackupFiles;
  readonly incoming: IncomingFiles;
  /** Writes down what somebody proven does. Throws TRUST_REQUIRED. */
  readonly record: (ctx: SignedIn, entry: { readonly action: string; readonly target: string }) => Promise<void>;
}
/** One of the parts of a file: all but the last have UPLOAD_PART_BYTES. */
interface UploadedPart {
  /** Made up by the sender: a UUID. */
  readonly upload: string;
  /** Which one, from 0, and how many there are. */
  readonly part: number;
  readonly parts: number;
  readonly bytes: Uint8Array;
}
/** The disk keeps this much whatever is sent. */
const SPARE_BYTES = 64 << 20;

/** Backups that an owner brings from elsewhere by the browser. */
export function createUpload({ clock, files, incoming, record }: Deps) {
  /** Looks at the first part: who sends it, and whether the whole has room. Throws TRUST_REQUIRED, VALIDATION_FAILED. */
  async function begin(ctx: SignedIn, { upload, parts }: UploadedPart): Promise<void> {
    if ((parts - 1) * UPLOAD_PART_BYTES + SPARE_BYTES > files.freeBytes()) throw fieldError('file', 'NO_ROOM');
    await record(ctx, { action: 'backups.upload', target: upload.slice(0, 8) });
  }
  return {
    /**
     * Takes one part, which may come again after a lost answer; parts come in order. Out: the id of the backup after
     * the last one. Throws NOT_FOUND where the ones before are missing, TRUST_REQUIRED, VALIDATION_FAILED at `file`.
     */
    uploadPart: permitted('admin.root', async (ctx: SignedIn, sent: UploadedPart): Promise<string | null> => {
      const { upload, part, parts, bytes } = sent;
      const isLast = part === parts - 1;
      const fits = isLast ? bytes.byteLength > 0 : bytes.byteLength === UPLOAD_PART_BYTES;
      if (part >= parts || !fits) throw fieldError('file', 'INVALID');
      const at = part * UPLOAD_PART_BYTES;
      const received = await incoming.received(upload);
      if (received === 0) {
        const whole = incoming.find(upload);
        if (whole !== null) return whole;
      }
      if (part === 0) await begin(ctx, sent);
      else if (received < at) throw new DomainError('NOT_FOUND');
      if (!(await incoming.write(upload, { at, bytes, nowMs: clock.now() }))) throw fieldError('file', 'NO_ROOM');
      if (!isLast) return null;
      const id = await incoming.finish(upload, clock.now());
      if (id === null) throw fieldError('file', 'INVALID');
      return id;
    }),
  };
}
