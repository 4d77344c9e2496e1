import type { ReactNode } from 'react';
import { useLoaderData, useSearchParams } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { toFormFailure, type FormResult } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Checkbox } from '#client/ui/choice.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { NumberInput } from '#client/ui/number-input.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { PasswordInput } from '#client/ui/password-input.tsx';
import { Select } from '#client/ui/select.tsx';
import { SwitchInput } from '#client/ui/switch-input.tsx';
import { Textarea, TextInput } from '#client/ui/text-input.tsx';
import type { PluginFieldView } from '#shared/contract/plugins.ts';
import { href } from '#shared/routes/staff-href.ts';
import { DetailCards, LogCard, StoppedBanner } from './details.tsx';
import { PluginStatus } from './parts.tsx';
import { clearName, readPluginForm } from './read-form.ts';
import { usePluginWords } from './texts.ts';

/** A plugin with its settings. */
export const loader = (args: LoaderFunctionArgs) =>
  apiOf(args).adminPlugins.get({ params: { identifier: args.params.identifier ?? '' } });

type Loaded = Awaited<ReturnType<typeof loader>>;
/** The plugin that the page is about. */
export const pageName = ({ plugin }: Loaded): string => plugin.identifier;

/** Saves the settings. What was typed into a secret never comes back. */
export async function action(args: ActionFunctionArgs): Promise<FormResult<null>> {
  const form = await args.request.formData();
  const api = apiOf(args).adminPlugins;
  const params = { identifier: args.params.identifier ?? '' };
  const key = String(form.get('_key') ?? '');
  try {
    const { fields } = await api.get({ params });
    const values = readPluginForm(fields, form);
    for (const { key: name, type } of fields) if (type === 'secret') form.delete(name);
    const revision = Number(form.get('_revision'));
    await api.configure({ params, body: { values, revision } }, key === '' ? {} : { key });
    return { ok: true, result: null, at: key };
  } catch (error) {
    return toFormFailure(error, form);
  }
}

/** /mc-admin/plugins/:identifier/config (behaviour 8.8) */
export default function PluginConfigScreen(): ReactNode {
  const t = useT('plugins');
  const data = useLoaderData<typeof loader>();
  const { plugin, details } = data;
  const words = usePluginWords(details?.words);
  const answer = useActionAnswer<FormResult<null>>();
  const { identifier, installed } = plugin;
  const isNew = useSearchParams()[0].get('done') === 'install';
  return (
    <Page narrow={!details}>
      <PageHead
        title={installed?.name ?? words.name(identifier)}
        text={installed?.text ?? words.text(identifier)}
        badge={installed ? <PluginStatus plugin={plugin} /> : undefined}
        crumbs={useCrumbs()}
        actions={
          installed ? (
            <LinkButton to={href('admin.plugins.delete', { identifier })} variant="ghost" icon="trash">
              {t('remove')}
            </LinkButton>
          ) : undefined
        }
      />
      <Outcome saved={answer?.ok === true} installed={isNew && answer === undefined} />
      {installed?.stopped && <StoppedBanner stopped={installed.stopped} />}
      {!plugin.on && plugin.configurable && <Banner>{t('savedWhileOff')}</Banner>}
      {details ? (
        <div className="sp-split">
          <div className="sp-stack">
            <Card title={t('settingsTitle')}>
              {plugin.configurable ? <ConfigForm data={data} /> : <p className="sp-muted">{t('noSettings')}</p>}
            </Card>
            <LogCard lines={details.lines} />
          </div>
          <DetailCards data={{ plugin, details }} />
        </div>
      ) : (
        <Card>
          <ConfigForm data={data} />
        </Card>
      )}
    </Page>
  );
}

/** What the last command did. */
function Outcome({ saved, installed }: { saved: boolean; installed: boolean }): ReactNode {
  const t = useT('plugins');
  if (!saved && !installed) return null;
  return (
    <Banner tone="positive" live>
      {t(saved ? 'saved' : 'installedDone')}
    </Banner>
  );
}

function ConfigForm({ data: { plugin, fields, values, secrets, revision, details } }: { data: Loaded }): ReactNode {
  const t = useT('plugins');
  const own = details?.words;
  const words = usePluginWords(own);
  const { identifier } = plugin;
  const feedback = useFormProps(
    useActionAnswer<FormResult<null>>(),
    fields.map(({ key }) => key),
  );
  const labels = Object.fromEntries(fields.map(({ key }) => [key, words.label(identifier, key)]));
  return (
    <Form {...feedback} labels={labels} key={revision}>
      <FormKey />
      <input type="hidden" name="_revision" value={revision} />
      {fields.map((field) => (
        <PluginField
          key={field.key}
          identifier={identifier}
          own={own}
          field={field}
          value={values[field.key] ?? ''}
          isSet={secrets[field.key] === true}
        />
      ))}
      <div className="sp-btn-row">
        <Button type="submit" variant="primary">
          {t('save')}
        </Button>
      </div>
    </Form>
  );
}

interface PluginFieldProps {
  readonly identifier: string;
  /** Words of an installed plugin. */
  readonly own: Readonly<Record<string, string>> | undefined;
  readonly field: PluginFieldView;
  readonly value: string | number | boolean;
  /** Of a secret whether there is one. */
  readonly isSet: boolean;
}

function PluginField({ identifier, own, field, value, isSet }: PluginFieldProps): ReactNode {
  const t = useT('plugins');
  const words = usePluginWords(own);
  const { key, type } = field;
  const hint = [words.hint(identifier, key), type === 'secret' && isSet ? t('secretSet') : '']
    .filter(Boolean)
    .join(' ');
  return (
    <>
      <Field name={key} label={words.label(identifier, key)} hint={hint === '' ? undefined : hint}>
        <Control identifier={identifier} own={own} field={field} value={value} />
      </Field>
      {type === 'secret' && isSet && <Checkbox name={clearName(key)}>{t('secretClear')}</Checkbox>}
    </>
  );
}

/** The control of a field, by its type. It stands in a `Field` of its name. */
function Control({ identifier, own, field, value }: Omit<PluginFieldProps, 'isSet'>): ReactNode {
  const words = usePluginWords(own);
  const { key, type, min, max, lines, choices = [] } = field;
  switch (type) {
    case 'switch':
      return <SwitchInput defaultChecked={value === true} />;
    case 'number':
      return <NumberInput defaultValue={String(value)} min={min} max={max} step={1} inputMode="numeric" />;
    case 'choice': {
      const options = choices.map((each) => ({ value: each, label: words.choice(identifier, key, each) }));
      return <Select options={options} defaultValue={String(value)} />;
    }
    case 'secret':
      return <PasswordInput autoComplete="off" maxLength={max} />;
    case 'text':
      return lines ? (
        <Textarea rows={4} defaultValue={String(value)} maxLength={max} />
      ) : (
        <TextInput defaultValue={String(value)} maxLength={max} autoComplete="off" />
      );
  }
}
