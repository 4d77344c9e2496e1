import type { Handlers } from '#server/http/implement.types.ts';
import type { Actor } from '#server/modules/kernel.ts';
import type { Visitor, RedirectLinks } from '#server/modules/redirect-links/index.ts';
import { isStaff } from '#shared/can.ts';
import type { CONTRACT } from '#shared/contract/index.ts';

interface Services {
  readonly redirectLinks: RedirectLinks;
}

/** Who somebody is to redirect links. A session that waits for its second factor is a guest's. */
export function visitorOf(actor: Actor | null): Visitor {
  if (!actor || actor.waiting) return 'guest';
  return isStaff(actor.permissions) ? 'staff' : 'player';
}

/** Redirect links for those who follow them (behaviour 7.6). */
export function redirectLinksHandlers({ redirectLinks }: Services): Handlers<typeof CONTRACT.redirectLinks> {
  return { follow: ({ actor }, { params }) => redirectLinks.follow(visitorOf(actor), params.slug) };
}

/** Clicks of a redirect link by day, for staff. */
export function redirectLinkDaysHandlers({ redirectLinks }: Services): Handlers<typeof CONTRACT.adminRedirectLinkDays> {
  return { get: async (_, { params }) => ({ days: await redirectLinks.days(params.id) }) };
}
