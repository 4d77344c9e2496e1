import type { ReactNode } from 'react';
import { Card } from '#client/ui/card.tsx';
import type { SettingKey } from '#shared/settings.ts';
import { rowOf } from './form.ts';
import type { SettingsData } from './load.ts';
import { Setting } from './setting.tsx';
import { SettingsForm } from './settings-form.tsx';
import type { SettingTexts } from './texts.ts';

interface EditedSettingProps {
  readonly row: SettingsData['rows'][number] & { readonly key: SettingKey };
  readonly currency: SettingsData['currency'];
  readonly texts: SettingTexts;
}

/** The form of one setting, above the table that it was opened from. */
export function EditedSetting({ row, currency, texts }: EditedSettingProps): ReactNode {
  return (
    <SettingsForm data={{ rows: [row], currency }} texts={texts}>
      {(changed) => (
        <Card title={texts.group(rowOf(row.key).group)} flush>
          <Setting settingKey={row.key} row={row} currency={currency} changed={changed.has(row.key)} texts={texts} />
        </Card>
      )}
    </SettingsForm>
  );
}
