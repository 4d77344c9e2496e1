export { createRedirectLinks, REDIRECT_LINKS_TOPIC, type Reader, type RedirectLinks } from './service.ts';
export type { MenuLink, RedirectLinksRepo } from './ports.ts';
