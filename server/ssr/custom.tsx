import type { ReactNode } from 'react';
import type { Boot, SessionAnswer } from '#client/app/boot.ts';
import type { Api } from '#shared/contract/index.ts';
import { can } from '#shared/permissions.ts';

type Custom = Awaited<ReturnType<Api['system']['settings']>>['custom'];
const NOTHING: Custom = { css: null, js: null, ads: false, plugins: [] };

/**
 * What the host adds to a page, and whether safe mode leaves it out: the server runs with `--safe`, or a person who may
 * change settings asks for it with `?safe=1`. Nobody else can ask for it.
 */
export function customOf(
  custom: Custom,
  ask: { readonly server: boolean; readonly url: URL; readonly session: SessionAnswer | null },
): { readonly custom: Custom; readonly safe: Boot['safe'] } {
  const asked =
    ask.url.searchParams.get('safe') === '1' &&
    ask.session !== null &&
    can(ask.session.permissions, 'admin.settings.edit');
  const safe = ask.server ? 'server' : asked ? 'page' : null;
  return safe ? { custom: NOTHING, safe } : { custom, safe };
}

/**
 * The host's stylesheet, after ours and outside its layers, so that it wins; its script, under the page's nonce. The
 * address carries the state, so that both may be kept.
 */
export function CustomHead({ custom, nonce }: { custom: Custom; nonce: string }): ReactNode {
  return (
    <>
      {custom.css && <link rel="stylesheet" data-custom="custom.css" href={`/api/system/custom.css?v=${custom.css}`} />}
      {custom.js && <script async nonce={nonce} data-custom="custom.js" src={`/api/system/custom.js?v=${custom.js}`} />}
    </>
  );
}
