export { createIdentity, type Identity } from './service.ts';
export { createTopicCache, type TopicCache } from './topic-cache.ts';
export { SESSION_LIFE, type Opened, type Resolved, type SessionInfo } from './sessions.ts';
export type { SessionAnswer } from './answer.ts';
export type { Browser } from './login.ts';
export type { IdentityDeps } from './deps.ts';
export type { Newcomer } from './register.ts';
export type { Contact, Passwords, Totp, UserRow } from './ports.ts';
export { networkOf } from './throttle.ts';
