import * as z from 'zod/mini';
import { cannedText } from '../schemas/ticket.ts';
import { column, name, onOff, position } from './columns.ts';
import { defineResource } from './define.ts';

/** Replies that staff keep at hand for tickets (behaviour 7.3), with variables that are filled in as one is inserted. */
export const cannedReplies = defineResource({
  area: 'cannedReplies',
  path: '/api/admin/canned-replies',
  table: 'canned_replies',
  permission: 'admin.canned.replies',
  nav: { group: 'people', order: 4, icon: 'file' },
  columns: {
    name: name(80),
    text: column({
      store: { type: 'text' },
      row: z.string(),
      input: cannedText,
      field: { kind: 'textarea', rows: 8, wide: true },
      list: { format: 'text', wrap: true, hideOnPhone: true },
    }),
    position: position(),
    enabled: onOff(true),
  },
  title: 'name',
  search: ['name', 'text'],
  sort: 'position',
  unique: [{ fields: ['name'], field: 'name', code: 'NAME_TAKEN' }],
  bulk: { delete: true, switch: 'enabled' },
});
