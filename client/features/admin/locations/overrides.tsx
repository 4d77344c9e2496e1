import type { ReactNode } from 'react';
import { useLooseT } from '#client/lib/i18n.tsx';
import type { CustomFieldProps, OverridesOf } from '#client/resource/area.ts';
import { Field } from '#client/ui/field.tsx';
import { useFormErrors } from '#client/ui/form-context.ts';
import { Select } from '#client/ui/select.tsx';
import type { locations } from '#shared/resources/locations.ts';

/** Name of the form field that holds `<panel>:<its location>`. */
const NAME = 'panel_place';

/** One select for the panel and its location (or tag). */
function PanelLocationField({ label, hint, row, options }: CustomFieldProps): ReactNode {
  const t = useLooseT('areas/locations');
  const form = useFormErrors();
  const now = typeof row.panel_id === 'string' ? `${row.panel_id}:${String(row.panel_location)}` : '';
  // A location that is gone from the panel, or whose panel is gone, stays chosen until another is.
  const known = options.some(({ value }) => value === now);
  const all =
    known || now === ''
      ? options
      : [
          {
            value: now,
            label: t('placeGone', {
              panel: typeof row.panel === 'string' ? row.panel : '',
              place: String(row.panel_location),
            }),
          },
          ...options,
        ];
  const code = form.errors.panel_id;
  return (
    <Field
      label={label}
      name={NAME}
      {...(hint === undefined ? {} : { hint })}
      error={code === undefined ? undefined : form.translate(code, 'panel_id')}
    >
      <Select options={all} placeholder={t('embedded')} defaultValue={now} />
    </Field>
  );
}

/** Overrides of locations: the panel that hosts their servers. */
export const overrides: OverridesOf<typeof locations> = {
  fields: { panel_id: PanelLocationField },
  read: (form) => {
    const [, panel, place] = /^([0-9a-f-]{36}):(.+)$/s.exec(String(form.get(NAME) ?? '')) ?? [];
    return { panel_id: panel ?? null, panel_location: place ?? null };
  },
};
