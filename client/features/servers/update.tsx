import { useState } from 'react';
import type { ReactNode } from 'react';
import { redirect, useActionData, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { submitForm } from '#client/lib/form-action.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import type { Format } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { SaveBar } from '#client/ui/savebar.tsx';
import { Textarea, TextInput } from '#client/ui/text-input.tsx';
import { useUnsavedWarning } from '#client/ui/unsaved.ts';
import { SERVER_MINIMUM } from '#shared/constants.ts';
import type { ServerView, VariableView } from '#shared/contract/server-views.ts';
import type { TFn } from '#shared/i18n/types.ts';
import { href } from '#shared/routes/href.ts';
import { serverUpdateInput } from '#shared/schemas/server.ts';
import { EggBlock, SERVER_KINDS, amountText, remainingOf } from './parts.tsx';
import type { Amounts, Meters, ServerKind } from './parts.tsx';
import { ResourceFields } from './resource-fields.tsx';
import { VariableField } from './variable-field.tsx';

/** The server, and the free resources. */
export async function loader(args: LoaderFunctionArgs) {
  const { server, meters, variables } = await apiOf(args).servers.get({ params: { id: args.params.id ?? '' } });
  return { server, meters, variables };
}

/** Saves and goes back to the server. */
export async function action(args: ActionFunctionArgs) {
  const id = args.params.id ?? '';
  return submitForm(args.request, serverUpdateInput, async (body, key) => {
    await apiOf(args).servers.update({ params: { id }, body }, key ? { key } : {});
    return redirect(href('server.view', { id }));
  });
}

/** The document's title begins with it. */
export const pageName = ({ server }: Awaited<ReturnType<typeof loader>>): string => server.name;

/** /server/:id/update (behaviour 6.4) */
export default function UpdateScreen(): ReactNode {
  const t = useT('servers');
  const errors = useErrorText();
  const { server, meters, variables } = useLoaderData<typeof loader>();
  const { id, name } = server;
  return (
    <Page narrow>
      <PageHead
        title={t('updateTitle', { name })}
        text={t('updateText')}
        picture={<EggBlock egg={server.egg} size="lg" off={server.state !== 'active'} />}
        crumbs={useCrumbs({ 'server.view': name })}
      />
      {server.can.update ? (
        <UpdateForm server={server} meters={meters} variables={variables} />
      ) : (
        <Banner
          tone="warning"
          action={
            <LinkButton size="sm" to={href('server.view', { id })}>
              {t('backToServer', { name })}
            </LinkButton>
          }
        >
          {t('updateNotNow', {
            reason: errors.code(server.state === 'suspended' ? 'SERVER_SUSPENDED' : 'SERVER_NOT_READY'),
          })}
        </Banner>
      )}
    </Page>
  );
}

interface Draft {
  readonly name: string;
  readonly description: string;
  readonly amounts: Amounts;
  /** Values of the variables that were changed, by name. */
  readonly variables: Readonly<Record<string, string>>;
}

/** A variable with what the server has now. */
type Variable = VariableView & { readonly value: string };

/** The field of a variable. */
const variableFieldName = (env: string): string => `variables.${env}`;

/** The initial draft: the server's values, or those to restore after a refusal. */
function initialDraft(server: ServerView, given: Readonly<Record<string, string>>): Draft {
  const amounts = SERVER_KINDS.map(
    (kind) => [kind, /^\d{1,9}$/.test(given[kind] ?? '') ? Number(given[kind]) : server.resources[kind]] as const,
  );
  return {
    name: given.name ?? server.name,
    description: given.description ?? server.description,
    amounts: { ...server.resources, ...Object.fromEntries(amounts) },
    variables: Object.fromEntries(
      Object.entries(given).flatMap(([name, value]) =>
        name.startsWith('variables.') ? [[name.slice('variables.'.length), value]] : [],
      ),
    ),
  };
}

/** What saving would change, as text. */
function changes(draft: Draft, server: ServerView, t: TFn<'servers'>, format: Format): readonly string[] {
  const texts = (['name', 'description'] as const).filter((field) => draft[field].trim() !== server[field]);
  const kinds = SERVER_KINDS.filter((kind) => draft.amounts[kind] !== server.resources[kind]);
  return [
    ...texts.map((field) => t('changedField', { field: t(field) })),
    ...kinds.map((kind) =>
      t('changedAmount', {
        field: t(`kind.${kind}`),
        from: amountText(kind, server.resources[kind], format),
        to: amountText(kind, draft.amounts[kind], format),
      }),
    ),
  ];
}

interface UpdateProps {
  server: ServerView;
  meters: Meters;
  variables: readonly Variable[];
}

function UpdateForm({ server, meters, variables }: UpdateProps): ReactNode {
  const t = useT('servers');
  const live = useT('live');
  const format = useFormat();
  const answer = useFormProps(useActionData() as FormResult<unknown> | undefined);
  const [draft, setDraft] = useState(() => initialDraft(server, answer.values));
  const change = (part: Partial<Draft>): void => setDraft((before) => ({ ...before, ...part }));
  const set = variables.filter(({ env, value }) => (draft.variables[env] ?? value) !== value);
  const changed = [...changes(draft, server, t, format), ...set.map(({ name }) => live('changedSetting', { name }))];
  useUnsavedWarning(changed.length > 0);
  // The server's current amounts count as available.
  const bounds = (kind: ServerKind): { min: number; max: number } => ({
    min: SERVER_MINIMUM[kind],
    max: remainingOf(meters[kind]) + server.resources[kind],
  });
  const labels = {
    name: t('name'),
    description: t('description'),
    ...Object.fromEntries(SERVER_KINDS.map((kind) => [kind, t(`kind.${kind}`)])),
    ...Object.fromEntries(variables.map(({ env, name }) => [variableFieldName(env), name])),
  };
  return (
    <Form {...answer} labels={labels} noValidate>
      <FormKey />
      <Card title={t('general')}>
        <div className="sp-fields" data-columns="2">
          <Field label={t('name')} name="name" required counter={32} length={server.name.length}>
            <TextInput
              maxLength={32}
              autoComplete="off"
              defaultValue={server.name}
              onInput={(event) => change({ name: event.currentTarget.value })}
            />
          </Field>
          <Field label={t('description')} name="description" optional counter={255} length={server.description.length}>
            <Textarea
              rows={2}
              maxLength={255}
              defaultValue={server.description}
              onInput={(event) => change({ description: event.currentTarget.value })}
            />
          </Field>
        </div>
      </Card>
      <Card title={t('resources')}>
        <div className="sp-stack" data-gap="5">
          <ResourceFields
            amounts={draft.amounts}
            bounds={bounds}
            onChange={(kind, amount) => change({ amounts: { ...draft.amounts, [kind]: amount } })}
          />
        </div>
      </Card>
      {variables.length > 0 && (
        <Card title={live('variables', { software: server.egg.name })} text={live('variablesNote')}>
          <div className="sp-fields" data-columns="2">
            {variables.map((variable) => (
              <VariableField
                key={variable.env}
                name={variableFieldName(variable.env)}
                variable={variable}
                value={variable.value}
                onValue={(value) =>
                  setDraft((before) => ({ ...before, variables: { ...before.variables, [variable.env]: value } }))
                }
              />
            ))}
          </div>
        </Card>
      )}
      <SaveBar what={changed.length > 0 ? changed.join(', ') : t('noChanges')}>
        <LinkButton to={href('server.view', { id: server.id })} variant="ghost">
          {t('cancelEdit')}
        </LinkButton>
        <Button type="submit" variant="primary">
          {t('saveChanges')}
        </Button>
      </SaveBar>
    </Form>
  );
}
