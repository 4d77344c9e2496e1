import type { Handlers } from '#server/http/implement.types.ts';
import type { PluginRegistry } from '#server/modules/plugins/index.ts';
import type { PluginView } from '#server/modules/plugins/registry.ts';
import type { adminPlugins, PluginFieldView, PluginSummary } from '#shared/contract/plugins.ts';
import type { PluginField } from '#shared/plugins.ts';

interface Services {
  readonly plugins: Pick<PluginRegistry, 'list' | 'get' | 'setOn' | 'configure'>;
}

const toSummary = ({ identifier, version, isOn, isConfigurable, page }: PluginView): PluginSummary => ({
  identifier,
  version,
  on: isOn,
  configurable: isConfigurable,
  page,
});
const toField = ([key, field]: [string, PluginField]): PluginFieldView => ({
  key,
  type: field.type,
  lines: field.type === 'text' && field.lines === true,
  ...('max' in field ? { max: field.max } : {}),
  ...('min' in field ? { min: field.min } : {}),
  ...('choices' in field ? { choices: [...field.choices] } : {}),
});

/** Plugins for staff. */
export function pluginsHandlers({ plugins }: Services): Handlers<typeof adminPlugins> {
  return {
    async list(ctx) {
      return { rows: (await plugins.list(ctx)).map(toSummary) };
    },
    async get(ctx, { params }) {
      const found = await plugins.get(ctx, params.identifier);
      return {
        plugin: toSummary(found),
        fields: Object.entries(found.fields).map(toField),
        values: { ...found.values },
        secrets: { ...found.secrets },
        revision: found.revision,
      };
    },
    setOn: (ctx, { params, body }) => plugins.setOn(ctx, params.identifier, body.on),
    configure: (ctx, { params, body }) => plugins.configure(ctx, params.identifier, body.values, body.revision),
  };
}
