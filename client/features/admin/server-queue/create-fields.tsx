import { useState } from 'react';
import type { ReactNode } from 'react';
import { useErrorText } from '#client/lib/error-text.ts';
import type { FormFailure } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useUnitText } from '#client/lib/unit-text.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Checkbox, Switch } from '#client/ui/choice.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { NumberInput } from '#client/ui/number-input.tsx';
import { Select } from '#client/ui/select.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { SERVER_MINIMUM } from '#shared/constants.ts';
import { amountText, SERVER_KINDS, useStaffForm } from '../parts/servers.tsx';
import type { CreateData } from './create.tsx';

type Egg = CreateData['options']['categories'][number]['eggs'][number];

/** The minimum of a resource for a server of this software. */
function minimumOf(kind: (typeof SERVER_KINDS)[number], egg: Egg | null): number {
  const own =
    { memory: egg?.min_memory, disk: egg?.min_disk, cpu: egg?.min_cpu, ports: 0, databases: 0, backups: 0 }[kind] ?? 0;
  return Math.max(SERVER_MINIMUM[kind], own);
}

/** The form that creates a server for a user, with the user's free resources. */
export function CreateForm({ data, answer }: { data: CreateData; answer: FormFailure | undefined }): ReactNode {
  const t = useT('staffServers');
  const { owner, options } = data;
  const form = useStaffForm(answer);
  const all = options.categories.flatMap((category) =>
    category.eggs.map((egg) => ({ value: `${category.id}.${egg.id}`, label: `${category.name}: ${egg.name}`, egg })),
  );
  const [chosen, choose] = useState(
    form.values.egg ?? all.find(({ egg }) => egg.available)?.value ?? all[0]?.value ?? '',
  );
  const egg = all.find(({ value }) => value === chosen)?.egg ?? null;
  const root = useShell().session.permissions.includes('admin.root');
  const kinds = Object.fromEntries(SERVER_KINDS.map((kind) => [kind, t(`kind.${kind}`)]));
  const variables = Object.fromEntries(
    (egg?.variables ?? []).map(({ env, name }) => [`variables.${egg?.id ?? ''}.${env}`, name]),
  );
  const labels = {
    owner: t('newOwner'),
    name: t('name'),
    description: t('description'),
    location_id: t('location'),
    egg: t('software'),
    ...kinds,
    ...variables,
  };
  return (
    <Form {...form} labels={labels}>
      <FormKey />
      <input type="hidden" name="owner" value={owner.id} />
      {!owner.verified && <Banner>{t('ownerUnverified')}</Banner>}
      <Card title={t('serverFor', { name: owner.username })}>
        <div className="sp-fields">
          <Field label={t('name')} name="name" required counter={32}>
            <TextInput maxLength={32} autoComplete="off" />
          </Field>
          <Field label={t('description')} name="description" optional counter={255}>
            <TextInput maxLength={255} autoComplete="off" />
          </Field>
          <Field label={t('location')} name="location_id" required>
            <Select
              options={useLocations(options.locations)}
              defaultValue={options.locations.find((location) => location.available)?.id ?? ''}
              placeholder={t('chooseOne')}
            />
          </Field>
          <Field label={t('software')} name="egg" required>
            <Select
              options={all.map(({ value, label }) => ({ value, label }))}
              value={chosen}
              onChange={(event) => choose(event.currentTarget.value)}
            />
          </Field>
        </div>
      </Card>
      <Card title={t('resources')} text={t('amountsText')}>
        <Amounts key={chosen} egg={egg} meters={options.meters} given={form.values} />
        {root && (
          <Checkbox
            name="without_limits"
            hint={t('withoutLimitsHint')}
            defaultChecked={form.values.without_limits === 'on'}
          >
            {t('withoutLimits')}
          </Checkbox>
        )}
      </Card>
      {egg !== null && egg.variables.length > 0 && <Variables key={egg.id} egg={egg} />}
      {options.renew.enabled && (
        <Switch
          name="auto_renew"
          label={t('autoRenew')}
          hint={t('autoRenewHint')}
          defaultChecked={form.values.auto_renew === 'on'}
        />
      )}
      <div className="sp-btn-row">
        <Button type="submit" variant="primary" icon="plus">
          {t('createNow')}
        </Button>
      </div>
    </Form>
  );
}

function useLocations(locations: CreateData['options']['locations']) {
  const text = useErrorText();
  return locations.map(({ id, name, available, reason }) => ({
    value: id,
    label: available || reason === null ? name : `${name} – ${text.code(reason)}`,
  }));
}

function Amounts({
  egg,
  meters,
  given,
}: {
  egg: Egg | null;
  meters: CreateData['options']['meters'];
  given: Readonly<Record<string, string>>;
}): ReactNode {
  const t = useT('staffServers');
  const format = useFormat();
  const unitOf = useUnitText();
  return (
    <div className="sp-fields" data-columns="2">
      {SERVER_KINDS.map((kind) => {
        const min = minimumOf(kind, egg);
        const free = Math.max(0, meters[kind].limit - meters[kind].used);
        return (
          <Field
            key={kind}
            label={t(`kind.${kind}`)}
            name={kind}
            required
            hint={t('ownerHas', { amount: amountText(kind, free, format) })}
          >
            <NumberInput min={min} step={1} defaultValue={given[kind] ?? min} unit={unitOf(kind)} />
          </Field>
        );
      })}
    </div>
  );
}

/** The variables the owner may set. The server checks their rules. */
function Variables({ egg }: { egg: Egg }): ReactNode {
  const t = useT('staffServers');
  return (
    <Card title={t('settings')}>
      <div className="sp-fields" data-columns="2">
        {egg.variables.map(({ env, name, description, default_value: value, kind, options }) => (
          <Field
            key={env}
            label={name}
            name={`variables.${egg.id}.${env}`}
            {...(description ? { hint: description } : {})}
          >
            {kind === 'select' || kind === 'switch' ? (
              <Select
                options={options.map((option) => ({ value: option, label: option }))}
                defaultValue={value}
                {...(options.includes(value) ? {} : { placeholder: '–' })}
              />
            ) : (
              <TextInput defaultValue={value} maxLength={1000} autoComplete="off" spellCheck={false} />
            )}
          </Field>
        ))}
      </div>
    </Card>
  );
}
