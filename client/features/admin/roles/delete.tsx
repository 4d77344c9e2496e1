import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import type { FormFailure } from '#client/lib/form-action.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { DeleteByNameCard, deleteByName } from '#client/resource/delete-by-name.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Card, Facts } from '#client/ui/card.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/staff-href.ts';
import { RoleMark } from '#client/ui/role-mark.tsx';

/** The role, and where its members go. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminRoles.dependants({ params: { id: args.params.id ?? '' } });
}

/** Deletes the role if its name was typed. */
export function action(args: ActionFunctionArgs): Promise<FormFailure | Response> {
  const params = { id: args.params.id ?? '' };
  return deleteByName(args.request, href('admin.roles.list'), (body) =>
    apiOf(args).adminRoles.remove({ params, body }),
  );
}

/** The document's title begins with it. */
export const pageName = ({ row }: Awaited<ReturnType<typeof loader>>): string => row.name;

/** /mc-admin/roles/:id/delete (behaviour 3.10) */
export default function RoleDeleteScreen(): ReactNode {
  const t = useT('roles');
  const format = useFormat();
  const { row, fallback } = useLoaderData<typeof loader>();
  const { permissions } = useShell().session;
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
        <DeleteByNameCard
          title={t('deleteSure')}
          text={t('deleteText', { count: row.members, shown: format.number(row.members), role: fallback ?? '' })}
          typeName={t('typeName', { name: row.name })}
          sure={t('delete')}
          cancel={t('cancel')}
          back={back}
          isListed={listed}
        />
      )}
    </Page>
  );
}
