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
  /** Where a link leads; counts that it was followed. `asks`: it leaves the host, and the visitor is asked first. */
  follow: {
    method: 'GET',
    path: '/api/redirect-links/:slug',
    params: z.object({ slug: text(1, SLUG_MAX) }),
    access: 'open',
    fresh: true,
    errors: ['NOT_FOUND', 'SESSION_EXPIRED'],
    response: z.object({ name: z.string(), url: z.string(), host: z.string(), asks: z.boolean() }),
  },
});

export const adminRedirectLinkDays = group({
  /** Clicks of the last 30 days, the oldest first. */
  get: {
    method: 'GET',
    path: '/api/admin/redirect-links/:id/days',
    params: z.object({ id }),
    access: 'admin.redirect.links.list',
    errors: ['NOT_FOUND'],
    response: z.object({ days: z.array(z.object({ day: z.string(), clicks: z.int() })) }),
  },
});
