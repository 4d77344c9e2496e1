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

/** The panel, and whether it is in use. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminPanels.dependants({ params: { id: args.params.id ?? '' } });
}

/** Removes the panel if its name was typed. */
export function action(args: ActionFunctionArgs): Promise<FormFailure | Response> {
  const params = { id: args.params.id ?? '' };
  return deleteByName(args.request, href('admin.panels.list'), (body) =>
    apiOf(args).adminPanels.remove({ params, body }),
  );
}

/** The document's title begins with it. */
export const pageName = ({ panel }: Awaited<ReturnType<typeof loader>>): string => panel.name;

/** /mc-admin/panels/:id/delete */
export default function PanelDeleteScreen(): ReactNode {
  const t = useT('panels');
  const format = useFormat();
  const { panel, refused } = useLoaderData<typeof loader>();
  const { permissions } = useShell().session;
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
        <DeleteByNameCard
          title={t('removeSure')}
          text={t('removeText')}
          typeName={t('typeName', { name: panel.name })}
          sure={t('remove')}
          cancel={t('cancel')}
          back={back}
          isListed={listed}
        />
      )}
    </Page>
  );
}
