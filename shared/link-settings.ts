import type { LinkProviderId } from './link-providers.ts';

/**
 * Rows of the settings registry for links for rewards (behaviour 4.5): each provider has the same terms, and settings
 * of its own.
 */
const text = (value: string, max = 200) =>
  ({ type: 'text', default: value, max, group: 'integrations', public: false }) as const;
/** Host names on one line, apart by blanks. */
const hosts = (value: string) => ({ ...text(value), format: 'list', separator: ' ' }) as const;
const lines = (value: string, max = 2000) =>
  ({ type: 'text', default: value, max, lines: true, format: 'list', group: 'integrations', public: false }) as const;
/** In: the setting with the address it is sent to (see Secret in setting-rows.ts). */
const secret = (address: string) =>
  ({
    type: 'text',
    default: '' as string,
    max: 500,
    secret: { sentTo: [address] },
    group: 'integrations',
    public: false,
  }) as const;
const number = (value: number, min: number, max: number, unit: string) =>
  ({ type: 'number', default: value, min, max, unit, group: 'earning', public: false }) as const;
const off = { type: 'switch', default: false as boolean, group: 'earning', public: false } as const;

interface Terms {
  readonly enabled: typeof off;
  readonly credits: ReturnType<typeof number>;
  readonly cooldown_minutes: ReturnType<typeof number>;
  readonly daily: ReturnType<typeof number>;
  readonly min_seconds: ReturnType<typeof number>;
  readonly max_minutes: ReturnType<typeof number>;
}
/** What a provider pays and how often; the numbers are behaviour's defaults. */
const TERMS: Terms = {
  enabled: off,
  credits: number(100, 1, 1_000_000_000, 'credits'),
  cooldown_minutes: number(60, 0, 10_080, 'min'),
  daily: number(5, 0, 1000, 'count'),
  min_seconds: number(60, 0, 3600, 's'),
  max_minutes: number(60, 1, 1440, 'min'),
};
type Named<P extends LinkProviderId> = { readonly [K in keyof Terms as `link_${P}_${K}`]: Terms[K] };

function terms<const P extends LinkProviderId>(id: P): Named<P> {
  return Object.fromEntries(Object.entries(TERMS).map(([name, row]) => [`link_${id}_${name}`, row])) as Named<P>;
}

export const LINK_SETTINGS = {
  ...terms('linkvertise'),
  /** The publisher's number, the token of the anti-bypassing proof, the addresses of links and of the proof. */
  link_linkvertise_user: text('', 20),
  link_linkvertise_key: secret('link_linkvertise_api'),
  link_linkvertise_host: text('https://link-to.net'),
  link_linkvertise_api: text('https://publisher.linkvertise.com'),
  ...terms('shareus'),
  link_shareus_key: secret('link_shareus_api'),
  link_shareus_api: text('https://api.shareus.io'),
  /** Hosts that a short link may lead to, separated by spaces; their subdomains too. */
  link_shareus_hosts: hosts('shareus.io shrs.link'),
  ...terms('linkpays'),
  link_linkpays_key: secret('link_linkpays_api'),
  link_linkpays_api: text('https://linkpays.in'),
  link_linkpays_hosts: hosts('linkpays.in'),
  ...terms('gyanilinks'),
  link_gyanilinks_key: secret('link_gyanilinks_api'),
  link_gyanilinks_api: text('https://gyanilinks.com'),
  link_gyanilinks_hosts: hosts('gyanilinks.com'),
  ...terms('generic'),
  link_generic_name: text('', 40),
  /** The sponsor's address: `{url}` is the return address, `{claim}` the claim's number. */
  link_generic_start: text('', 500),
  /**
   * What the sponsor replaces with its proof in our return address (`{TOKEN}`); empty where it appends a parameter
   * `token` itself.
   */
  link_generic_placeholder: text('', 40),
  /** Where a proof is checked: `{token}`, `{key}`, `{claim}`, `{address}`. Empty: no proof. */
  link_generic_check: text('', 500),
  /** Conditions of the answer, one per line: a path and its value; `{address}` and `{claim}` in values. */
  link_generic_conditions: lines('valid=true'),
  link_generic_key: secret('link_generic_check'),
} as const;
