import * as z from 'zod/mini';
import { isPictureId } from '../picture-url.ts';
import { column, computedNumber, longText, name, onOff, position } from './columns.ts';
import { defineResource } from './define.ts';

/** Groups of eggs. */
export const eggCategories = defineResource({
  area: 'eggCategories',
  path: '/api/admin/egg-categories',
  table: 'egg_categories',
  permission: 'admin.nests',
  nav: { group: 'hosting', order: 4, icon: 'layers' },
  columns: {
    name: name(60),
    description: longText(0, 255, { list: {} }),
    /** Id of a picture of the installation, beside its name where players choose their software; '': none. */
    picture: column({
      store: { type: 'text' },
      row: z.string(),
      // Programs that were written before it was there leave it out.
      input: z.optional(z.string().check(z.refine((text) => text === '' || isPictureId(text), 'INVALID'))),
      field: { kind: 'custom', wide: true, optional: true },
      start: '',
    }),
    enabled: onOff(true),
    position: position(),
    eggs: computedNumber('number'),
  },
  list: ['name', 'description', 'eggs', 'enabled', 'position'],
  groups: { basics: { fields: ['name', 'description', 'picture', 'position', 'enabled'] } },
  title: 'name',
  search: ['name', 'description'],
  sort: 'position',
  unique: [{ fields: ['name'], field: 'name', code: 'NAME_TAKEN' }],
  dependants: { eggs: { refuses: true, link: { area: 'eggs', filter: 'category_id' } }, servers: { refuses: true } },
  bulk: { delete: true, switch: 'enabled' },
});

/** The input of an egg category. */
export type CategoryInput = z.output<typeof eggCategories.create>;
