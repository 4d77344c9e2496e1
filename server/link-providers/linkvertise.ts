import { SECOND } from '#shared/time.ts';
import type { LinkProvider, Verdict } from '#server/modules/rewards/links/ports.ts';
import { fieldOf, parseJson, type Answer } from './call.ts';
import type { ProviderDeps } from './index.ts';

/** A proof lives ten seconds: an answer after five is of no use (services, linkvertise). */
const CHECK_TIMEOUT = 5 * SECOND;

/**
 * Linkvertise: a dynamic link without a call, and the anti-bypassing proof. Without the publisher's number and token it
 * is not ready.
 */
export function linkvertise({ settings, call }: ProviderDeps): LinkProvider {
  const {
    link_linkvertise_user: user,
    link_linkvertise_key: token,
    link_linkvertise_host: host,
    link_linkvertise_api: api,
  } = settings.current();
  return {
    ready: user !== '' && token !== '',
    proves: true,
    name: 'Linkvertise',
    isProof: (text) => /^[A-Za-z0-9]{64}$/.test(text),
    createLink({ claimId, target }) {
      // Any decimal does; one of the claim's own keeps the address the same however often it is asked for.
      const random = `${Number.parseInt(claimId.slice(-8, -4), 16) % 1000}.${Number.parseInt(claimId.slice(-4), 16) % 10}`;
      const url = `${host}/${user}/${random}/dynamic?r=${encodeURIComponent(btoa(target))}`;
      return Promise.resolve({ url, answer: '' });
    },
    async check(proof) {
      const query = new URLSearchParams({ token, hash: proof });
      return read(
        await call({
          url: `${api}/api/v1/anti_bypassing?${query}`,
          method: 'POST',
          timeoutMs: CHECK_TIMEOUT,
          secrets: [token, proof],
        }),
      );
    },
  };
}

/** The answer, read strictly: a page of HTML may contain any word. */
function read(answer: Answer): Verdict {
  if (answer.status === null) return { result: 'unknown', answer: answer.record };
  const word = answer.text
    .trim()
    .replace(/^"([^"]*)"$/, '$1')
    .toLowerCase();
  if (word.length < 200 && word.includes('invalid token')) return { result: 'fault', answer: answer.record };
  if (answer.status < 200 || answer.status >= 300) return { result: 'unknown', answer: answer.record };
  if (word === 'true' || word === 'false') return { result: word === 'true' ? 'yes' : 'no', answer: answer.record };
  const json = parseJson(answer.text);
  const status = fieldOf(json, 'status') ?? fieldOf(json, 'success');
  return { result: status === true ? 'yes' : status === false ? 'no' : 'unknown', answer: answer.record };
}
