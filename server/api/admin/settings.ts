import type { HandlerCtx, Handlers } from '#server/http/implement.types.ts';
import { parseCursor } from '#server/api/account-activity.ts';
import { permitted } from '#server/modules/permit.ts';
import type { HistoryEntry, ServiceTests, SettingHistory, StaffSettings } from '#server/modules/settings/index.ts';
import type { adminSettings, EnvironmentVariable, PastValue, SettingHistoryEntry } from '#shared/contract/settings.ts';
import { writeSettingsFile } from '#shared/setting-file.ts';
import { isSettingKey, type SettingKey } from '#shared/settings.ts';
import { iso } from '#shared/time.ts';

interface Deps {
  readonly staffSettings: StaffSettings;
  readonly settingHistory: SettingHistory;
  readonly serviceTests: ServiceTests;
  /** What the environment sets, without its secrets. */
  readonly environment: readonly EnvironmentVariable[];
  /** Settings that the environment holds in the place of, with the variable that says so. */
  readonly overrides: Readonly<Partial<Record<SettingKey, string>>>;
  /** How the installation is reached, now and by another value of `trusted_proxies`. */
  readonly reach: () => { readonly trustedProxies: readonly string[] };
  readonly proxiesWith: (setting: string) => readonly string[];
  /** Markdown as HTML that is safe to show. */
  readonly markdown: (source: string) => { readonly html: string };
  readonly ids: { hash(text: string): string };
}
/** A longer text is only measured in the history. */
const SHORT = 200;

/** Settings for staff. */
export function settingsHandlers(deps: Deps): Handlers<typeof adminSettings> {
  const { staffSettings, settingHistory, serviceTests, environment, overrides, markdown, ids } = deps;
  const reachOf = (readAs: HandlerCtx['readAs'], proxies: unknown) =>
    readAs
      ? {
          now: readAs(deps.reach().trustedProxies),
          after: readAs(proxies === undefined ? deps.reach().trustedProxies : deps.proxiesWith(String(proxies))),
        }
      : null;
  return {
    async list(ctx) {
      const rows = await staffSettings.list(ctx);
      return {
        rows: rows.map(({ isSet, isUnreadable, changedMs, ...row }) => ({
          ...row,
          is_set: isSet,
          is_unreadable: isUnreadable,
          changed_at: changedMs === null ? null : iso(changedMs),
          overridden_by: overrides[row.key] ?? null,
        })),
        environment: [...environment],
      };
    },
    async review(ctx, { body }) {
      const differences = await staffSettings.review(ctx, body.changes);
      const after = differences.find(({ key }) => key === 'trusted_proxies')?.after;
      const isAsked = after !== undefined || differences.some(({ key }) => key === 'app_url');
      return { differences, reach: isAsked ? reachOf(ctx.readAs, after) : null };
    },
    save: (ctx, { body }) => staffSettings.save(ctx, body),
    async history(ctx, { query }) {
      const cursor = parseCursor(query.before);
      const key = query.key !== undefined && isSettingKey(query.key) ? query.key : null;
      const { entries, older } = await settingHistory.list(ctx, key, cursor && { atMs: cursor.ms, id: cursor.id });
      return { entries: entries.map(toRow), older: older && `${older.atMs}.${older.id}` };
    },
    async change(ctx, { params }) {
      const { entry, current, affected } = await settingHistory.get(ctx, params.id);
      const row = { ...toRow(entry), before: withText(entry.before), after: withText(entry.after) };
      return { entry: row, current: withText(current.value), revision: current.revision, affected };
    },
    undo: (ctx, { params, body }) => settingHistory.undo(ctx, { id: params.id, ...body }),
    async export(ctx) {
      const rows = await staffSettings.list(ctx);
      const text = writeSettingsFile(rows);
      return {
        type: 'application/json',
        body: new TextEncoder().encode(text),
        version: ids.hash(text).slice(0, 20),
        filename: 'spawnpoint-settings.json',
      };
    },
    test: (ctx, { params }) => serviceTests.test(ctx, params.service),
    preview: permitted('admin.settings.edit', async (_, { body }: { body: { text: string } }) => ({
      html: markdown(body.text).html,
    })),
  };
}

function toRow({ atMs, canUndo, before, after, ...entry }: HistoryEntry): SettingHistoryEntry {
  return { ...entry, at: iso(atMs), before: toPast(before), after: toPast(after), can_undo: canUndo };
}

/** A value of the past with the whole of its text, also of a long one. */
function withText(value: unknown): PastValue {
  const past = toPast(value);
  return typeof value === 'string' ? { ...past, value } : past;
}

function toPast(value: unknown): PastValue {
  if (typeof value === 'number' || typeof value === 'boolean') return { value, chars: null };
  const text = typeof value === 'string' ? value : '';
  const isShort = text.length <= SHORT && !text.includes('\n');
  return isShort ? { value: text, chars: null } : { value: '', chars: text.length };
}
