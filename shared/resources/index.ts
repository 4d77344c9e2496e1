import { eggCategories } from './egg-categories.ts';
import { eggs } from './eggs.ts';
import { locations } from './locations.ts';
import { redeemCodes } from './redeem-codes.ts';

/** Every admin area that is a definition, by its name. */
export const RESOURCES = { locations, eggCategories, eggs, redeemCodes } as const;
export type AreaName = keyof typeof RESOURCES;
