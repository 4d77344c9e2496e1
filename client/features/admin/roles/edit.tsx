import { useRef } from 'react';
import type { ReactNode } from 'react';
import { useActionData, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm, type FormResult } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { leaveTo } from '#client/resource/leave-form.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton, TextLink } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { SaveBar } from '#client/ui/savebar.tsx';
import { useDirty, useUnsavedWarning } from '#client/ui/unsaved.ts';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/staff-href.ts';
import { roleUpdateInput } from '#shared/schemas/role.ts';
import { RoleFields } from './fields.tsx';
import { RoleMark } from '#client/ui/role-mark.tsx';
import { useRoleForm } from './role-form.ts';

/** The role, and the highest rank that the visitor can give. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminRoles.get({ params: { id: args.params.id ?? '' } });
}

/** Saves the role. */
export async function action(args: ActionFunctionArgs): Promise<FormResult<never> | Response> {
  return submitForm(args.request, roleUpdateInput, async (body, key, form) => {
    await apiOf(args).adminRoles.update({ params: { id: args.params.id ?? '' }, body }, key ? { key } : {});
    return leaveTo(form, `${href('admin.roles.list')}?done=edit`) as never;
  });
}

/** The document's title begins with it. */
export const pageName = ({ row }: Awaited<ReturnType<typeof loader>>): string => row.name;

/** /mc-admin/roles/:id/edit (behaviour 3.10) */
export default function RoleEditScreen(): ReactNode {
  const t = useT('roles');
  const { row } = useLoaderData<typeof loader>();
  const { permissions } = useShell().session;
  const actions = (
    <>
      {can(permissions, 'admin.roles.delete') && row.editable && !row.is_default && (
        <LinkButton to={href('admin.roles.delete', { id: row.id })} variant="danger-quiet" icon="trash">
          {t('delete')}
        </LinkButton>
      )}
      {can(permissions, 'admin.permissions.list') && (
        <LinkButton to={href('admin.roles.permissions', { id: row.id })} icon="shield">
          {t('permissions')}
        </LinkButton>
      )}
    </>
  );
  return (
    <Page narrow>
      <PageHead
        title={row.name}
        picture={<RoleMark color={row.color} />}
        crumbs={useCrumbs({ 'admin.roles.edit': row.name })}
        actions={actions}
      />
      {row.editable ? <RoleForm key={row.updated_at} /> : <Banner tone="warning">{t('aboveYou')}</Banner>}
    </Page>
  );
}

function RoleForm(): ReactNode {
  const t = useT('roles');
  const { row, rank_max: rankMax } = useLoaderData<typeof loader>();
  const result = useActionData<FormResult<never>>();
  const answer = useRoleForm(result);
  const { permissions } = useShell().session;
  const form = useRef<HTMLFormElement>(null);
  const { dirty } = useDirty(form);
  useUnsavedWarning(dirty);
  const stale = result?.ok === false && result.code === 'CONFLICT';
  const lists = can(permissions, 'admin.roles.list');
  return (
    <Form {...answer} problem={stale ? undefined : answer.problem} ref={form}>
      <div className="sp-stack">
        <FormKey />
        {!lists && <input type="hidden" name="_stay" value="1" />}
        <input type="hidden" name="updated_at" value={answer.values.updated_at ?? row.updated_at} />
        {stale && (
          <Banner
            live
            tone="warning"
            action={
              <TextLink to={href('admin.roles.edit', { id: row.id })} reloadDocument>
                {t('loadNewest')}
              </TextLink>
            }
          >
            {t('stale')}
          </Banner>
        )}
        <RoleFields current={row} rankMax={rankMax} />
        <SaveBar what={dirty ? t('unsaved') : undefined}>
          <LinkButton to={lists ? href('admin.roles.list') : href('dashboard')} variant="ghost">
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
