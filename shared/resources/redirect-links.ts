import * as z from 'zod/mini';
import { LINK_AUDIENCES, LINK_ICONS, LINK_MENUS, slugInput, targetInput } from '../schemas/redirect-links.ts';
import { choice, column, computedNumber, longText, name, onOff, position } from './columns.ts';
import { defineResource } from './define.ts';

/** Addresses of the host's own that lead elsewhere (behaviour 7.6). */
export const redirectLinks = defineResource({
  area: 'redirectLinks',
  path: '/api/admin/redirect-links',
  table: 'redirect_links',
  permission: 'admin.redirect.links',
  nav: { group: 'content', order: 2, icon: 'link' },
  columns: {
    name: name(60),
    slug: column({
      store: { type: 'text' },
      row: z.string(),
      input: slugInput,
      field: { kind: 'code' },
      list: { format: 'code' },
    }),
    target: column({
      store: { type: 'text' },
      row: z.string(),
      input: targetInput,
      field: { kind: 'text', wide: true },
      list: { format: 'text', wrap: true, hideOnPhone: true },
    }),
    /** What staff want to remember of it. */
    note: longText(0, 300, { field: { wide: true } }),
    audience: choice(LINK_AUDIENCES, { start: 'everyone', list: { hideOnPhone: true } }),
    menu: choice(LINK_MENUS, { start: 'none', list: { hideOnPhone: true } }),
    icon: choice(LINK_ICONS, { start: 'link', filter: false, list: null }),
    position: position(),
    /** Times that it was followed; nobody is remembered. */
    clicks: computedNumber('number'),
    enabled: onOff(true),
  },
  groups: {
    link: { columns: 2, fields: ['name', 'slug', 'target', 'audience', 'enabled', 'note'] },
    menu: { columns: 3, fields: ['menu', 'icon', 'position'] },
  },
  title: 'name',
  search: ['name', 'slug', 'target', 'note'],
  sort: 'position',
  unique: [
    { fields: ['name'], field: 'name', code: 'NAME_TAKEN' },
    { fields: ['slug'], field: 'slug', code: 'SLUG_TAKEN' },
  ],
  dependants: { clicks: { refuses: false } },
  bulk: { delete: true, switch: 'enabled' },
});
