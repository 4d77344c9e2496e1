import { useLooseT } from '#client/lib/i18n.tsx';
import { isLocale, LOCALE_INFO } from '#shared/i18n/locales.ts';

/**
 * The words of plugins: of an installed one its own, else of those that come with the product; of what there are none
 * for, its identifier or key.
 */
export function usePluginWords(own: Readonly<Record<string, string>> = {}) {
  const t = useLooseT('plugins');
  return {
    name: (identifier: string): string => t(`builtIn.${identifier}.name`) || identifier,
    text: (identifier: string): string => t(`builtIn.${identifier}.text`),
    label: (identifier: string, key: string): string =>
      own[`settings.${key}.label`] ?? (t(`builtIn.${identifier}.fields.${key}.label`) || key),
    hint: (identifier: string, key: string): string =>
      own[`settings.${key}.hint`] ?? t(`builtIn.${identifier}.fields.${key}.hint`),
    choice: (identifier: string, key: string, value: string): string =>
      own[`settings.${key}.choices.${value}`] ??
      (t(`builtIn.${identifier}.fields.${key}.choices.${value}`) ||
        (isLocale(value) ? LOCALE_INFO[value].name : value)),
  };
}
