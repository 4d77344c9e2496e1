import * as z from 'zod/mini';

/** Where the player's navigation lists a redirect link: one of its groups, or nowhere. */
export const LINK_MENUS = ['none', 'play', 'earn', 'spend', 'community'] as const;
export type LinkMenu = (typeof LINK_MENUS)[number];

/** Who may follow a redirect link: visitors too, those who are signed in, staff. */
export const LINK_AUDIENCES = ['everyone', 'players', 'staff'] as const;
export type LinkAudience = (typeof LINK_AUDIENCES)[number];

/** Icons of redirect links, by their names in client/ui/icons-app.ts. */
export const LINK_ICONS = [
  'link',
  'chat',
  'crown',
  'file',
  'gamepad',
  'gift',
  'image',
  'megaphone',
  'shield',
  'sparkles',
  'users',
] as const;
export type LinkIcon = (typeof LINK_ICONS)[number];

/** Longest name after `/go/`. */
export const SLUG_MAX = 60;
const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** The name after `/go/`: letters, digits and single hyphens, in lower case. */
export const slugInput = z.string().check(
  z.trim(),
  z.toLowerCase(),
  z.minLength(1),
  z.maxLength(SLUG_MAX),
  z.refine((text) => text === '' || SLUG.test(text), 'INVALID_SLUG'),
);

/**
 * The address that a redirect link leads to, as the URL parser writes it: http or https, without a name and password
 * (attacks T45). Null where the text is no such address.
 */
export function linkTarget(text: string): URL | null {
  const url = URL.parse(text.trim());
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') return null;
  return url.username === '' && url.password === '' ? url : null;
}

/** An address that a redirect link may lead to. */
export const targetInput = z.string().check(
  z.trim(),
  z.minLength(1),
  z.maxLength(1000),
  z.refine((text) => text === '' || linkTarget(text) !== null, 'INVALID_URL'),
  z.overwrite((text) => linkTarget(text)?.href ?? text),
);
