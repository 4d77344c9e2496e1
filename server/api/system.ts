import { SerializedJson, type Handlers, type TextAnswer } from '#server/http/implement.types.ts';
import type { Bus } from '#server/modules/kernel.ts';
import type { ClientModules, PluginRegistry } from '#server/modules/plugins/index.ts';
import type { Pictures } from '#server/modules/pictures/index.ts';
import type { Settings } from '#server/modules/settings/index.ts';
import { clientModulePath } from '#shared/client-module-path.ts';
import type { DebugInfo } from '#shared/debug-info.ts';
import { THEMES } from '#shared/themes.ts';
import { webManifest } from './web-manifest.ts';
import { lookStyle } from '#shared/look.ts';
import { can } from '#shared/permissions.ts';
import { CONTRACT, type Api } from '#shared/contract/index.ts';
import { FLAGS, type Flags } from '#shared/flags.ts';
import { LOCALES } from '#shared/i18n/locales.ts';
import { DomainError } from '#shared/errors.ts';
import { isSettingKey, pluginModules, SETTINGS, type SettingValues } from '#shared/settings.ts';

interface Services {
  readonly settings: Pick<Settings, 'current' | 'flags'>;
  readonly bus: Bus;
  readonly pictures: Pictures;
  readonly plugins: Pick<PluginRegistry, 'onLoad'>;
  readonly clientModules: ClientModules;
  /** Names the build; another with each. */
  readonly build: string;
  /** Version of the product; absent: left out. */
  readonly version?: string;
  /** Address of the installation, without a slash at its end. */
  readonly appUrl: () => string;
  /** Debug info for staff who may see the machine's health, and for everybody else. */
  readonly debug: (staff: boolean) => DebugInfo;
  readonly hash: (text: string) => string;
  /** Renders Markdown as HTML that is safe to show. */
  readonly markdown: (source: string) => LegalText;
}
interface LegalText {
  readonly html: string;
  readonly sections: readonly { readonly id: string; readonly title: string }[];
}
type TextType = TextAnswer['type'];
type Look = Awaited<ReturnType<Api['system']['settings']>>['look'];

const LEGAL = { privacy: 'privacy_policy', terms: 'terms_of_service' } as const;

/**
 * Public settings, feature flags, languages (specification, section 3); styles, scripts and texts of the host (section
 * 7).
 */
export function systemHandlers({
  settings,
  bus,
  build,
  version,
  appUrl,
  debug,
  hash,
  markdown,
  pictures,
  plugins,
  clientModules,
}: Services): Handlers<typeof CONTRACT.system> {
  const serialized = new Map<boolean, SerializedJson>();
  const versions = new Map<string, string>();
  const texts = new Map<string, LegalText>();
  bus.subscribe('settings.loaded', () => {
    serialized.clear();
    versions.clear();
    texts.clear();
  });
  plugins.onLoad(() => serialized.clear());

  const versionOf = (text: string): string => {
    const version = versions.get(text) ?? hash(text).slice(0, 20);
    versions.set(text, version);
    return version;
  };
  const versionOrNull = (text: string) => (text.trim() === '' ? null : versionOf(text));
  const answer = (type: TextType, body: string, requested?: string): TextAnswer => ({
    type,
    body,
    version: versionOf(body),
    immutable: requested === versionOf(body),
  });

  function serialize(staff: boolean): SerializedJson {
    const values = settings.current();
    const open = {
      ...publicSettings(values),
      ...(version ? { app_version: version } : {}),
      app_url: appUrl(),
    };
    const custom = {
      css: versionOrNull(values.custom_css),
      js: versionOrNull(values.custom_js),
      ads: adsClientId(values) !== '',
      plugins: [
        ...pluginModules(values.client_plugins),
        ...clientModules.list().map((each) => clientModulePath(each.identifier, each.version)),
      ],
    };
    const body = {
      settings: open,
      flags: toFlags(settings.flags()),
      locales: [...LOCALES],
      debug: debug(staff),
      build,
      custom,
      look: lookOf(values),
      frames: frameOrigins(values),
    };
    return new SerializedJson(
      JSON.stringify({ success: true, error_code: null, ...CONTRACT.system.settings.response.parse(body) }),
    );
  }

  return {
    async settings({ actor }) {
      const staff = actor !== null && can(actor.permissions, 'admin.health.view');
      const answer = serialized.get(staff) ?? serialize(staff);
      serialized.set(staff, answer);
      return answer;
    },
    customCss: async (_, { query }) => answer('text/css', settings.current().custom_css, query.v),
    customJs: async (_, { query }) => answer('text/javascript', settings.current().custom_js, query.v),
    async pluginJs(_, { params, query }) {
      const found = await clientModules.find(params.identifier);
      if (!found) throw new DomainError('NOT_FOUND');
      const { code, version } = found;
      return { type: 'text/javascript', body: code, version, immutable: query.v === version };
    },
    async picture(_, { params }) {
      const { type, bytes } = await pictures.getForm(params.id, params.name);
      return { type, body: bytes, version: `${params.id}-${params.name}`, immutable: true };
    },
    manifest: async () =>
      answer('application/manifest+json', webManifest(settings.current(), await pictures.iconSizes())),
    ads: async () => answer('text/plain', adsClientId(settings.current())),
    async legal(_, { params }) {
      const source = settings.current()[LEGAL[params.page]];
      if (source.trim() === '') return { text: null };
      const { html, sections } = texts.get(params.page) ?? markdown(source);
      texts.set(params.page, { html, sections });
      return { text: { html, sections: [...sections] } };
    },
  };
}

/** The origins whose frames pages may hold: Turnstile's, where it is the challenge. */
function frameOrigins({ challenge, turnstile_url: base }: SettingValues): string[] {
  const origin = challenge === 'turnstile' ? URL.parse(base)?.origin : undefined;
  return origin ? [origin] : [];
}

function lookOf(values: SettingValues): Look {
  return {
    theme: THEMES.find((each) => each === values.theme_default) ?? 'dark',
    style: lookStyle(values),
    icon: values.icon_picture || null,
    preview: values.preview_picture || null,
    description: values.app_description,
  };
}

/** The client id for page ads; empty where there are none. */
function adsClientId(values: SettingValues): string {
  return values.google_ads_enabled ? values.google_ads_client_id : '';
}

/** The settings that browsers may know, without the flags. */
function publicSettings(values: SettingValues): Record<string, string | number | boolean> {
  const isFlag = (key: string) => (FLAGS as readonly string[]).includes(key);
  return Object.fromEntries(
    Object.entries(values).filter(([key]) => isSettingKey(key) && SETTINGS[key].public && !isFlag(key)),
  );
}

function toFlags(flags: Flags): Flags {
  return Object.fromEntries(FLAGS.map((flag) => [flag, flags[flag]])) as Flags;
}
