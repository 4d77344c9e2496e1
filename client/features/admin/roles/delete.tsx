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
import { RoleMark } from '#client/ui/role-mark.tsx';

/** The role, and where its members go. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminRoles.dependants({ params: { id: args.params.id ?? '' } });
}

/** Deletes the role if its name was typed. */
export async function action(args: ActionFunctionArgs): Promise<FormFailure | Response> {
  const form = await args.request.formData();
  try {
    await apiOf(args).adminRoles.remove({
      params: { id: args.params.id ?? '' },
      body: { name: String(form.get('name') ?? '') },
    });
    return redirect(form.get('_stay') === null ? `${href('admin.roles.list')}?done=delete` : href('dashboard'));
  } catch (error) {
    return toFormFailure(error, form);
  }
}

/** The document's title begins with it. */
export const pageName = ({ row }: Awaited<ReturnType<typeof loader>>): string => row.name;

/** /mc-admin/roles/:id/delete (behaviour 3.10) */
export default function RoleDeleteScreen(): ReactNode {
  const t = useT('roles');
  const format = useFormat();
  const { row, fallback } = useLoaderData<typeof loader>();
  const { permissions } = useShell().session;
  const answer = useFormProps(useActionData<FormFailure>());
  const listed = can(permissions, 'admin.roles.list');
  const back = listed ? href('admin.roles.list') : href('dashboard');
  const refusal = fallback === null ? t('deleteDefault') : row.editable ? null : t('aboveYou');
  return (
    <Page narrow>
      <PageHead
        title={t('deleteTitle', { name: row.name })}
        picture={<RoleMark color={row.color} />}
        crumbs={useCrumbs({ 'admin.roles.delete': row.name })}
      />
      {refusal !== null && <Banner tone="warning">{refusal}</Banner>}
      <Card title={row.name}>
        <Facts
          items={[
            { label: t('members'), value: format.number(row.members) },
            { label: t('permissions'), value: format.number(row.permissions) },
            { label: t('rank'), value: format.number(row.rank) },
          ]}
        />
      </Card>
      {refusal !== null ? (
        <div className="sp-btn-row">
          <LinkButton to={back}>{t('back')}</LinkButton>
        </div>
      ) : (
        <Card
          tone="danger"
          title={t('deleteSure')}
          text={t('deleteText', { count: row.members, shown: format.number(row.members), role: fallback ?? '' })}
        >
          <Form {...answer} noSummary={Object.keys(answer.errors).length > 0}>
            {!listed && <input type="hidden" name="_stay" value="1" />}
            <Field label={t('typeName', { name: row.name })} name="name" required>
              <TextInput mono autoComplete="off" spellCheck={false} maxLength={200} />
            </Field>
            <div className="sp-btn-row">
              <Button type="submit" variant="danger" icon="trash">
                {t('delete')}
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
