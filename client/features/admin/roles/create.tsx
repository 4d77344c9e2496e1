import type { ReactNode } from 'react';
import { redirect, useActionData, useLoaderData, useLocation } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm, type FormResult } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Button } from '#client/ui/button.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { SaveBar } from '#client/ui/savebar.tsx';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/staff-href.ts';
import { roleCreateInput } from '#shared/schemas/role.ts';
import { RoleFields } from './fields.tsx';
import { useRoleForm } from './role-form.ts';

/** What the form offers. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminRoles.formOptions({});
}

/** Makes the role, then goes to its permissions, or to the list for staff who may not see them. */
export async function action(args: ActionFunctionArgs): Promise<FormResult<never> | Response> {
  return submitForm(args.request, roleCreateInput, async (body, key, form) => {
    const { id } = await apiOf(args).adminRoles.create({ body }, key ? { key } : {});
    const next = String(form.get('_next'));
    if (next === 'permissions') return redirect(`${href('admin.roles.permissions', { id })}?done=create`) as never;
    return redirect(next === 'list' ? `${href('admin.roles.list')}?done=create` : href('dashboard')) as never;
  });
}

/** /mc-admin/roles/create (behaviour 3.10) */
export default function RoleCreateScreen(): ReactNode {
  const t = useT('roles');
  const { rank_max: rankMax, templates } = useLoaderData<typeof loader>();
  const answer = useRoleForm(useActionData<FormResult<never>>());
  const { permissions } = useShell().session;
  const like = new URLSearchParams(useLocation().search).get('like');
  const lists = can(permissions, 'admin.roles.list');
  const next = can(permissions, 'admin.permissions.list') ? 'permissions' : lists ? 'list' : 'dashboard';
  return (
    <Page narrow>
      <PageHead title={t('createTitle')} text={t('createText')} crumbs={useCrumbs()} />
      <Form {...answer}>
        <div className="sp-stack">
          <FormKey />
          <input type="hidden" name="_next" value={next} />
          <RoleFields
            current={null}
            rankMax={rankMax}
            templates={templates}
            {...(templates.some(({ id }) => id === like) && like !== null ? { like } : {})}
          />
          <SaveBar>
            <LinkButton to={lists ? href('admin.roles.list') : href('dashboard')} variant="ghost">
              {t('cancel')}
            </LinkButton>
            <Button type="submit" variant="primary">
              {t('create')}
            </Button>
          </SaveBar>
        </div>
      </Form>
    </Page>
  );
}
