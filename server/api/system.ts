import { SerializedJson, type Handlers, type TextAnswer } from '#server/http/implement.types.ts';
import type { Bus } from '#server/modules/kernel.ts';
import type { Settings } from '#server/modules/settings/index.ts';
import type { DebugInfo } from '#shared/debug-info.ts';
import { can } from '#shared/permissions.ts';
import { CONTRACT } from '#shared/contract/index.ts';
import { FLAGS, type Flags } from '#shared/flags.ts';
import { LOCALES } from '#shared/i18n/locales.ts';
import { isSettingKey, pluginModules, SETTINGS, type SettingValues } from '#shared/settings.ts';

interface Services {
  readonly settings: Pick<Settings, 'current' | 'flags'>;
  readonly bus: Bus;
  /** Changes with every build. */
  readonly build: string;
  /** Version of the product; not told where absent. */
  readonly version?: string;
  /** Public address of the installation; takes the place of an empty `app_url`. */
  readonly appUrl?: string;
  /** Debug info for staff who may see the machine's health, and for everybody else. */
  readonly debug: (staff: boolean) => DebugInfo;
  readonly hash: (text: string) => string;
  /** Markdown as HTML that is safe to show. */
  readonly markdown: (source: string) => LegalText;
}
interface LegalText {
  readonly html: string;
  readonly sections: readonly { readonly id: string; readonly title: string }[];
}
type TextType = TextAnswer['type'];

const LEGAL = { privacy: 'privacy_policy', terms: 'terms_of_service' } as const;

/** Public settings, feature flags, languages (specification, section 3); what the host adds to the pages (section 7). */
export function systemHandlers({
  settings,
  bus,
  build,
  version,
  appUrl,
  debug,
  hash,
  markdown,
}: Services): Handlers<typeof CONTRACT.system> {
  const prepared = new Map<boolean, SerializedJson>();
  const states = new Map<string, string>();
  const texts = new Map<string, LegalText>();
  bus.subscribe('settings.loaded', () => {
    prepared.clear();
    states.clear();
    texts.clear();
  });

  const stateOf = (text: string): string => {
    const state = states.get(text) ?? hash(text).slice(0, 20);
    states.set(text, state);
    return state;
  };
  const present = (text: string) => (text.trim() === '' ? null : stateOf(text));
  const answer = (type: TextType, body: string, asked?: string): TextAnswer => ({
    type,
    body,
    state: stateOf(body),
    keep: asked === stateOf(body),
  });

  function prepare(staff: boolean): SerializedJson {
    const values = settings.current();
    const open = {
      ...publicSettings(values),
      ...(version ? { app_version: version } : {}),
      app_url: values.app_url || (appUrl ?? ''),
    };
    const custom = {
      css: present(values.custom_css),
      js: present(values.custom_js),
      ads: adsOf(values) !== '',
      plugins: pluginModules(values.client_plugins),
    };
    const body = {
      settings: open,
      flags: flagsOf(settings.flags()),
      locales: [...LOCALES],
      debug: debug(staff),
      build,
      custom,
      frames: framesOf(values),
    };
    return new SerializedJson(
      JSON.stringify({ success: true, error_code: null, ...CONTRACT.system.settings.response.parse(body) }),
    );
  }

  return {
    async settings({ actor }) {
      const staff = actor !== null && can(actor.permissions, 'admin.health.view');
      const answer = prepared.get(staff) ?? prepare(staff);
      prepared.set(staff, answer);
      return answer;
    },
    customCss: async (_, { query }) => answer('text/css', settings.current().custom_css, query.v),
    customJs: async (_, { query }) => answer('text/javascript', settings.current().custom_js, query.v),
    ads: async () => answer('text/plain', adsOf(settings.current())),
    async legal(_, { params }) {
      const source = settings.current()[LEGAL[params.page]];
      if (source.trim() === '') return { text: null };
      const { html, sections } = texts.get(params.page) ?? markdown(source);
      texts.set(params.page, { html, sections });
      return { text: { html, sections: [...sections] } };
    },
  };
}

/** Origins of frames: the challenge's, where it is Turnstile. */
function framesOf({ challenge, turnstile_url: base }: SettingValues): string[] {
  const origin = challenge === 'turnstile' ? URL.parse(base)?.origin : undefined;
  return origin ? [origin] : [];
}

/** The client id for page ads; empty where there are none. */
function adsOf(values: SettingValues): string {
  return values.google_ads_enabled ? values.google_ads_client_id : '';
}

/** The settings that browsers may know; the flags stand apart from them. */
function publicSettings(values: SettingValues): Record<string, string | number | boolean> {
  const isFlag = (key: string) => (FLAGS as readonly string[]).includes(key);
  return Object.fromEntries(
    Object.entries(values).filter(([key]) => isSettingKey(key) && SETTINGS[key].public && !isFlag(key)),
  );
}

function flagsOf(flags: Flags): Flags {
  return Object.fromEntries(FLAGS.map((flag) => [flag, flags[flag]])) as Flags;
}
