/** The most common services for disposable addresses; the host adds others in `abuse_disposable_domains`. */
const KNOWN_DOMAINS: ReadonlySet<string> = new Set(
  `10minutemail.com dispostable.com emailondeck.com fakeinbox.com getairmail.com getnada.com guerrillamail.com guerrillamail.net guerrillamail.org
  mailcatch.com maildrop.cc mailinator.com mailnesia.com mintemail.com moakt.com mohmal.com mytemp.email sharklasers.com spamgourmet.com temp-mail.org
  tempail.com tempmail.dev tempmailo.com throwawaymail.com trashmail.com yopmail.com`.split(/\s+/),
);

/**
 * Whether an e-mail address belongs to a service for disposable addresses, or to a subdomain of one. In: the address,
 * and the host's own list, one domain per line.
 */
export function isDisposable(email: string, ownDomains: string): boolean {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  const listed = new Set(
    ownDomains
      .split('\n')
      .map((line) => line.trim().toLowerCase().replace(/^@/, ''))
      .filter(Boolean),
  );
  const parts = domain.split('.');
  return parts.some((_, index) => {
    const name = parts.slice(index).join('.');
    return KNOWN_DOMAINS.has(name) || listed.has(name);
  });
}
