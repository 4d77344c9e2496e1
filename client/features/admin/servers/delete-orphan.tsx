import type { ReactNode } from 'react';
import { useActionData, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm, type FormFailure } from '#client/lib/form-action.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { leaveTo } from '#client/resource/leave-form.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card, Facts } from '#client/ui/card.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/staff-href.ts';
import { orphanDeleteInput } from '#shared/schemas/staff-server.ts';
import { Moment, useStaffForm } from '../parts/servers.tsx';

/** The server that only a panel has, by the address; null where that names none. */
export async function loader(args: LoaderFunctionArgs) {
  const { searchParams } = new URL(args.request.url);
  const [panel, ref] = [searchParams.get('panel'), searchParams.get('ref')];
  return !panel || !ref ? null : apiOf(args).adminServers.orphan({ query: { panel, ref } });
}
type Data = NonNullable<Awaited<ReturnType<typeof loader>>>;

/** Deletes it at its panel and goes back to the list. */
export async function action(args: ActionFunctionArgs): Promise<FormFailure | Response> {
  const result = await submitForm(args.request, orphanDeleteInput, async (body, _key, form) => {
    await apiOf(args).adminServers.deleteOrphan({ body });
    return leaveTo(form, `${href('admin.servers.drift')}?done=deleteOrphan`);
  });
  return result as FormFailure | Response;
}

/** /mc-admin/servers/drift/delete (behaviour 6.3) */
export default function DeleteOrphanScreen(): ReactNode {
  const t = useT('staffServers');
  const data = useLoaderData<typeof loader>();
  const { permissions } = useShell().session;
  const listed = can(permissions, 'admin.servers.list');
  const crumbs = useCrumbs();
  if (data !== null) return <DeleteOrphan data={data} listed={listed} />;
  return (
    <Page narrow>
      <PageHead title={t('deleteOrphanNow')} crumbs={crumbs} />
      <Card>
        <EmptyState
          as="h2"
          art="plug"
          title={t('adoptChoose')}
          text={t('adoptChooseText')}
          {...(listed ? { action: <LinkButton to={href('admin.servers.drift')}>{t('toDrift')}</LinkButton> } : {})}
        />
      </Card>
    </Page>
  );
}

function DeleteOrphan({ data, listed }: { data: Data; listed: boolean }): ReactNode {
  const t = useT('staffServers');
  const { drift, ours } = data;
  const name = data.name ?? drift.name;
  const form = useStaffForm(useActionData<FormFailure>());
  const facts = [
    { label: t('panel'), value: drift.panel?.name ?? t('builtIn') },
    { label: t('panelId'), value: <code>{drift.ref}</code> },
    { label: t('firstSeen'), value: <Moment at={drift.first_at} /> },
  ];
  return (
    <Page narrow>
      <PageHead title={t('deleteOrphanTitle', { name })} text={t('deleteOrphanText')} crumbs={useCrumbs()} />
      <Card title={name}>
        <Facts items={facts} />
      </Card>
      {ours && <Banner tone="warning">{t('deleteOrphanOurs')}</Banner>}
      {data.name === null && <Banner tone="warning">{t('deleteOrphanSilent')}</Banner>}
      <Card tone="danger" title={t('deleteOrphanSure')}>
        <Form {...form} noSummary={form.errors.name !== undefined}>
          {!listed && <input type="hidden" name="_stay" value="1" />}
          <input type="hidden" name="panel" value={drift.panel?.id ?? ''} />
          <input type="hidden" name="ref" value={drift.ref} />
          <Field label={t('typeName', { name })} name="name" required>
            <TextInput autoComplete="off" spellCheck={false} autoCapitalize="none" maxLength={255} />
          </Field>
          <div className="sp-btn-row">
            <Button type="submit" variant="danger" icon="trash" disabled={ours}>
              {t('deleteOrphanNow')}
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
