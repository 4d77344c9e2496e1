import { SECOND } from '#shared/time.ts';
import type { LinkProvider, LinkResult } from '#server/modules/rewards/links/ports.ts';
import { fieldOf, parseJson, safeLink, type Answer } from './call.ts';
import type { ProviderDeps } from './index.ts';

const TIMEOUT = 8 * SECOND;

/** What shorteners have in common: they prove nothing, so nobody is ever asked. */
const PROVES_NOTHING = {
  proves: false,
  isProof: () => false,
  check: () => Promise.resolve({ result: 'no', answer: '' } as const),
} as const;

/**
 * LinkPays, GyaniLinks: the AdLinkFly interface (services, shorteners). Our claim is in the target, so each way gets a
 * link of its own.
 */
export function adlinkfly({ settings, call }: ProviderDeps, id: 'linkpays' | 'gyanilinks', name: string): LinkProvider {
  const values = settings.current();
  const [key, api, hosts] = [values[`link_${id}_key`], values[`link_${id}_api`], values[`link_${id}_hosts`]];
  return {
    ...PROVES_NOTHING,
    ready: key !== '',
    name,
    async createLink({ target }) {
      const query = new URLSearchParams({ api: key, url: target, format: 'json' });
      const answer = await call({
        url: `${api}/api?${query}`,
        method: 'GET',
        timeoutMs: TIMEOUT,
        secrets: [key, target],
      });
      return readLink(answer, hosts);
    },
  };
}

/** The answer comes with status 200 also where it refuses. HTML is a wall against robots: no answer. */
function readLink(answer: Answer, hosts: string): LinkResult {
  if (answer.status === null || answer.status < 200 || answer.status >= 300)
    return { failed: 'unavailable', answer: answer.record };
  const json = parseJson(answer.text);
  const status = fieldOf(json, 'status');
  if (status === 'error') return { failed: 'refused', answer: answer.record };
  const link = fieldOf(json, 'shortenedUrl');
  const url = status === 'success' && typeof link === 'string' ? safeLink(link, hosts) : null;
  return url === null ? { failed: 'unavailable', answer: answer.record } : { url, answer: answer.record };
}

/** ShareUs: the body is the short link as plain text. */
export function shareus({ settings, call }: ProviderDeps): LinkProvider {
  const { link_shareus_key: key, link_shareus_api: api, link_shareus_hosts: hosts } = settings.current();
  return {
    ...PROVES_NOTHING,
    ready: key !== '',
    name: 'ShareUs',
    async createLink({ target }) {
      const answer = await call({
        url: `${api}/easy_api?${new URLSearchParams({ key, link: target })}`,
        method: 'GET',
        timeoutMs: TIMEOUT,
        secrets: [key, target],
      });
      if (answer.status === null || answer.status >= 500) return { failed: 'unavailable', answer: answer.record };
      const url = answer.status === 200 && !/\s/.test(answer.text.trim()) ? safeLink(answer.text, hosts) : null;
      if (url !== null) return { url, answer: answer.record };
      return { failed: answer.text.trimStart().startsWith('<') ? 'unavailable' : 'refused', answer: answer.record };
    },
  };
}
