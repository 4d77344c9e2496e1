export { createImages, type Images } from './service.ts';
export { imageTopic, libraryTopic, type ImagesDeps } from './deps.ts';
export type { UploadedImage } from './upload.ts';
export type {
  DrawnImage,
  HostedImage,
  ImageCodec,
  ImageEmbed,
  ImageFault,
  ImageObject,
  ImageStore,
  ImageStores,
  StoreName,
} from './ports.ts';
