import type { Handlers } from '#server/http/implement.types.ts';
import { permitted } from '#server/modules/permit.ts';
import type { StaffSettings } from '#server/modules/settings/index.ts';
import type { adminSettings, EnvironmentVariable } from '#shared/contract/settings.ts';
import { iso } from '#shared/time.ts';

interface Deps {
  readonly staffSettings: StaffSettings;
  /** What the environment sets, without its secrets. */
  readonly environment: readonly EnvironmentVariable[];
  /** Markdown as HTML that is safe to show. */
  readonly markdown: (source: string) => { readonly html: string };
}

/** Settings for staff. */
export function settingsHandlers({ staffSettings, environment, markdown }: Deps): Handlers<typeof adminSettings> {
  return {
    async list(ctx) {
      const rows = await staffSettings.list(ctx);
      return {
        rows: rows.map(({ isSet, isUnreadable, changedMs, ...row }) => ({
          ...row,
          is_set: isSet,
          is_unreadable: isUnreadable,
          changed_at: changedMs === null ? null : iso(changedMs),
        })),
        environment: [...environment],
      };
    },
    review: async (ctx, { body }) => ({ differences: await staffSettings.review(ctx, body.changes) }),
    save: (ctx, { body }) => staffSettings.save(ctx, body),
    preview: permitted('admin.settings.edit', async (_, { body }: { body: { text: string } }) => ({
      html: markdown(body.text).html,
    })),
  };
}
