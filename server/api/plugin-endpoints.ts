import type { HandlerCtx, Handlers } from '#server/http/implement.types.ts';
import type { PluginRegistry, Running } from '#server/modules/plugins/index.ts';
import type { pluginEndpoints } from '#shared/contract/plugins.ts';
import { DomainError } from '#shared/errors.ts';

interface Services {
  readonly plugins: Pick<PluginRegistry, 'installed'>;
  readonly pluginRunning: Pick<Running, 'run'>;
}

/** Endpoints of installed plugins: whatever a plugin does, the answer is one of ours. */
export function pluginEndpointsHandlers({ plugins, pluginRunning }: Services): Handlers<typeof pluginEndpoints> {
  async function call(
    { actor }: HandlerCtx,
    { identifier, name }: { readonly identifier: string; readonly name: string },
    method: 'GET' | 'POST',
    sent: { readonly input: string },
  ): Promise<{ answer: string }> {
    const found = plugins.installed().find((each) => each.identifier === identifier);
    if (!found?.granted.endpoints) throw new DomainError('NOT_FOUND');
    const json = JSON.stringify({ input: sent.input, userId: actor?.userId ?? null });
    const [result] = await pluginRunning.run(identifier, 'endpoints', [{ name: `${method} /${name}`, input: json }]);
    if (!result?.ok) throw new DomainError(result?.fault === 'missing' ? 'NOT_FOUND' : 'PLUGIN_FAILED');
    return { answer: result.json };
  }
  return {
    get: (ctx, { params, query }) => call(ctx, params, 'GET', { input: query.q ?? '' }),
    post: (ctx, { params, body }) => call(ctx, params, 'POST', body),
  };
}
