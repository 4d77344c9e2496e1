export { createImageReports, type ImageReports } from './service.ts';
