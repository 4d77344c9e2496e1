import type { PluginFieldView } from '#shared/contract/plugins.ts';

/** Name of the box that removes a secret. */
export const clearName = (key: string): string => `${key}.clear`;

/**
 * The values of a form of fields, as the API takes them: of a secret only what was typed, or '' where it is to be
 * removed. A number that is none stays text, which the API refuses at the field.
 */
export function readPluginForm(
  fields: readonly PluginFieldView[],
  form: FormData,
): Record<string, string | number | boolean> {
  const values: Record<string, string | number | boolean> = {};
  for (const { key, type } of fields) {
    const raw = form.get(key);
    const typed = typeof raw === 'string' ? raw : '';
    if (type === 'switch') values[key] = raw === 'on';
    else if (type === 'number') values[key] = /^-?\d{1,15}$/.test(typed.trim()) ? Number(typed.trim()) : typed;
    else if (type !== 'secret') values[key] = typed.replaceAll('\r\n', '\n');
    else if (form.get(clearName(key)) === 'on') values[key] = '';
    else if (typed !== '') values[key] = typed;
  }
  return values;
}
