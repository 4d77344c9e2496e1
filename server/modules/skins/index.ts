export { createSkins, type Skins } from './service.ts';
export type { SkinCodec, SkinRow, SkinsRepo } from './ports.ts';
