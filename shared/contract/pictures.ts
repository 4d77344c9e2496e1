import * as z from 'zod/mini';
import { SETTING_PICTURES, PICTURE_MAX_BYTES, PICTURE_UPLOAD_TYPE } from '../pictures.ts';
import { group } from './endpoint.ts';

/** Pictures of the installation for staff (behaviour 8.4). A setting shows what was uploaded here. */
export const adminPictures = group({
  add: {
    method: 'POST',
    path: '/api/admin/pictures/:kind',
    summary: 'Upload a picture of the installation',
    description: 'Answers with its id, for a setting of its kind.',
    params: z.object({ kind: z.enum(SETTING_PICTURES) }),
    ceiling: 'image',
    upload: { type: PICTURE_UPLOAD_TYPE, max: PICTURE_MAX_BYTES },
    access: 'admin.settings.edit',
    limit: 'upload',
    errors: ['VALIDATION_FAILED', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
    response: z.object({ id: z.string() }),
  },
});
