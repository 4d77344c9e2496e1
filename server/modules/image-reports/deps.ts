import { DomainError } from '#shared/errors.ts';
import type { ReportState } from '#shared/image-reports.ts';
import type { Events } from '../events/index.ts';
import type { HostedImage, Images } from '../images/index.ts';
import type { Clock, Ids, SignedIn } from '../kernel.ts';
import type { Tx, UnitOfWork } from '../tx.ts';
import type { ImageReport } from './ports.ts';

export interface ImageReportsDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly keyed: { mac(purpose: string, text: string): string };
  readonly events: Pick<Events, 'emit'>;
  readonly images: Pick<Images, 'moderation'>;
  /** Bans a user; throws as `identity.ban` does. */
  readonly ban: (ctx: SignedIn, userId: string, terms: { reason: string; untilMs: number | null }) => Promise<void>;
  /** The network of an address: what visitors without a session are counted by. */
  readonly networkOf: (address: string) => string;
}

/** What staff decide on, with everything locked in the one order: the owner, the image, its content, the report. */
export interface LockedCase {
  readonly report: ImageReport;
  /** Null: it is gone. */
  readonly image: HostedImage | null;
}

/** A report and its image, locked. Throws NOT_FOUND. */
export async function lockCase(tx: Tx, id: string): Promise<LockedCase> {
  const found = await tx.imageReports.find(id);
  if (!found) throw new DomainError('NOT_FOUND');
  await tx.identity.lockUser(found.ownerId);
  const image = await tx.images.lock(found.imageId);
  await tx.images.lockObject(found.hash);
  const report = await tx.imageReports.lock(id);
  if (!report) throw new DomainError('NOT_FOUND');
  return { report, image };
}

/** What somebody who reported an image is told. */
export const ANSWERS = {
  open: null,
  hidden: 'upheld',
  deleted: 'upheld',
  rejected: 'rejected',
} as const satisfies Record<ReportState, 'upheld' | 'rejected' | null>;
