export { createPictures, type Pictures } from './service.ts';
export type { DrawnForm, PictureCodec } from './ports.ts';
