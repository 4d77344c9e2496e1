import type { ReactNode } from 'react';
import { useActionData, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm, type FormFailure } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { leaveTo } from '#client/resource/leave-form.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card, Facts } from '#client/ui/card.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { NumberInput } from '#client/ui/number-input.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { Select } from '#client/ui/select.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/staff-href.ts';
import { ADOPT_DAYS_MAX, adoptInput } from '#shared/schemas/staff-server.ts';
import { amountText, SERVER_KINDS, useStaffForm } from '../parts/servers.tsx';

/** The server as its panel shows it now, by the address; null if that names none. */
export async function loader(args: LoaderFunctionArgs) {
  const { searchParams } = new URL(args.request.url);
  const [panel, ref] = [searchParams.get('panel'), searchParams.get('ref')];
  return !panel || !ref ? null : apiOf(args).adminServers.adoptable({ query: { panel, ref } });
}
type Data = NonNullable<Awaited<ReturnType<typeof loader>>>;

/** Adopts the server and goes to its page. */
export async function action(args: ActionFunctionArgs): Promise<FormFailure | Response> {
  const result = await submitForm(args.request, adoptInput, async (body, key, form) => {
    const { id } = await apiOf(args).adminServers.adopt({ body }, key ? { key } : {});
    return leaveTo(form, href('admin.servers.view', { id }));
  });
  return result as FormFailure | Response;
}

/** /mc-admin/servers/adopt (behaviour 6.3) */
export default function AdoptScreen(): ReactNode {
  const data = useLoaderData<typeof loader>();
  return data === null ? <NothingSelected /> : <Adopt data={data} />;
}

/** The empty state: an orphan is chosen in the drift list. */
function NothingSelected(): ReactNode {
  const t = useT('staffServers');
  const { permissions } = useShell().session;
  const toList = can(permissions, 'admin.servers.list')
    ? { action: <LinkButton to={href('admin.servers.drift')}>{t('toDrift')}</LinkButton> }
    : {};
  return (
    <Page narrow>
      <PageHead title={t('adoptNone')} crumbs={useCrumbs()} />
      <Card>
        <EmptyState as="h2" art="plug" title={t('adoptChoose')} text={t('adoptChooseText')} {...toList} />
      </Card>
    </Page>
  );
}

function Adopt({ data }: { data: Data }): ReactNode {
  const t = useT('staffServers');
  const { drift, locations, eggs } = data;
  const form = useStaffForm(useActionData<FormFailure>());
  const { permissions } = useShell().session;
  const listed = can(permissions, 'admin.servers.list');
  const kinds = Object.fromEntries(SERVER_KINDS.map((kind) => [kind, t(`kind.${kind}`)]));
  const labels = { owner: t('newOwner'), days: t('days'), location_id: t('location'), egg_id: t('software'), ...kinds };
  return (
    <Page narrow>
      <PageHead title={t('adoptTitle', { name: drift.name })} text={t('adoptText')} crumbs={useCrumbs()} />
      <PanelServerFacts data={data} />
      <Card title={t('ownership')}>
        <Form {...form} labels={labels}>
          <FormKey />
          {!listed && <input type="hidden" name="_stay" value="1" />}
          <input type="hidden" name="panel" value={drift.panel?.id ?? ''} />
          <input type="hidden" name="ref" value={drift.ref} />
          <div className="sp-fields">
            <Field label={t('newOwner')} name="owner" required hint={t('ownerHint')}>
              <TextInput autoComplete="off" spellCheck={false} autoCapitalize="none" maxLength={254} />
            </Field>
            <Field
              label={t('days')}
              name="days"
              optional
              hint={data.renew_days === null ? t('daysHintNever') : t('daysHint', { count: data.renew_days })}
            >
              <NumberInput min={1} max={ADOPT_DAYS_MAX} />
            </Field>
            <Field label={t('location')} name="location_id" optional hint={t('locationHint')}>
              <Select
                options={locations.map(({ id, name }) => ({ value: id, label: name }))}
                placeholder={t('byItsNode')}
                defaultValue=""
              />
            </Field>
            <Field label={t('software')} name="egg_id" optional hint={t('softwareHint')}>
              <Select
                options={eggs.map(({ id, name }) => ({ value: id, label: name }))}
                placeholder={t('byItsEgg')}
                defaultValue={data.egg_id ?? ''}
              />
            </Field>
          </div>
          <div className="sp-btn-row">
            <Button type="submit" variant="primary" icon="download">
              {t('adopt')}
            </Button>
            <LinkButton to={listed ? href('admin.servers.drift') : href('dashboard')} variant="ghost">
              {t('back')}
            </LinkButton>
          </div>
        </Form>
      </Card>
    </Page>
  );
}

/** What the panel says of it now. */
function PanelServerFacts({ data: { drift, found, eggs, locations } }: { data: Data }): ReactNode {
  const t = useT('staffServers');
  const format = useFormat();
  const facts = [
    { label: t('panel'), value: drift.panel?.name ?? t('builtIn') },
    { label: t('panelId'), value: <code>{drift.ref}</code> },
  ];
  const more =
    found === null
      ? []
      : [
          { label: t('address'), value: found.address ?? t('noAddress') },
          ...(found.node === null ? [] : [{ label: t('node'), value: found.node }]),
          ...SERVER_KINDS.map((kind) => ({
            label: t(`kind.${kind}`),
            value: amountText(kind, found.resources[kind], format),
          })),
        ];
  return (
    <>
      {found === null && <Banner tone="warning">{t('panelSilent')}</Banner>}
      {found?.suspended && <Banner>{t('adoptSuspended')}</Banner>}
      {found !== null && found.state !== 'ready' && <Banner tone="warning">{t('adoptNotReady')}</Banner>}
      {(eggs.length === 0 || locations.length === 0) && <Banner tone="warning">{t('adoptUnbound')}</Banner>}
      <Card title={found?.name ?? drift.name}>
        <Facts items={[...facts, ...more]} />
      </Card>
    </>
  );
}
