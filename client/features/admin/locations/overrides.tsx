import type { ReactNode } from 'react';
import { useLooseT } from '#client/lib/i18n.tsx';
import type { CustomFieldProps, OverridesOf } from '#client/resource/area.ts';
import { Field } from '#client/ui/field.tsx';
import { useFormErrors } from '#client/ui/form-context.ts';
import { Select } from '#client/ui/select.tsx';
import type { locations } from '#shared/resources/locations.ts';

/** Where a place of a panel stands in the form: `<panel>:<its location>`. */
const NAME = 'panel_place';

/** The panel and which of its locations (or tags) this one is: one choice for both. */
function PanelLocationField({ label, hint, row, options }: CustomFieldProps): ReactNode {
  const t = useLooseT('areas/locations');
  const form = useFormErrors();
  const now = typeof row.panel_id === 'string' ? `${row.panel_id}:${String(row.panel_location)}` : '';
  // The panel has it no more, or is gone from the list: it stays chosen until somebody chooses something else.
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

/** What is special about locations: the panel whose servers stand there. */
export const overrides: OverridesOf<typeof locations> = {
  fields: { panel_id: PanelLocationField },
  read: (form) => {
    const [, panel, place] = /^([0-9a-f-]{36}):(.+)$/s.exec(String(form.get(NAME) ?? '')) ?? [];
    return { panel_id: panel ?? null, panel_location: place ?? null };
  },
};
