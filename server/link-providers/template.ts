import { SECOND } from '#shared/time.ts';
import type { LinkProvider } from '#server/modules/rewards/links/ports.ts';
import { fieldOf, parseJson } from './call.ts';
import type { ProviderDeps } from './index.ts';

const CHECK_TIMEOUT = 5 * SECOND;

/**
 * A provider that is described in the settings alone: where a way begins (`{url}`, `{claim}`), and, for one that
 * proves, where a proof is checked (`{token}`, `{key}`, `{claim}`, `{address}`) and what has to hold in its answer.
 */
export function template({ settings, call }: ProviderDeps): LinkProvider {
  const values = settings.current();
  const {
    link_generic_start: start,
    link_generic_check: check,
    link_generic_key: key,
    link_generic_placeholder: placeholder,
    link_generic_name: name,
  } = values;
  return {
    ready: start !== '',
    proves: check !== '',
    name: name === '' ? (URL.parse(start)?.hostname ?? '') : name,
    isProof: (text) => /^[\w.~-]{8,300}$/.test(text),
    createLink({ claimId, target }) {
      // What the provider puts its proof in place of has to stay readable to it.
      const back =
        encodeURIComponent(target) +
        (check !== '' && placeholder !== '' ? `${encodeURIComponent('&token=')}${placeholder}` : '');
      return Promise.resolve({ url: start.replaceAll('{url}', () => back).replaceAll('{claim}', claimId), answer: '' });
    },
    async check(proof, { claimId, address }) {
      const fill = { token: proof, key, claim: claimId, address };
      const url = check.replaceAll(/\{(token|key|claim|address)\}/g, (_, word: keyof typeof fill) =>
        encodeURIComponent(fill[word]),
      );
      const answer = await call({ url, method: 'GET', timeoutMs: CHECK_TIMEOUT, secrets: [key, proof] });
      if (answer.status === null || answer.status >= 500 || answer.status === 429)
        return { result: 'unknown', answer: answer.record };
      if (answer.status === 401 || answer.status === 403) return { result: 'fault', answer: answer.record };
      const json = parseJson(answer.text);
      if (json === undefined) return { result: 'unknown', answer: answer.record };
      return {
        result: answer.status < 300 && holds(values.link_generic_conditions, json, fill) ? 'yes' : 'no',
        answer: answer.record,
      };
    },
  };
}

/**
 * Whether every condition holds, and there is one: `path=value`, the path apart by dots, the value as JSON writes it or
 * as plain text.
 */
function holds(conditions: string, json: unknown, fill: { readonly claim: string; readonly address: string }): boolean {
  const rows = conditions
    .split('\n')
    .map((row) => row.trim())
    .filter(Boolean);
  return (
    rows.length > 0 &&
    rows.every((row) => {
      const at = row.indexOf('=');
      const found = row.slice(0, at).trim().split('.').reduce(fieldOf, json);
      const wanted = row
        .slice(at + 1)
        .trim()
        .replaceAll('{address}', fill.address)
        .replaceAll('{claim}', fill.claim);
      return ['string', 'number', 'boolean'].includes(typeof found) && String(found) === wanted;
    })
  );
}
