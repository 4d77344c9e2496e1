import { UPLOAD_PART_BYTES } from '#shared/backups.ts';
import { DomainError, fieldError } from '#shared/errors.ts';
import type { Clock, SignedIn } from '../kernel.ts';
import type { IncomingFiles } from './ports.ts';

interface Deps {
  readonly clock: Clock;
  readonly incoming: IncomingFiles;
  /** Bytes that are free on the disk. */
  readonly freeBytes: () => number;
  /** Hears of the first part, and refuses who may not send it. In: the first characters of the upload's name. */
  readonly begin: (ctx: SignedIn, name: string) => Promise<void>;
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

/**
 * Files of any size that a browser brings. Takes one part, which may come again after a lost answer; parts come in
 * order. Out: the id of the whole after the last one. Throws NOT_FOUND where the ones before are missing,
 * VALIDATION_FAILED at `file`, and what `begin` throws.
 */
export function createPartUpload({ clock, incoming, freeBytes, begin }: Deps) {
  return async (ctx: SignedIn, { upload, part, parts, bytes }: UploadedPart): Promise<string | null> => {
    const isLast = part === parts - 1;
    const fits = isLast ? bytes.byteLength > 0 : bytes.byteLength === UPLOAD_PART_BYTES;
    if (part >= parts || !fits) throw fieldError('file', 'INVALID');
    const at = part * UPLOAD_PART_BYTES;
    const received = await incoming.received(upload);
    if (received === 0) {
      const whole = incoming.find(upload);
      if (whole !== null) return whole;
    }
    if (part === 0) {
      if ((parts - 1) * UPLOAD_PART_BYTES + SPARE_BYTES > freeBytes()) throw fieldError('file', 'NO_ROOM');
      await begin(ctx, upload.slice(0, 8));
    } else if (received < at) throw new DomainError('NOT_FOUND');
    if (!(await incoming.write(upload, { at, bytes, nowMs: clock.now() }))) throw fieldError('file', 'NO_ROOM');
    if (!isLast) return null;
    const id = await incoming.finish(upload, clock.now());
    if (id === null) throw fieldError('file', 'INVALID');
    return id;
  };
}
