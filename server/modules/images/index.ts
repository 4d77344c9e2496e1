export { createImages, type Images } from './service.ts';
export { archivedName } from './file-name.ts';
export { libraryTopic } from './deps.ts';
export type { DrawnImage, HostedImage, ImageCodec, ImageFault, ImageFile, ImageStore, LibraryImage } from './ports.ts';
