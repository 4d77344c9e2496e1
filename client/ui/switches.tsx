import type { ReactNode } from 'react';
import { useLocale, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { IconButton } from './button.tsx';
import { Select } from './select.tsx';
import { LOCALE_INFO, LOCALES } from '#shared/i18n/locales.ts';

/** The language of the page, each in its own name. */
export function LanguageSwitch(): ReactNode {
  const t = useT('shell');
  const locale = useLocale();
  const { setLocale } = useShell();
  return (
    <Select
      plain
      size="sm"
      aria-label={t('language')}
      value={locale}
      onChange={(event) => setLocale(event.currentTarget.value)}
      options={LOCALES.map((each) => ({ value: each, label: LOCALE_INFO[each].name }))}
    />
  );
}

/** Dark or light. */
export function ThemeSwitch(): ReactNode {
  const t = useT('shell');
  const { theme, setTheme } = useShell();
  const next = theme === 'dark' ? 'light' : 'dark';
  return (
    <IconButton
      icon={theme === 'dark' ? 'sun' : 'moon'}
      label={t(next === 'light' ? 'themeLight' : 'themeDark')}
      onClick={() => setTheme(next)}
    />
  );
}
