import type { ImportProduct } from '#shared/imports.ts';
import type { SourceSpec } from '../model.ts';
import { ctrlpanel } from './ctrlpanel.ts';
import { heliactyl } from './heliactyl.ts';
import { jexactyl } from './jexactyl.ts';
import { mythicaldash3 } from './mythicaldash3.ts';
import { mythicaldash4 } from './mythicaldash4.ts';
import { paymenter } from './paymenter.ts';

/** What users are brought from. */
export const SOURCES: Readonly<Record<ImportProduct, SourceSpec>> = {
  ctrlpanel,
  mythicaldash3,
  mythicaldash4,
  paymenter,
  jexactyl,
  heliactyl,
};
