import { useState, type ReactNode } from 'react';
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
import { DiscordRolesCards, readRules } from './discord-roles.tsx';
import { DetailCards, LogCard, StoppedBanner } from './details.tsx';
import { PluginStatus } from './parts.tsx';
import { clearName, readPluginForm } from './read-form.ts';
import { usePluginWords } from './texts.ts';

/** The built-in plugin that gives roles in Discord as well. */
const DISCORD = 'discord';

/** A plugin with its settings; of that of Discord the roles that it gives there. */
export async function loader(args: LoaderFunctionArgs) {
  const { identifier = '' } = args.params;
  const api = apiOf(args);
  const [found, roles] = await Promise.all([
    api.adminPlugins.get({ params: { identifier } }),
    identifier === DISCORD ? api.adminDiscordRoles.get({}) : null,
  ]);
  return { ...found, roles };
}

/** What a command did. */
type Done = 'saved' | 'checked';
type Loaded = Awaited<ReturnType<typeof loader>>;
/** The plugin that the page is about. */
export const pageName = ({ plugin }: Loaded): string => plugin.identifier;

/** Saves the settings, or what a role in Discord stands for. What was typed into a secret never comes back. */
export async function action(args: ActionFunctionArgs): Promise<FormResult<Done>> {
  const form = await args.request.formData();
  const { adminPlugins: api, adminDiscordRoles: discord } = apiOf(args);
  const params = { identifier: args.params.identifier ?? '' };
  const key = String(form.get('_key') ?? '');
  const once = key === '' ? {} : { key };
  const revision = Number(form.get('_revision'));
  try {
    if (form.get('_what') === 'check') {
      await discord.check({});
      return { ok: true, result: 'checked', at: String(Date.now()) };
    }
    if (form.get('_what') === 'rules') {
      await discord.save({ body: { rules: readRules(form), revision } }, once);
      return { ok: true, result: 'saved', at: key };
    }
    const { fields } = await api.get({ params });
    const values = readPluginForm(fields, form);
    for (const { key: name, type } of fields) if (type === 'secret') form.delete(name);
    await api.configure({ params, body: { values, revision } }, once);
    // So that the roles of the server stand there to be chosen.
    if (params.identifier === DISCORD) await discord.check({});
    return { ok: true, result: 'saved', at: key };
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
  const answer = useActionAnswer<FormResult<Done>>();
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
      <Outcome done={answer?.ok ? answer.result : isNew && answer === undefined ? 'installedDone' : null} />
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
        <>
          <Card>
            <ConfigForm data={data} />
          </Card>
          {data.roles && <DiscordRolesCards roles={data.roles} />}
        </>
      )}
    </Page>
  );
}

/** What the last command did. */
function Outcome({ done }: { done: Done | 'installedDone' | null }): ReactNode {
  const t = useT('plugins');
  if (done === null) return null;
  return (
    <Banner tone="positive" live>
      {t(done)}
    </Banner>
  );
}

/**
 * What the form was made of: while the page is reloaded for what the plugin does, settings that somebody else saved
 * take nothing away from who types; saving answers CONFLICT.
 */
function useFormData(data: Loaded, answer: FormResult<Done> | undefined): Loaded {
  const [made, make] = useState({ data, answer });
  const isOther = data.plugin.identifier !== made.data.plugin.identifier;
  if (isOther || (data.revision !== made.data.revision && answer !== made.answer)) make({ data, answer });
  return made.data;
}

function ConfigForm({ data }: { data: Loaded }): ReactNode {
  const t = useT('plugins');
  const answer = useActionAnswer<FormResult<Done>>();
  const { plugin, fields, values, secrets, revision, details } = useFormData(data, answer);
  const own = details?.words;
  const words = usePluginWords(own);
  const { identifier } = plugin;
  const feedback = useFormProps(
    answer,
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
