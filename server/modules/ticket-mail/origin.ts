/**
 * What the own mail server says of a mail's origin (RFC 8601): it proved that it comes from the domain of its sender,
 * proved that it does not, or proved neither.
 */
type Origin = 'proven' | 'forged' | 'unknown';

/** Comments of a header, which may hold anything; those inside others are taken from the inside out. */
const COMMENT = /\([^()]*\)/g;

function withoutComments(text: string): string {
  let [before, after] = ['', text];
  while (after !== before) [before, after] = [after, after.replace(COMMENT, ' ')];
  return after;
}

/** The first results of the own server. In: every header, the last server first; its name, '' for whoever was last. */
function ownResults(headers: readonly string[], server: string): readonly string[] {
  for (const header of headers) {
    const [name = '', ...results] = withoutComments(header.slice(0, 10_000)).toLowerCase().split(';');
    const [id = ''] = name.trim().split(/\s+/);
    if (server === '' || id === server.toLowerCase()) return results.map((each) => each.trim());
  }
  return [];
}

/** Whether a domain is another one, or above or below it. */
function isAligned(domain: string, of: string): boolean {
  return domain === of || domain.endsWith(`.${of}`) || of.endsWith(`.${domain}`);
}

/**
 * Where a mail comes from by the words of the own mail server. In: the headers `Authentication-Results`, the last
 * server first; the name that server goes by, '' where it is not set: then whatever stands first can only accuse, as
 * anybody may have written it; the domain of the sender.
 */
export function originOf(headers: readonly string[], server: string, senderDomain: string): Origin {
  const domain = senderDomain.toLowerCase();
  const found = ownResults(headers, server).map((result) => {
    const [, method = '', verdict = ''] = /^(\w+)\s*(?:\/\s*\d+\s*)?=\s*(\w+)/.exec(result) ?? [];
    const [, named = ''] =
      /\b(?:header\.d|smtp\.mailfrom|header\.from)\s*=\s*"?(?:[^\s;"@]*@)?([^\s;"]+)/.exec(result) ?? [];
    return { method, verdict, named };
  });
  const passes = (method: string) =>
    found.some((each) => each.method === method && each.verdict === 'pass' && isAligned(each.named, domain));
  const dmarc = found.find(({ method }) => method === 'dmarc')?.verdict;
  if (dmarc === 'fail') return 'forged';
  if (dmarc === 'pass' || passes('dkim') || passes('spf')) return server === '' ? 'unknown' : 'proven';
  const failed = (method: string) => found.some((each) => each.method === method && each.verdict.endsWith('fail'));
  return failed('spf') || failed('dkim') ? 'forged' : 'unknown';
}
