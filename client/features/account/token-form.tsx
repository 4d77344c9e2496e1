import type { ReactNode } from 'react';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Checkbox } from '#client/ui/choice.tsx';
import { Field, FieldGroup } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Select } from '#client/ui/select.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { href } from '#shared/routes/href.ts';
import { areaOf, TOKEN_DAYS, type TokenArea, type TokenScope } from '#shared/token-scopes.ts';
import { useAreaName } from './token-area.ts';

/** What a new token is called, how long it lives, where it may come from and what it may do (behaviour 3.8). */
export function TokenForm({
  grantable,
  answer,
}: {
  grantable: readonly TokenScope[];
  answer: FormResult<unknown> | undefined;
}): ReactNode {
  const t = useT('apiTokens');
  const shown = useFormProps(answer, ['name', 'expires_in_days', 'addresses', 'scopes']);
  const labels = {
    name: t('name'),
    expires_in_days: t('expires'),
    addresses: t('addresses'),
    scopes: t('mayDo'),
  };
  const lives = [
    ...TOKEN_DAYS.map((days) => ({ value: String(days), label: t(`life.${days}`) })),
    { value: '', label: t('life.never') },
  ];
  return (
    <Card title={t('newTitle')}>
      <Form {...shown} labels={labels} noValidate>
        <input type="hidden" name="_intent" value="createToken" />
        <div className="sp-fields" data-columns="3">
          <Field label={labels.name} name="name" hint={t('nameHint')} required>
            <TextInput maxLength={64} autoComplete="off" />
          </Field>
          <Field label={labels.expires_in_days} name="expires_in_days">
            <Select options={lives} defaultValue="90" />
          </Field>
          <Field label={labels.addresses} name="addresses" hint={t('addressesHint')} optional>
            <TextInput maxLength={1000} autoComplete="off" spellCheck={false} />
          </Field>
        </div>
        <FieldGroup label={labels.scopes} name="scopes" hint={t('mayDoHint')}>
          <div className="sp-scopes">
            {[...new Set(grantable.map(areaOf))].map((area) => (
              <Area key={area} area={area} grantable={grantable} />
            ))}
          </div>
        </FieldGroup>
        <div className="sp-btn-row">
          <Button type="submit" variant="primary">
            {t('create')}
          </Button>
          <LinkButton to={`${href('account')}?tab=tokens`} variant="ghost">
            {t('cancel')}
          </LinkButton>
        </div>
      </Form>
    </Card>
  );
}

/** Reading and changing in one area; what may not be granted is not there to be ticked. */
function Area({ area, grantable }: { area: TokenArea; grantable: readonly TokenScope[] }): ReactNode {
  const t = useT('apiTokens');
  const name = useAreaName()(area);
  const write = `${area}:write` as TokenScope;
  return (
    <div className="sp-scope">
      <b>{name}</b>
      <Checkbox name="scopes" value={`${area}:read`} aria-label={t('readOf', { area: name })}>
        {t('read')}
      </Checkbox>
      <Checkbox
        name="scopes"
        value={write}
        disabled={!grantable.includes(write)}
        aria-label={t('changeOf', { area: name })}
      >
        {t('change')}
      </Checkbox>
    </div>
  );
}
