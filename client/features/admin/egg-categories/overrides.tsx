import type { ReactNode } from 'react';
import type { CustomFieldProps, OverridesOf } from '#client/resource/area.ts';
import type { eggCategories } from '#shared/resources/egg-categories.ts';
import { AreaPictureField } from '../parts/pictures/area-picture-field.tsx';

function PictureField(props: CustomFieldProps): ReactNode {
  return <AreaPictureField {...props} area="eggCategories" />;
}

/** Overrides of egg categories: their picture. */
export const overrides: OverridesOf<typeof eggCategories> = { fields: { picture: PictureField } };
