import { useRef } from 'react';
import type { ReactNode } from 'react';
import { redirect, useActionData, useLoaderData, useLocation } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import * as z from 'zod/mini';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { toFormFailure, type FormResult } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card, Facts, type Fact } from '#client/ui/card.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton, TextLink } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { SaveBar } from '#client/ui/savebar.tsx';
import { Status } from '#client/ui/status.tsx';
import { useDirty, useUnsavedWarning } from '#client/ui/unsaved.ts';
import { can } from '#shared/can.ts';
import type { PanelView } from '#shared/contract/panels.ts';
import { href } from '#shared/routes/staff-href.ts';
import { panelUpdateInput } from '#shared/schemas/panel.ts';
import { isoTime } from '#shared/schemas/primitives.ts';
import { AccountsCard, accountsAction, isAccountsIntent, type AccountsAnswer } from './accounts-card.tsx';
import { CheckCard } from './check-card.tsx';
import { PanelFields } from './fields.tsx';
import { Budget } from './list.tsx';
import { panelFieldErrors } from '../parts/panel-errors.ts';
import { submitPanel } from './submit.ts';
import { useCauseText, useTimeText, usePanelState } from './texts.ts';

/** One panel. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminPanels.get({ params: { id: args.params.id ?? '' } });
}

const input = z.extend(panelUpdateInput, { updated_at: isoTime });

/** Saves the panel, tests its connection, or binds its accounts; distinguished by `_intent`. */
export async function action(args: ActionFunctionArgs): Promise<FormResult<AccountsAnswer> | Response> {
  const params = { id: args.params.id ?? '' };
  const { adminPanels } = apiOf(args);
  const here = href('admin.panels.edit', params);
  const form = await args.request.clone().formData();
  const intent = form.get('_intent');
  if (isAccountsIntent(intent)) return accountsAction(args, intent);
  if (intent === 'test') {
    try {
      await adminPanels.test({ params });
      return redirect(`${here}?done=test`);
    } catch (error) {
      return toFormFailure(error, form);
    }
  }
  return submitPanel(args, input, async (body, key) => {
    await adminPanels.update({ params, body }, key ? { key } : {});
    return redirect(`${here}?done=edit`) as never;
  });
}

/** The document's title begins with it. */
export const pageName = ({ panel }: Awaited<ReturnType<typeof loader>>): string => panel.name;

/** /mc-admin/panels/:id/edit */
export default function PanelEditScreen(): ReactNode {
  const t = useT('panels');
  const { panel } = useLoaderData<typeof loader>();
  const { permissions } = useShell().session;
  const { pathname, search } = useLocation();
  const { shape, text } = usePanelState()(panel);
  const answer = useActionAnswer<FormResult<AccountsAnswer>>();
  const actions = (
    <>
      {can(permissions, 'admin.panels.delete') && (
        <LinkButton to={href('admin.panels.delete', { id: panel.id })} variant="danger-quiet" icon="trash">
          {t('remove')}
        </LinkButton>
      )}
      <LinkButton to={href('admin.panels.sync', { id: panel.id })} icon="boxes">
        {t('catalogue')}
      </LinkButton>
    </>
  );
  return (
    <Page>
      <PageHead
        title={panel.name}
        badge={<Status shape={shape}>{text}</Status>}
        crumbs={useCrumbs({ 'admin.panels.edit': panel.name })}
        actions={actions}
      />
      <DoneBanner />
      {panel.insecure && <Banner tone="warning">{t('insecure')}</Banner>}
      {panel.key.state === 'unreadable' && <Banner tone="danger">{t('unreadable')}</Banner>}
      <div className="sp-split">
        <PanelForm key={pathname + search + panel.updated_at} panel={panel} />
        <div className="sp-stack">
          <CheckCard panel={panel} />
          <HealthCard panel={panel} />
          <UsesCard panel={panel} />
          {panel.enabled && <AccountsCard answer={answer} />}
        </div>
      </div>
    </Page>
  );
}

/** What the visitor came back from. */
function DoneBanner(): ReactNode {
  const t = useT('panels');
  const named = new URLSearchParams(useLocation().search).get('done');
  const done = (['create', 'edit', 'test'] as const).find((each) => each === named);
  if (!done) return null;
  return (
    <Banner tone="positive" live>
      {t(`done.${done}`)}
    </Banner>
  );
}

function PanelForm({ panel }: { panel: PanelView }): ReactNode {
  const t = useT('panels');
  const given = useActionData<FormResult<AccountsAnswer>>();
  // The accounts card shows its own results.
  const result = given?.ok === false && !isAccountsIntent(given.values._intent) ? given : undefined;
  const answer = useFormProps(result, ['name', 'url', 'public_url', 'dialect', 'key', 'client_key']);
  const { permissions } = useShell().session;
  const form = useRef<HTMLFormElement>(null);
  const { dirty } = useDirty(form);
  useUnsavedWarning(dirty);
  const labels = {
    name: t('name'),
    url: t('url'),
    public_url: t('publicUrl'),
    dialect: t('kind'),
    key: t('key'),
    client_key: t('clientKey'),
  };
  const stale = result?.code === 'CONFLICT';
  return (
    <Form
      {...answer}
      problem={stale ? undefined : answer.problem}
      ref={form}
      translateError={panelFieldErrors(t, answer.translateError, true)}
      labels={labels}
    >
      <div className="sp-stack">
        <FormKey />
        <input type="hidden" name="updated_at" value={answer.values.updated_at ?? panel.updated_at} />
        {stale && (
          <Banner
            live
            tone="warning"
            action={
              <TextLink to={href('admin.panels.edit', { id: panel.id })} reloadDocument>
                {t('loadNewest')}
              </TextLink>
            }
          >
            {t('stale')}
          </Banner>
        )}
        <PanelFields panel={panel} />
        <SaveBar what={dirty ? t('unsaved') : undefined}>
          <LinkButton
            to={can(permissions, 'admin.panels.list') ? href('admin.panels.list') : href('dashboard')}
            variant="ghost"
          >
            {t('cancel')}
          </LinkButton>
          <Button type="submit" variant="primary">
            {t('save')}
          </Button>
        </SaveBar>
      </div>
    </Form>
  );
}

function HealthCard({ panel }: { panel: PanelView }): ReactNode {
  const t = useT('panels');
  const moment = useTimeText();
  const cause = useCauseText();
  const { health } = panel;
  if (!health) return null;
  const facts: Fact[] = [
    { label: t('circuitLabel'), value: t(`circuit.${health.circuit}`) },
    ...(health.opens_again_at === null ? [] : [{ label: t('opensAgain'), value: moment(health.opens_again_at) }]),
    { label: t('budget'), value: <Budget health={health} /> },
    { label: t('lastAnswer'), value: health.last_answer_at === null ? t('never') : moment(health.last_answer_at) },
    ...(health.last_failure === null ? [] : [{ label: t('lastFailure'), value: cause(health.last_failure) }]),
  ];
  return (
    <Card title={t('health')} text={t('healthText')}>
      <Facts items={facts} />
    </Card>
  );
}

function UsesCard({ panel }: { panel: PanelView }): ReactNode {
  const t = useT('panels');
  const format = useFormat();
  const { servers, locations, eggs } = panel.uses;
  return (
    <Card title={t('uses')}>
      <Facts
        items={[
          { label: t('servers'), value: format.number(servers) },
          { label: t('locations'), value: format.number(locations) },
          { label: t('eggs'), value: format.number(eggs) },
          { label: t('created'), value: format.dateTime(panel.created_at) },
        ]}
      />
    </Card>
  );
}
