import type { Handlers } from '#server/http/implement.types.ts';
import type { Installing, PluginRegistry, Running } from '#server/modules/plugins/index.ts';
import type { PackageReview } from '#server/modules/plugins/installing.ts';
import type { PackageRow } from '#server/modules/plugins/package-ports.ts';
import type { PluginConfig, PluginView } from '#server/modules/plugins/registry.ts';
import { wordsOf } from '#server/modules/plugins/words.ts';
import type { adminPlugins, PluginFieldView, PluginReview, PluginSummary } from '#shared/contract/plugins.ts';
import type { Locale } from '#shared/i18n/locales.ts';
import { requestsOf, type PluginRequest } from '#shared/plugin-manifest.ts';
import type { PluginField } from '#shared/plugins.ts';
import { iso } from '#shared/time.ts';

interface Services {
  readonly plugins: Pick<PluginRegistry, 'list' | 'get' | 'setOn' | 'configure'>;
  readonly pluginInstalling: Installing;
  readonly pluginRunning: Pick<Running, 'stateOf' | 'faultsOf' | 'linesOf'>;
}
type Process = Services['pluginRunning'];

const toSummary = (view: PluginView, locale: Locale, running: Process): PluginSummary => ({
  identifier: view.identifier,
  version: view.version,
  on: view.isOn,
  configurable: view.isConfigurable,
  page: view.page,
  installed: view.installed && toInstalled(view.installed, locale, running),
});
function toInstalled(
  { identifier, manifest, signer, stopped }: PackageRow,
  locale: Locale,
  running: Process,
): NonNullable<PluginSummary['installed']> {
  const words = wordsOf(manifest, locale);
  return {
    name: words.name ?? manifest.name,
    text: words.text ?? manifest.text,
    author: manifest.author ?? '',
    signed: signer !== null,
    state: running.stateOf(identifier),
    faults: running.faultsOf(identifier),
    stopped: stopped && { cause: stopped.cause, text: stopped.text, at: iso(stopped.atMs) },
  };
}
const toField = ([key, field]: [string, PluginField]): PluginFieldView => ({
  key,
  type: field.type,
  lines: field.type === 'text' && field.lines === true,
  ...('max' in field ? { max: field.max } : {}),
  ...('min' in field ? { min: field.min } : {}),
  ...('choices' in field ? { choices: [...field.choices] } : {}),
});
const toRequest = ({ kind, value, credits }: PluginRequest) => ({
  kind,
  value: value ?? null,
  credits: credits ?? null,
});

const toReview = ({ manifest, known, requests, grantedCredits, ...review }: PackageReview): PluginReview => ({
  ...review,
  identifier: manifest.identifier,
  author: manifest.author ?? '',
  version: manifest.version,
  known_since: known && iso(known.knownMs),
  granted_credits: grantedCredits,
  requests: requests.map(({ isNew, ...each }) => ({ ...toRequest(each), new: isNew })),
});

/** What staff see of an installed plugin besides its settings; null: it comes with the product. */
function toDetails({ installed, identifier }: PluginConfig, grantor: string | null, locale: Locale, running: Process) {
  if (!installed) return null;
  const { client, ...permissions } = installed.granted;
  const granted = requestsOf({ ...installed.manifest, permissions, client: client ? 'client.js' : undefined });
  return {
    words: { ...wordsOf(installed.manifest, locale) },
    granted: granted.map(toRequest),
    granted_at: iso(installed.grantedMs),
    granted_by: grantor,
    installed_at: iso(installed.installedMs),
    signer: installed.signer,
    lines: running.linesOf(identifier).map(({ atMs, text }) => ({ at: iso(atMs), text })),
  };
}

/** Plugins for staff. */
export function pluginsHandlers({
  plugins,
  pluginInstalling: installing,
  pluginRunning: running,
}: Services): Handlers<typeof adminPlugins> {
  return {
    async list(ctx) {
      return { rows: (await plugins.list(ctx)).map((each) => toSummary(each, ctx.locale, running)) };
    },
    async get(ctx, { params }) {
      const found = await plugins.get(ctx, params.identifier);
      return {
        plugin: toSummary(found, ctx.locale, running),
        fields: Object.entries(found.fields).map(toField),
        values: { ...found.values },
        secrets: { ...found.secrets },
        revision: found.revision,
        details: toDetails(found, await installing.grantor(ctx, found.identifier), ctx.locale, running),
      };
    },
    setOn: (ctx, { params, body }) => plugins.setOn(ctx, params.identifier, body.on),
    configure: (ctx, { params, body }) => plugins.configure(ctx, params.identifier, body.values, body.revision),
    remove: (ctx, { params }) => installing.remove(ctx, params.identifier),
    upload: async (ctx, { body }) => ({ id: await installing.upload(ctx, body) }),
    review: async (ctx, { params }) => ({ review: toReview(await installing.review(ctx, params.id)) }),
    install: (ctx, { params, body }) => installing.install(ctx, params.id, body),
    discard: (ctx, { params }) => installing.discard(ctx, params.id),
  };
}
