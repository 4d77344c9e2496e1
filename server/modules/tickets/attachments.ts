import {
  ATTACHMENT_MAX_BYTES,
  ATTACHMENT_PICTURE,
  ATTACHMENT_TEXT,
  ATTACHMENTS_QUOTA_BYTES,
  toAttachmentName,
} from '#shared/attachments.ts';
import { DomainError, fieldError } from '#shared/errors.ts';
import { DAY } from '#shared/time.ts';
import type { Clock, Ids, SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { PictureCodec } from '../pictures/index.ts';
import type { UnitOfWork } from '../tx.ts';
import type { Attachment, AttachmentFiles, AttachmentForm, FileScanner } from './attachment-ports.ts';

interface AttachmentsDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly codec: PictureCodec;
  readonly files: AttachmentFiles;
  readonly scan: FileScanner;
}
export type Attachments = ReturnType<typeof createAttachments>;

/** How long a file may wait for its message, in ms, and how many of them one may have. */
const UNSENT_MS = DAY;
const UNSENT_MAX = 20;
/** Pictures that may wait to be drawn: more would keep their bytes in memory, and their owners waiting (attacks T52). */
const DRAWING_MAX = 16;
const DRAWING_RETRY_S = 5;
/** Files that are deleted in one step. */
const BATCH = 100;

/** What a file turned out to be. */
interface Content {
  readonly kind: 'picture' | 'text';
  readonly whole: Uint8Array<ArrayBuffer>;
  readonly preview: Uint8Array<ArrayBuffer> | null;
  readonly width: number | null;
  readonly height: number | null;
}

/**
 * Files of messages (behaviour 7.3; attacks T43): pictures are drawn anew, texts are taken as they are, and what is
 * neither is refused, whatever it is called. A file belongs to its author until a message takes it with it; from then
 * on it is read by those who read the message.
 */
export function createAttachments(deps: AttachmentsDeps) {
  const { uow, clock, files } = deps;
  const readContent = contentReader(deps.codec);

  /**
   * Keeps a file for a message that its author is about to send. Out: what is kept. Throws VALIDATION_FAILED at `file`,
   * RATE_LIMITED where too many pictures wait.
   */
  async function add(
    authorId: string,
    { name, file }: { readonly name: string; readonly file: Uint8Array<ArrayBuffer> },
    isStaff: boolean,
  ): Promise<Attachment> {
    if (file.byteLength === 0) throw fieldError('file', 'REQUIRED');
    if (file.byteLength > ATTACHMENT_MAX_BYTES) throw fieldError('file', 'ATTACHMENT_TOO_LARGE');
    const found = await deps.scan(file);
    if (found !== 'clean') throw fieldError('file', found === 'away' ? 'ATTACHMENT_UNCHECKED' : 'ATTACHMENT_INFECTED');
    const { kind, whole, preview, width, height } = await readContent(file);
    const attachment: Attachment = {
      id: deps.ids.uuid(),
      authorId,
      name: toAttachmentName(name, kind),
      type: kind === 'picture' ? ATTACHMENT_PICTURE : ATTACHMENT_TEXT,
      bytes: whole.byteLength,
      width,
      height,
      createdMs: clock.now(),
    };
    // The row is there before the file, and goes after it: no file is left that nobody knows of.
    await uow.run(async (tx) => {
      await tx.identity.lockUser(authorId);
      const used = isStaff ? 0 : await tx.attachments.usedBytes(authorId);
      if (used + attachment.bytes > ATTACHMENTS_QUOTA_BYTES) throw fieldError('file', 'ATTACHMENT_QUOTA');
      await tx.attachments.add(attachment);
      await tx.attachments.expireUnsent(authorId, UNSENT_MAX);
    });
    await files.write(attachment.id, 'whole', whole);
    if (preview) await files.write(attachment.id, 'preview', preview);
    return attachment;
  }

  /** A file for its reader. Throws NOT_FOUND, also where the caller may not read it. */
  async function getReadable(ctx: SignedIn, id: string, form: AttachmentForm, isStaff: boolean) {
    const found = await uow.read((tx) => tx.attachments.find(id));
    if (!found) throw new DomainError('NOT_FOUND');
    const { userId } = ctx.actor;
    const isSent = found.kind !== null;
    const mayRead = isSent ? isStaff || (found.ownerId === userId && found.kind !== 'note') : found.authorId === userId;
    const bytes = mayRead ? await files.read(id, form) : null;
    if (!bytes) throw new DomainError('NOT_FOUND');
    return { attachment: found, bytes };
  }

  /** Deletes what was never sent, and what was sent in tickets that are gone. For the scheduler. */
  async function removeUnsent(): Promise<void> {
    for (;;) {
      const ids = await uow.run((tx) => tx.attachments.takeUnsent(clock.now() - UNSENT_MS, BATCH));
      if (ids.length === 0) return;
      for (const id of ids) await files.remove(id);
      await uow.run((tx) => tx.attachments.remove(ids));
    }
  }

  return {
    add,
    removeUnsent,
    /** `add` for the caller's own tickets. */
    addOwn: (ctx: SignedIn, input: Parameters<typeof add>[1]) => add(ctx.actor.userId, input, false),
    /** `add` for an answer of staff. Throws FORBIDDEN as well. */
    async addAsStaff(ctx: SignedIn, input: Parameters<typeof add>[1]) {
      assertMay(ctx, 'admin.tickets.view');
      return add(ctx.actor.userId, input, true);
    },
    getOwn: (ctx: SignedIn, id: string, form: AttachmentForm) => getReadable(ctx, id, form, false),
    /** A file of any ticket. Throws FORBIDDEN, NOT_FOUND. */
    async getAsStaff(ctx: SignedIn, id: string, form: AttachmentForm) {
      assertMay(ctx, 'admin.tickets.view');
      return getReadable(ctx, id, form, true);
    },
  };
}

/** What says by the file's own bytes what it is. Its function throws VALIDATION_FAILED at `file`, RATE_LIMITED. */
function contentReader(codec: PictureCodec): (file: Uint8Array<ArrayBuffer>) => Promise<Content> {
  let drawing = 0;
  async function readPicture(file: Uint8Array<ArrayBuffer>): Promise<Content> {
    if (drawing >= DRAWING_MAX) throw new DomainError('RATE_LIMITED', { retryAfterS: DRAWING_RETRY_S });
    drawing += 1;
    try {
      const forms = await codec.draw('attachment', file);
      if (typeof forms === 'string') throw fieldError('file', forms === 'PICTURE_PIXELS' ? forms : 'ATTACHMENT_FORMAT');
      const whole = forms.find(({ name }) => name === 'whole');
      const preview = forms.find(({ name }) => name === 'preview');
      if (!whole || !preview) throw new Error('a drawn picture lacks a form');
      const { width, height, bytes } = whole;
      return { kind: 'picture', whole: bytes, preview: preview.bytes, width, height };
    } finally {
      drawing -= 1;
    }
  }
  return async (file) => {
    if (isPicture(file)) return readPicture(file);
    if (!isText(file)) throw fieldError('file', 'ATTACHMENT_FORMAT');
    return { kind: 'text', whole: file, preview: null, width: null, height: null };
  };
}

/** Whether it begins as a PNG, a JPEG or a WebP does. */
function isPicture(file: Uint8Array): boolean {
  const start = Buffer.from(file.subarray(0, 12)).toString('latin1');
  return start.startsWith('\x89PNG\r\n\x1a\n') || start.startsWith('\xff\xd8\xff') || /^RIFF.{4}WEBP$/s.test(start);
}

/** Whether it is UTF-8 without signs that no text has; colours of consoles (escape) and form feeds are taken. */
function isText(file: Uint8Array): boolean {
  if (file.some((byte) => byte < 32 && !TEXT_CONTROLS.has(byte))) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(file);
    return true;
  } catch {
    return false;
  }
}
/** Tab, line feed, form feed, carriage return, escape. */
const TEXT_CONTROLS: ReadonlySet<number> = new Set([9, 10, 12, 13, 27]);
