export { pelican } from './dialect.ts';
