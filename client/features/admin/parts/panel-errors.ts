import type { TFn } from '#shared/i18n/types.ts';

/**
 * Texts of field errors that are specific to the form of a panel. In: the general texts, and whether the panel exists
 * already, with keys of its own.
 */
export function panelFieldErrors(
  t: TFn<'panels'>,
  general: (code: string) => string,
  stored = false,
): (code: string, field: string) => string {
  return (code, field) => {
    if (stored && (field === 'key' || field === 'client_key') && code === 'REQUIRED') return t('keyForAddress');
    if ((field === 'url' || field === 'public_url') && code === 'INVALID') return t('urlInvalid');
    if (field === 'key' && code === 'NOT_ALLOWED') return t('keyRefused');
    if (field === 'key' && code === 'INVALID') return t('keyInvalid');
    if (field === 'client_key' && code === 'INVALID') return t('clientKeyInvalid');
    return general(code);
  };
}
