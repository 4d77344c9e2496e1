import type { ReactNode } from 'react';
import { redirect, useActionData, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { toFormFailure, type FormFailure } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card, Facts } from '#client/ui/card.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/staff-href.ts';

/** The panel, and whether it is in use. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminPanels.dependants({ params: { id: args.params.id ?? '' } });
}

/** Removes the panel if its name was typed. */
export async function action(args: ActionFunctionArgs): Promise<FormFailure | Response> {
  const form = await args.request.formData();
  try {
    await apiOf(args).adminPanels.remove({
      params: { id: args.params.id ?? '' },
      body: { name: String(form.get('name') ?? '') },
    });
    return redirect(form.get('_stay') === null ? `${href('admin.panels.list')}?done=delete` : href('dashboard'));
  } catch (error) {
    return toFormFailure(error, form);
  }
}

/** The document's title begins with it. */
export const pageName = ({ panel }: Awaited<ReturnType<typeof loader>>): string => panel.name;

/** /mc-admin/panels/:id/delete */
export default function PanelDeleteScreen(): ReactNode {
  const t = useT('panels');
  const format = useFormat();
  const { panel, refused } = useLoaderData<typeof loader>();
  const { permissions } = useShell().session;
  const answer = useFormProps(useActionData<FormFailure>());
  const listed = can(permissions, 'admin.panels.list');
  const back = listed ? href('admin.panels.list') : href('dashboard');
  const { servers, locations, eggs } = panel.uses;
  return (
    <Page narrow>
      <PageHead title={t('removeTitle', { name: panel.name })} crumbs={useCrumbs()} />
      {refused && <Banner tone="warning">{t('inUse')}</Banner>}
      <Card title={panel.name} text={panel.url}>
        <Facts
          items={[
            { label: t('servers'), value: format.number(servers) },
            { label: t('locations'), value: format.number(locations) },
            { label: t('eggs'), value: format.number(eggs) },
          ]}
        />
      </Card>
      {refused ? (
        <div className="sp-btn-row">
          <LinkButton to={back}>{t('back')}</LinkButton>
        </div>
      ) : (
        <Card tone="danger" title={t('removeSure')} text={t('removeText')}>
          <Form {...answer} noSummary={Object.keys(answer.errors).length > 0}>
            {!listed && <input type="hidden" name="_stay" value="1" />}
            <Field label={t('typeName', { name: panel.name })} name="name" required>
              <TextInput mono autoComplete="off" spellCheck={false} maxLength={200} />
            </Field>
            <div className="sp-btn-row">
              <Button type="submit" variant="danger" icon="trash">
                {t('remove')}
              </Button>
              <LinkButton to={back} variant="ghost">
                {t('cancel')}
              </LinkButton>
            </div>
          </Form>
        </Card>
      )}
    </Page>
  );
}
