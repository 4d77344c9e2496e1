import type { ReactNode } from 'react';
import { redirect, useActionData } from 'react-router';
import type { ActionFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Button } from '#client/ui/button.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { SaveBar } from '#client/ui/savebar.tsx';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/staff-href.ts';
import { panelCreateInput } from '#shared/schemas/panel.ts';
import { PanelFields } from './fields.tsx';
import { panelFieldErrors } from '../parts/panel-errors.ts';
import { submitPanel } from './submit.ts';

/** Connects a panel, then goes to its page. */
export async function action(args: ActionFunctionArgs): Promise<FormResult<never> | Response> {
  return submitPanel(args, panelCreateInput, async (body, key, form) => {
    const { id } = await apiOf(args).adminPanels.create({ body }, key ? { key } : {});
    // Staff who may connect panels but not change them cannot see that page.
    return redirect(
      form.get('_edit') === null ? href('dashboard') : `${href('admin.panels.edit', { id })}?done=create`,
    ) as never;
  });
}

/** /mc-admin/panels/create */
export default function PanelCreateScreen(): ReactNode {
  const t = useT('panels');
  const answer = useFormProps(useActionData<FormResult<never>>(), [
    'name',
    'url',
    'public_url',
    'dialect',
    'key',
    'client_key',
  ]);
  const { permissions } = useShell().session;
  const labels = {
    name: t('name'),
    url: t('url'),
    public_url: t('publicUrl'),
    dialect: t('kind'),
    key: t('key'),
    client_key: t('clientKey'),
  };
  return (
    <Page narrow>
      <PageHead title={t('createTitle')} text={t('createText')} crumbs={useCrumbs()} />
      <Form {...answer} translateError={panelFieldErrors(t, answer.translateError)} labels={labels}>
        <div className="sp-stack">
          <FormKey />
          {can(permissions, 'admin.panels.edit') && <input type="hidden" name="_edit" value="1" />}
          <PanelFields panel={null} />
          <SaveBar>
            <LinkButton
              to={can(permissions, 'admin.panels.list') ? href('admin.panels.list') : href('dashboard')}
              variant="ghost"
            >
              {t('cancel')}
            </LinkButton>
            <Button type="submit" variant="primary">
              {t('connect')}
            </Button>
          </SaveBar>
        </div>
      </Form>
    </Page>
  );
}
