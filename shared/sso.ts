/**
 * Services elsewhere that people sign in with (behaviour 3.6): three that the product knows, and any OpenID Connect
 * provider (OpenID Connect Core 1.0).
 */
export const SSO_KINDS = ['discord', 'github', 'google', 'oidc'] as const;
export type SsoKind = (typeof SSO_KINDS)[number];

/** Where each known service is; an OpenID Connect provider names its own, and so may a GitHub Enterprise Server. */
export const SSO_ISSUERS: Readonly<Record<SsoKind, string>> = {
  discord: 'https://discord.com',
  github: 'https://github.com',
  google: 'https://accounts.google.com',
  oidc: '',
};

/** What each is asked for where nothing else is set. */
export const SSO_SCOPES: Readonly<Record<SsoKind, string>> = {
  discord: 'identify email',
  github: 'read:user user:email',
  google: 'openid email profile',
  oidc: 'openid email profile',
};

/** What links to accounts of a provider are kept under: its issuer; Discord's by its name, as they always were. */
export function identityKey({ kind, issuer }: { readonly kind: SsoKind; readonly issuer: string }): string {
  return kind === 'discord' ? 'discord' : issuer;
}

/** What a provider is called of which only the key of its links is known (`identityKey`): its host. */
export function providerHost(key: string): string {
  return key === 'discord' ? 'Discord' : (URL.parse(key)?.host ?? key);
}

/**
 * Why a test of a provider failed: no application that works; it cannot be reached; what it says of itself is no
 * discovery document; it calls itself something else than its issuer here.
 */
export const SSO_FAULTS = ['application', 'unreachable', 'answer', 'issuer'] as const;
export type SsoFault = (typeof SSO_FAULTS)[number];
/** Kinds that say of themselves where they are, so that there is something to test. */
export const SSO_TESTED: readonly SsoKind[] = ['oidc', 'google'];

/** Icons that a provider's button may have. */
export const SSO_ICONS = ['key', 'shield-check', 'user', 'globe', 'mail', 'lock', 'server'] as const;

/**
 * What a state begins with, which is how the page that people come back to knows what they had begun. The server goes
 * by what it stored, never by this.
 */
export const SSO_PURPOSES = { signIn: 's.', link: 'l.' } as const;
export type SsoPurpose = keyof typeof SSO_PURPOSES;

/** Whether an address is this machine's own: the only one that a provider may be reached at without encryption. */
export function isLoopback(address: URL): boolean {
  return address.hostname === 'localhost' || address.hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(address.hostname);
}
