import type { Locale } from '#shared/i18n/locales.ts';
import type { PluginManifest } from '#shared/plugin-manifest.ts';

/** The words of a plugin in a language, English for what that lacks, by their keys. */
export function wordsOf({ texts = {} }: PluginManifest, locale: Locale): Readonly<Record<string, string>> {
  return { ...texts.en, ...texts[locale] };
}
