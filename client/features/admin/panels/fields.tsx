import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Card } from '#client/ui/card.tsx';
import { Checkbox, Switch } from '#client/ui/choice.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { Field } from '#client/ui/field.tsx';
import { useFormErrors } from '#client/ui/form-context.ts';
import { Select } from '#client/ui/select.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import type { PanelView } from '#shared/contract/panels.ts';
import { PANEL_DIALECTS } from '#shared/panel-codes.ts';

const RIGHTS = ['servers', 'users', 'nodes', 'allocations', 'locations', 'nests', 'eggs'] as const;
const WRITTEN: ReadonlySet<string> = new Set(['servers', 'users']);

/** Keys are never restored, not even after a refusal. */
const SECRET = {
  type: 'password',
  mono: true,
  autoComplete: 'off',
  spellCheck: false,
  autoCapitalize: 'none',
  maxLength: 300,
} as const;

/** The fields of a panel. In: the panel, or null for a new one. */
export function PanelFields({ panel }: { panel: PanelView | null }): ReactNode {
  const t = useT('panels');
  const { values } = useFormErrors();
  const given = Object.keys(values).length > 0;
  const keyHint =
    panel && panel.key.state === 'set'
      ? t('keepKey', { last: panel.key.last4 ?? '····' })
      : t(panel ? 'keyAgain' : 'keyHint');
  const clientHint =
    panel && panel.client_key.state === 'set'
      ? t('keepKey', { last: panel.client_key.last4 ?? '····' })
      : t('clientKeyHint');
  return (
    <>
      <Card title={t('address')} text={t('addressText')}>
        <div className="sp-fields">
          <Field
            label={t('name')}
            name="name"
            required
            counter={60}
            length={panel?.name.length ?? 0}
            hint={t('nameHint')}
          >
            <TextInput maxLength={60} defaultValue={panel?.name ?? ''} autoComplete="off" />
          </Field>
          <Field label={t('url')} name="url" required hint={t('urlHint')}>
            <TextInput
              mono
              maxLength={300}
              defaultValue={panel?.url ?? ''}
              autoComplete="off"
              spellCheck={false}
              inputMode="url"
              autoCapitalize="none"
            />
          </Field>
          <Field label={t('publicUrl')} name="public_url" optional hint={t('publicUrlHint')}>
            <TextInput
              mono
              maxLength={300}
              defaultValue={panel?.public_url ?? ''}
              autoComplete="off"
              spellCheck={false}
              inputMode="url"
              autoCapitalize="none"
            />
          </Field>
          <Field label={t('kind')} name="dialect" hint={t('kindHint')}>
            <Select
              options={[
                { value: 'auto', label: t('auto') },
                ...PANEL_DIALECTS.map((value) => ({ value, label: t(`dialect.${value}`) })),
              ]}
              defaultValue={panel?.dialect ?? 'auto'}
            />
          </Field>
          <Switch
            name="enabled"
            label={t('enabled')}
            hint={t('enabledHint')}
            defaultChecked={given ? values.enabled !== undefined : (panel?.enabled ?? true)}
          />
        </div>
      </Card>
      <Card title={t('keys')} text={t('keysText')}>
        <div className="sp-fields">
          <Field label={t('key')} name="key" required={panel === null} hint={keyHint}>
            <TextInput {...SECRET} />
          </Field>
          <Field label={t('clientKey')} name="client_key" optional hint={clientHint}>
            <TextInput {...SECRET} />
          </Field>
          {panel && panel.client_key.state !== 'absent' && (
            <Checkbox name="drop_client_key">{t('removeClientKey')}</Checkbox>
          )}
        </div>
      </Card>
      {panel === null && <RightsNeeded />}
    </>
  );
}

/** The rights that the application key needs. */
function RightsNeeded(): ReactNode {
  const t = useT('panels');
  return (
    <Card flush title={t('rightsNeeded')} text={t('rightsNeededText')}>
      <List label={t('rightsNeeded')}>
        {RIGHTS.map((right) => (
          <ListItem
            key={right}
            title={t(`right.${right}`)}
            end={t(`granted.${WRITTEN.has(right) ? 'write' : 'read'}`)}
          />
        ))}
      </List>
    </Card>
  );
}
