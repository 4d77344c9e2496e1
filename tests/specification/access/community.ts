import type { Part } from './part.types.ts';

/** Tickets, images and announcements, with what staff do about them. */
export const COMMUNITY: readonly Part[] = [
  {
    says: 'Pictures of the host’s own: staff add and delete them, everybody sees them (behaviour 7.4, 8.4).',
    endpoints: {
      'GET /api/admin/images': 'admin.images.list',
      'GET /api/admin/images/:id': 'admin.images.delete',
      'POST /api/admin/images/:id/pictures/:kind': ['admin.images.list', 'limit:upload'],
      'POST /api/admin/images': ['admin.images.create', 'limit:imageUpload', 'upload', 'ceiling:image'],
      'PATCH /api/admin/images/:id': 'admin.images.edit',
      'DELETE /api/admin/images/:id': 'admin.images.delete',
    },
  },
  {
    says:
      'Images of users (behaviour 5.5): one’s own with a session, uploads of programs by an upload key, which the handler ' +
      'reads. Anybody sees an image, or deletes it by the address that came with its upload.',
    endpoints: {
      'GET /api/images': ['signed-in', 'flag:image_hosting_enabled'],
      'POST /api/images': [
        'signed-in',
        'verified',
        'limit:imageUpload',
        'upload',
        'ceiling:image',
        'flag:image_hosting_enabled',
      ],
      'POST /api/images/upload': [
        'open',
        'limit:imageUpload',
        'upload',
        'ceiling:imageForm',
        'flag:image_hosting_enabled',
      ],
      'POST /api/images/delete': ['signed-in', 'flag:image_hosting_enabled'],
      'GET /api/images/archive': ['signed-in', 'limit:imageArchive'],
      'GET /api/images/config': ['signed-in', 'flag:image_hosting_enabled'],
      'POST /api/images/key': ['signed-in', 'verified', 'secret', 'flag:image_hosting_enabled'],
      'DELETE /api/images/key': ['signed-in', 'flag:image_hosting_enabled'],
      'PUT /api/images/embed': ['signed-in', 'flag:image_hosting_enabled'],
      'GET /api/images/:id': ['open'],
      'POST /api/images/:id/delete': 'open',
      'GET /api/image-files/:name': ['open', 'limit:imageFile'],
    },
  },
  {
    says:
      'Reports of images (behaviour 5.5): anybody makes them, with some work to it, also while hosting is off; what ' +
      'became of one reads who knows its id. Staff by the permissions of section 6; banning takes that of users as well.',
    endpoints: {
      'GET /api/admin/webhooks': 'admin.plugins.list',
      'GET /api/webhook-events': 'open',
      'GET /api/admin/webhooks/new': 'admin.plugins.edit',
      'GET /api/admin/webhooks/:id/edit': 'admin.plugins.edit',
      'POST /api/admin/webhooks': ['admin.plugins.edit', 'limit:create', 'secret'],
      'GET /api/admin/webhooks/:id': 'admin.plugins.list',
      'PATCH /api/admin/webhooks/:id': ['admin.plugins.edit', 'secret'],
      'POST /api/admin/webhooks/:id/rotate': ['admin.plugins.edit', 'limit:create', 'secret'],
      'DELETE /api/admin/webhooks/:id': 'admin.plugins.edit',
      'POST /api/admin/webhooks/:id/test': ['admin.plugins.edit', 'limit:create'],
      'GET /api/admin/webhooks/:id/deliveries': 'admin.plugins.list',
      'GET /api/admin/webhook-deliveries/:id': 'admin.plugins.list',
      'POST /api/admin/webhook-deliveries/:id/resend': ['admin.plugins.edit', 'limit:create'],
      'POST /api/admin/webhooks/:id/resend': ['admin.plugins.edit', 'limit:create'],
      'POST /api/image-reports': ['open', 'limit:imageReport'],
      'GET /api/image-reports/:id': 'open',
      'GET /api/admin/image-reports': 'admin.image.reports.list',
      'GET /api/admin/image-reports/:id': 'admin.image.reports.view',
      'GET /api/admin/image-reports/:id/picture/:form': 'admin.image.reports.view',
      'POST /api/admin/image-reports/:id/decide': 'admin.image.reports.edit',
      'POST /api/admin/image-reports/decide': 'admin.image.reports.edit',
      'POST /api/admin/image-reports/:id/ban': 'admin.image.reports.edit',
      'PUT /api/admin/image-reports/:id/note': 'admin.image.reports.edit',
      'POST /api/admin/image-reports/:id/allow': 'admin.image.reports.edit',
      'DELETE /api/admin/image-reports/:id': 'admin.image.reports.delete',
    },
  },
  {
    says:
      'Tickets: one’s own, also of whoever has not confirmed an address yet, who may need help with just that ' +
      '(behaviour 7.3). Closing, reopening and reading twice is the same as once.',
    endpoints: {
      'GET /api/tickets': ['signed-in', 'flag:allow_tickets'],
      'GET /api/tickets/form': ['signed-in', 'flag:allow_tickets'],
      'POST /api/tickets': ['signed-in', 'idempotent', 'limit:ticket', 'flag:allow_tickets'],
      // Staff write as well, whether players may or not.
      'POST /api/tickets/preview': 'signed-in',
      'POST /api/ticket-attachments': [
        'signed-in',
        'upload',
        'ceiling:attachments',
        'limit:attachment',
        'flag:allow_tickets',
      ],
      'GET /api/ticket-attachments/:id': ['signed-in', 'flag:allow_tickets'],
      'GET /api/tickets/:id': ['signed-in', 'flag:allow_tickets'],
      'POST /api/tickets/:id/messages': ['signed-in', 'idempotent', 'limit:ticket', 'flag:allow_tickets'],
      'POST /api/tickets/:id/close': ['signed-in', 'flag:allow_tickets'],
      'POST /api/tickets/:id/reopen': ['signed-in', 'limit:ticket', 'flag:allow_tickets'],
      'POST /api/tickets/:id/read': ['signed-in', 'flag:allow_tickets'],
      'PUT /api/tickets/:id/rating': ['signed-in', 'limit:ticket', 'flag:allow_tickets'],
      'GET /api/tickets/:id/writers': ['signed-in', 'flag:allow_tickets'],
      'POST /api/tickets/:id/typing': ['signed-in', 'limit:typing', 'flag:allow_tickets'],
      // Staff: who opens tickets answers them (the catalogue has no other right for it).
      'GET /api/admin/tickets': 'admin.tickets.list',
      'GET /api/admin/tickets/:id': 'admin.tickets.view',
      'POST /api/admin/ticket-attachments': ['admin.tickets.view', 'upload', 'ceiling:attachments'],
      'GET /api/admin/ticket-attachments/:id': 'admin.tickets.view',
      'POST /api/admin/tickets/:id/messages': ['admin.tickets.view', 'idempotent'],
      'PATCH /api/admin/tickets/:id': 'admin.tickets.view',
      'POST /api/admin/tickets/:id/merge': ['admin.tickets.view', 'idempotent'],
      'POST /api/admin/tickets/:id/split': ['admin.tickets.view', 'idempotent'],
      'PUT /api/admin/tickets/:id/block': 'admin.tickets.view',
      'DELETE /api/admin/tickets/:id/block': 'admin.tickets.view',
      'POST /api/admin/tickets/:id/read': 'admin.tickets.view',
      'GET /api/admin/tickets/:id/writers': 'admin.tickets.view',
      'POST /api/admin/tickets/:id/typing': ['admin.tickets.view', 'limit:typing'],
      'GET /api/admin/tickets/reports': 'admin.tickets.list',
      'GET /api/admin/tickets/reports/export.csv': 'admin.tickets.list',
      'GET /api/admin/tickets/canned-replies': 'admin.tickets.view',
      'POST /api/admin/tickets/change': 'admin.tickets.view',
      'GET /api/admin/tickets/summary': 'admin.dashboard.components.support.view',
    },
  },
  {
    says:
      'Announcements (behaviour 7.4): whoever is signed in reads those that are for them, and marks and answers them for ' +
      'themselves alone. Visitors read those for everybody where the host wants that, which the service knows.',
    endpoints: {
      'GET /api/announcements': 'signed-in',
      'GET /api/announcements/:id': 'signed-in',
      'POST /api/announcements/:id/read': 'signed-in',
      'POST /api/announcements/read': 'signed-in',
      'POST /api/announcements/:id/reactions': 'signed-in',
      'GET /api/news': 'open',
      'GET /api/news/:id': 'open',
      'GET /api/news/feed.atom': 'open',
      'GET /api/admin/announcements': 'admin.announcements.list',
      'GET /api/admin/announcements/options': 'admin.announcements.create',
      'GET /api/admin/announcements/audience': 'admin.announcements.list',
      'POST /api/admin/announcements/:id/send-preview': ['admin.announcements.edit', 'limit:mail'],
      'POST /api/admin/announcements': ['admin.announcements.create', 'idempotent', 'limit:create'],
      'GET /api/admin/announcements/:id': 'admin.announcements.edit',
      'PATCH /api/admin/announcements/:id': ['admin.announcements.edit', 'idempotent'],
      'POST /api/admin/announcements/:id/restore': ['admin.announcements.edit', 'idempotent'],
      'GET /api/admin/announcements/:id/dependants': 'admin.announcements.delete',
      'DELETE /api/admin/announcements/:id': 'admin.announcements.delete',
      'POST /api/admin/announcements/preview': 'admin.announcements.list',
      'POST /api/admin/announcements/pictures': ['admin.announcements.edit', 'limit:upload', 'upload', 'ceiling:image'],
    },
  },
  {
    says:
      'Redirect links (behaviour 7.6): whoever has one may follow it, the service knows for whom it is; staff who see ' +
      'the links see their clicks.',
    endpoints: {
      'GET /api/redirect-links/:slug': 'open',
      'GET /api/admin/redirect-links/:id/days': 'admin.redirect.links.list',
    },
  },
];
