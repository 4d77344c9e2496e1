export { pterodactyl } from './dialect.ts';
