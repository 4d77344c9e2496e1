import { useState } from 'react';
import type { ReactNode } from 'react';
import { redirect, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm } from '#client/lib/form-action.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useLive } from '#client/lib/live.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { useRefresh } from '#client/lib/use-refresh.ts';
import { Form } from '#client/ui/form.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { Stepper } from '#client/ui/stepper.tsx';
import type { Step } from '#client/ui/stepper.tsx';
import { SupportLinks } from '#client/ui/support-links.tsx';
import { href } from '#shared/routes/href.ts';
import { CreateObstacles, isBlocked } from './create-obstacles.tsx';
import {
  amountsFit,
  alternativeLocation,
  amountBounds,
  findChoice,
  toRequestBody,
  createForm,
  initialDraft,
  raiseToMinimum,
  toFormFields,
  variableField,
  toWaitRequest,
} from './create-form.ts';
import type { Draft, Options } from './create-form.ts';
import { LocationStep, WAIT_FORM } from './create-location.tsx';
import { SettingsStep } from './create-settings.tsx';
import { SoftwareStep } from './create-software.tsx';
import { Summary } from './create-summary.tsx';
import { ResourceFields } from './resource-fields.tsx';
import { SERVER_KINDS } from './parts.tsx';
import { useAvailability } from './use-availability.ts';
import { isWaitIntent, WaitForm, waitAction } from './wait-list.tsx';

/** Locations, software, free resources, prices, the queue. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).servers.options();
}

/** Creates the server and goes to its page; or joins or leaves the waiting list of a location. */
export async function action(args: ActionFunctionArgs) {
  const intent = (await args.request.clone().formData()).get('_intent');
  if (isWaitIntent(intent)) return waitAction(args, intent);
  const answer = await submitForm(args.request, createForm, async (form, key) => {
    const { id } = await apiOf(args).servers.create({ body: toRequestBody(form) }, key ? { key } : {});
    return redirect(href('server.view', { id }));
  });
  return 'ok' in answer && answer.ok === false && 'fields' in answer ? toFormFields(answer) : answer;
}

/**
 * How often prices, limits and waiting lists are refreshed while the page is visible, ms; availability is polled more
 * often (`use-availability.ts`).
 */
const REFRESH_MS = 60_000;

/** /server/create (behaviour 6.1): one page, one form, anchored steps. */
export default function CreateScreen(): ReactNode {
  const t = useT('servers');
  const loaded = useLoaderData<typeof loader>();
  const result = useActionAnswer<FormResult<unknown>>();
  const answer = useFormProps(result);
  const { session } = useShell();
  const [draft, setDraft] = useState(() => initialDraft(loaded, answer.values));
  const options = { ...loaded, ...useAvailability(loaded, draft) };
  useLive(['servers', 'balance']);
  useRefresh(REFRESH_MS, true);
  const choice = findChoice(options.categories, draft.egg);
  const egg = choice?.egg ?? null;
  const location = options.locations.find(({ id }) => id === draft.location) ?? null;
  const owed = options.carried_debt?.owed ?? 0;
  const unverified = session.user?.verified === false;
  const change = (part: Partial<Draft>): void => setDraft((before) => ({ ...before, ...part }));
  const better = alternativeLocation(draft, options.locations);
  if (better !== null) change({ location: better });
  const pick = (value: string): void =>
    setDraft((before) => ({
      ...before,
      egg: value,
      amounts: raiseToMinimum(before.amounts, findChoice(options.categories, value)?.egg ?? null, options.meters),
    }));
  return (
    <Page>
      <PageHead title={t('createTitle')} crumbs={useCrumbs()} />
      <CreateObstacles options={options} egg={egg} unverified={unverified} />
      <nav aria-label={t('steps')}>
        <Stepper label={t('steps')} steps={useSteps(draft, options, answer.errors)} />
      </nav>
      <Form {...answer} labels={useLabels(egg)} noValidate>
        <FormKey />
        {result?.ok === false && result.code === 'MACHINE_CLOSED' && <SupportLinks />}
        {owed > 0 && <input type="hidden" name="price" value={owed} />}
        <div className="sp-split">
          <div className="sp-stack">
            <StepCard id="place" title={t('stepPlace')}>
              <LocationStep
                draft={draft}
                locations={options.locations}
                onName={(name) => change({ name })}
                onLocation={(id) => change({ location: id, chosenByUser: true })}
              />
            </StepCard>
            <StepCard id="software" title={t('stepSoftware')}>
              <SoftwareStep draft={draft} categories={options.categories} meters={options.meters} onEgg={pick} />
            </StepCard>
            <StepCard id="resources" title={t('stepResources')} text={<ResourcesText />}>
              <ResourceFields
                amounts={draft.amounts}
                bounds={(kind) => amountBounds(kind, egg, options.meters)}
                onChange={(kind, amount) => change({ amounts: { ...draft.amounts, [kind]: amount } })}
                {...(egg ? { software: egg.name } : {})}
              />
            </StepCard>
            <StepCard id="settings" title={egg ? t('settingsOf', { software: egg.name }) : t('stepSettings')}>
              <SettingsStep
                egg={egg}
                renew={options.renew}
                autoRenew={'name' in answer.values ? answer.values.auto_renew === 'on' : true}
              />
            </StepCard>
          </div>
          <Summary
            draft={draft}
            choice={choice}
            location={location}
            meters={options.meters}
            renew={options.renew}
            carriedDebt={options.carried_debt}
            balance={options.balance}
            queue={options.queue}
            panel={options.panel}
            blocked={isBlocked(options, egg, unverified)}
          />
        </div>
      </Form>
      <WaitForm formId={WAIT_FORM} wanted={toWaitRequest(draft)} />
    </Page>
  );
}

function StepCard(props: { id: string; title: string; text?: ReactNode; children: ReactNode }): ReactNode {
  return (
    <section className="sp-card sp-step" id={props.id} aria-labelledby={`${props.id}-title`}>
      <div>
        <h2 className="sp-step__title" id={`${props.id}-title`}>
          {props.title}
        </h2>
        {props.text !== undefined && <p className="sp-lead">{props.text}</p>}
      </div>
      {props.children}
    </section>
  );
}

function ResourcesText(): ReactNode {
  const t = useT('servers');
  const { flags } = useShell();
  return (
    <>
      {t('resourcesText')} {flags.store_enabled && <TextLink to={href('store')}>{t('raiseLimit')}</TextLink>}
    </>
  );
}

/** Names of the fields, for the summary of errors. */
function useLabels(
  egg: { id: string; variables: readonly { env: string; name: string }[] } | null,
): Record<string, string> {
  const t = useT('servers');
  const kinds = SERVER_KINDS.map((kind) => [kind, t(`kind.${kind}`)] as const);
  const variables = (egg?.variables ?? []).map(({ env, name }) => [variableField(egg?.id ?? '', env), name] as const);
  return {
    name: t('name'),
    description: t('description'),
    location_id: t('location'),
    egg: t('software'),
    ...Object.fromEntries(kinds),
    ...Object.fromEntries(variables),
  };
}

/** Which steps are done, which one is current, and which have errors. */
function useSteps(draft: Draft, options: Options, errors: Readonly<Record<string, string>>): readonly Step[] {
  const t = useT('servers');
  const egg = findChoice(options.categories, draft.egg)?.egg ?? null;
  const steps = [
    {
      id: 'place',
      label: t('stepPlace'),
      done: draft.name.trim() !== '' && draft.location !== '',
      fields: ['name', 'description', 'location_id'],
    },
    { id: 'software', label: t('stepSoftware'), done: draft.egg !== '', fields: ['egg'] },
    {
      id: 'resources',
      label: t('stepResources'),
      done: amountsFit(draft.amounts, egg, options.meters),
      fields: [...SERVER_KINDS],
    },
    { id: 'settings', label: t('stepSettings'), done: false, fields: ['auto_renew'] },
  ];
  const first = steps.findIndex((step) => !step.done);
  const wrong = (id: string, fields: readonly string[]): boolean =>
    Object.keys(errors).some(
      (field) => fields.includes(field) || (id === 'settings' && field.startsWith('variables.')),
    );
  return steps.map(({ id, label, fields }, index) => ({
    id,
    label,
    href: `#${id}`,
    state: wrong(id, fields) ? 'error' : index < first ? 'done' : index === first ? 'current' : 'todo',
  }));
}
