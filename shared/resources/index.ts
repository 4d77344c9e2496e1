import { creditPackages } from './credit-packages.ts';
import { eggCategories } from './egg-categories.ts';
import { eggs } from './eggs.ts';
import { j4rServers } from './j4r-servers.ts';
import { locations } from './locations.ts';
import { redeemCodes } from './redeem-codes.ts';
import { storeItems } from './store-items.ts';
import { departments } from './departments.ts';
import { ssoProviders } from './sso-providers.ts';
import { redirectLinks } from './redirect-links.ts';
import { cannedReplies } from './canned-replies.ts';

/** Every admin area that is a definition, by its name. */
export const RESOURCES = {
  locations,
  eggCategories,
  eggs,
  redeemCodes,
  j4rServers,
  creditPackages,
  storeItems,
  departments,
  ssoProviders,
  redirectLinks,
  cannedReplies,
} as const;
export type AreaName = keyof typeof RESOURCES;
