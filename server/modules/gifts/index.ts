export { createGifts, type Gifts } from './service.ts';
