import type { LinkProviderId } from '#shared/link-providers.ts';
import type { SettingValues } from '#shared/settings.ts';
import type { LinkProvider, LinkProviders } from '#server/modules/rewards/links/ports.ts';
import { createCall, type Fetch } from './call.ts';
import { linkvertise } from './linkvertise.ts';
import { adlinkfly, shareus } from './shorteners.ts';
import { template } from './template.ts';

export interface ProviderDeps {
  readonly settings: { current(): SettingValues };
  readonly call: ReturnType<typeof createCall>;
}

const FACTORIES: Readonly<Record<LinkProviderId, (deps: ProviderDeps) => LinkProvider>> = {
  linkvertise,
  shareus,
  linkpays: (deps) => adlinkfly(deps, 'linkpays', 'LinkPays'),
  gyanilinks: (deps) => adlinkfly(deps, 'gyanilinks', 'GyaniLinks'),
  generic: template,
};

/** The providers of links (behaviour 4.5), by the settings of the moment. `userAgent`: who calls. */
export function createLinkProviders(deps: {
  settings: { current(): SettingValues };
  fetch: Fetch;
  userAgent: () => string;
}): LinkProviders {
  const shared = { settings: deps.settings, call: createCall(deps.fetch, deps.userAgent) };
  return { of: (id) => FACTORIES[id](shared) };
}
