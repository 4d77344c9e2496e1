export { createRedirectLinks, REDIRECT_LINKS_TOPIC, type Visitor, type RedirectLinks } from './service.ts';
export type { MenuLink, RedirectLinksRepo } from './ports.ts';
