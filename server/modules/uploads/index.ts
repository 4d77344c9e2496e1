export { createPartUpload } from './part-upload.ts';
export type { IncomingFiles } from './ports.ts';
