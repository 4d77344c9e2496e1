import type { Handlers } from '#server/http/implement.types.ts';
import type { Challenge } from '#server/modules/challenge/index.ts';
import type { ImageReports } from '#server/modules/image-reports/index.ts';
import type { Ids } from '#server/modules/kernel.ts';
import type { imageReports as contract } from '#shared/contract/image-reports.ts';
import { fieldError } from '#shared/errors.ts';
import { imageIdOf } from '#shared/image-reports.ts';
import { iso } from '#shared/time.ts';
import { ensureDevice } from './session-cookies.ts';

interface Services {
  readonly imageReports: Pick<ImageReports, 'complaints'>;
  readonly challenge: Pick<Challenge, 'verify'>;
  readonly ids: Pick<Ids, 'token'>;
}

/** Reports of images by anybody (behaviour 5.5). */
export function imageReportsHandlers({ imageReports, challenge, ids }: Services): Handlers<typeof contract> {
  const { complaints } = imageReports;
  return {
    async create(ctx, { body }) {
      const imageId = imageIdOf(body.image);
      if (imageId === null) throw fieldError('image', 'INVALID');
      await complaints.assertReportable(imageId);
      const holder = { ctx, device: ensureDevice(ctx.cookies, () => ids.token()) };
      await challenge.verify('report', holder, body.challenge);
      return { id: await complaints.create(ctx, { imageId, reason: body.reason, details: body.details }) };
    },
    async get(_, { params }) {
      const { state, createdMs } = await complaints.getState(params.id);
      return { state, created_at: iso(createdMs) };
    },
  };
}
