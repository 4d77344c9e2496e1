import { useState } from 'react';
import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Card } from '#client/ui/card.tsx';
import { Switch } from '#client/ui/choice.tsx';
import { Field } from '#client/ui/field.tsx';
import { useFormErrors } from '#client/ui/form-context.ts';
import { NumberInput } from '#client/ui/number-input.tsx';
import { Select } from '#client/ui/select.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { RoleMark } from '#client/ui/role-mark.tsx';

interface Shown {
  readonly name: string;
  readonly color: string;
  readonly rank: number;
  readonly is_default: boolean;
}
const NEW: Shown = { name: '', color: '#8d93a1', rank: 0, is_default: false };

/**
 * The fields of a role. In: the role, or null for a new one; the highest rank that the visitor can give; the roles that
 * a new one can begin like, and which of them is chosen.
 */
export function RoleFields(props: {
  current: Shown | null;
  rankMax: number;
  templates?: readonly { id: string; name: string }[];
  like?: string;
}): ReactNode {
  const { current, rankMax, templates, like } = props;
  const t = useT('roles');
  const { values } = useFormErrors();
  const given = Object.keys(values).length > 0;
  const { name, rank, is_default: isDefault } = current ?? NEW;
  return (
    <Card title={t('basics')} text={t('basicsText')}>
      <div className="sp-fields">
        <Field label={t('name')} name="name" required counter={40} length={name.length}>
          <TextInput maxLength={40} defaultValue={name} autoComplete="off" />
        </Field>
        <ColorField color={values.color ?? current?.color ?? NEW.color} />
        <Field label={t('rank')} name="rank" required hint={t('rankHint', { max: rankMax })}>
          <NumberInput min={0} max={rankMax} defaultValue={current ? rank : Math.min(1, rankMax)} />
        </Field>
        {templates && (
          <Field label={t('like')} name="template" optional hint={t('likeHint')}>
            <Select
              placeholder={t('likeNone')}
              options={templates.map((each) => ({ value: each.id, label: each.name }))}
              defaultValue={like ?? ''}
            />
          </Field>
        )}
        <Switch
          name="is_default"
          label={t('default')}
          hint={t('defaultHint')}
          defaultChecked={given ? values.is_default !== undefined : isDefault}
        />
      </div>
    </Card>
  );
}

/** The colour, with the mark that it gives. */
function ColorField({ color }: { color: string }): ReactNode {
  const t = useT('roles');
  const [typed, setTyped] = useState(color);
  return (
    <Field label={t('color')} name="color" required hint={t('colorHint')}>
      <span className="sp-role-color">
        <RoleMark color={typed} />
        <TextInput type="color" defaultValue={color} onChange={(event) => setTyped(event.currentTarget.value)} />
      </span>
    </Field>
  );
}
