import * as z from 'zod/mini';
import { LINK_ICONS, LINK_MENUS, SLUG_MAX } from '../schemas/redirect-links.ts';
import { id, text } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';

/** A link in the player's navigation. */
export const menuLink = z.object({
  name: z.string(),
  slug: z.string(),
  icon: z.enum(LINK_ICONS),
  menu: z.enum(LINK_MENUS),
});

/** Addresses of the host's own that lead elsewhere (behaviour 7.6). */
export const redirectLinks = group({
  follow: {
    method: 'GET',
    path: '/api/redirect-links/:slug',
    summary: 'Follow a redirect link',
    description:
      'Answers with where it leads, and counts the visit. `asks`: it leaves the host, ask the visitor first.',
    params: z.object({ slug: text(1, SLUG_MAX) }),
    access: 'open',
    fresh: true,
    errors: ['NOT_FOUND', 'SESSION_EXPIRED'],
    response: z.object({ name: z.string(), url: z.string(), host: z.string(), asks: z.boolean() }),
  },
});

export const adminRedirectLinkDays = group({
  get: {
    method: 'GET',
    path: '/api/admin/redirect-links/:id/days',
    summary: 'Get a redirect link’s visits by day',
    description: 'The last 30 days, oldest first.',
    params: z.object({ id }),
    access: 'admin.redirect.links.list',
    errors: ['NOT_FOUND'],
    response: z.object({ days: z.array(z.object({ day: z.string(), clicks: z.int() })) }),
  },
});
