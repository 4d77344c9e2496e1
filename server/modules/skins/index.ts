export { createSkins, type Skins } from './service.ts';
export type { SkinCodec } from './ports.ts';
