/** The access check of the specification (sections 5 and 8), one pure function for server and browser. */
export type AccessIssue =
  { readonly code: 'http' } | { readonly code: 'domain' } | { readonly code: 'port'; readonly port: string };

/** The address at which the visitor opened the product, from a trusted proxy or the address bar. */
export interface VisitedAddress {
  /** `http:` or `https:`, with or without the colon. */
  readonly protocol: string;
  /** Host without port; IPv6 with or without brackets. */
  readonly hostname: string;
  /** Port as written in the address; empty if absent. */
  readonly port: string;
}

const ALLOWED_PORTS: ReadonlySet<string> = new Set(['', '80', '443']);
const PRIVATE_STARTS = ['192.168.', '10.', '172.'];

/**
 * Whether a host is a proper domain: a dot, no leading digit, not localhost or an address, a final label of two letters
 * or more.
 */
export function isProperDomain(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, '');
  if (host === 'localhost' || !host.includes('.') || host.includes(':') || host.startsWith('[')) return false;
  if (/^\d/.test(host) || PRIVATE_STARTS.some((start) => host.startsWith(start))) return false;
  const labels = host.split('.');
  if (labels.some((label) => label === '')) return false;
  return (labels.at(-1) ?? '').length >= 2;
}

/** What is wrong with the address the product was opened at, in display order; empty if nothing is. */
export function accessIssues(reached: VisitedAddress): AccessIssue[] {
  const issues: AccessIssue[] = [];
  if (reached.protocol.replace(':', '') !== 'https') issues.push({ code: 'http' });
  if (!isProperDomain(reached.hostname)) issues.push({ code: 'domain' });
  if (!ALLOWED_PORTS.has(reached.port)) issues.push({ code: 'port', port: reached.port });
  return issues;
}

/** Splits a Host header into name and port. IPv6 literals are in brackets. */
export function splitHost(host: string): { hostname: string; port: string } {
  const found = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(host.trim());
  return found
    ? { hostname: (found[1] ?? '').replaceAll(/[[\]]/g, ''), port: found[2] ?? '' }
    : { hostname: host.trim(), port: '' };
}
