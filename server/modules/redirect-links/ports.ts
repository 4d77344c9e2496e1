import type { LinkAudience, LinkIcon, LinkMenu } from '#shared/schemas/redirect-links.ts';

/** A link of the player's navigation. */
export interface MenuLink {
  readonly name: string;
  readonly slug: string;
  readonly icon: LinkIcon;
  readonly menu: Exclude<LinkMenu, 'none'>;
}

/** A link that can be followed. */
interface StoredLink {
  readonly id: string;
  readonly name: string;
  readonly target: string;
  readonly audience: LinkAudience;
}

/** Redirect links and their clicks by day. Rows are changed through the generic handlers of their area. */
export interface RedirectLinksRepo {
  /** The link of a slug that is on, kept from being deleted until the transaction ends; null where there is none. */
  lockEnabled(slug: string): Promise<StoredLink | null>;
  /** The links of the menu for some audiences, in their order, at most `limit`. */
  menu(audiences: readonly LinkAudience[], limit: number): Promise<MenuLink[]>;
  /** Counts one click of a link on a day (`YYYY-MM-DD`). */
  addClick(id: string, day: string): Promise<void>;
  /** Clicks by day, from a day on, the oldest first; days without any are left out. Null where there is no such link. */
  days(id: string, fromDay: string): Promise<{ readonly day: string; readonly clicks: number }[] | null>;
}
