import type { ReactNode } from 'react';
import { useActionData, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import type { FormFailure } from '#client/lib/form-action.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { runAndLeave } from '#client/resource/leave-form.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card, Facts } from '#client/ui/card.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { Status } from '#client/ui/status.tsx';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/staff-href.ts';
import { Moment, Owner, QUEUE_SHAPES, RefusalBanner } from '../parts/servers.tsx';

/** The entry. */
export function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminServerQueue.deletable({ params: { id: args.params.id ?? '' } });
}

/** Deletes the entry. */
export function action(args: ActionFunctionArgs): Promise<FormFailure | Response> {
  return runAndLeave(args.request, `${href('admin.serverQueue.list')}?done=delete`, () =>
    apiOf(args).adminServerQueue.remove({ params: { id: args.params.id ?? '' } }),
  );
}

/** The document's title begins with it. */
export const pageName = ({ entry }: Awaited<ReturnType<typeof loader>>): string => entry.server.name;

/** /mc-admin/server-queue/:id/delete */
export default function EntryDeleteScreen(): ReactNode {
  const t = useT('staffServers');
  const { entry, deletable } = useLoaderData<typeof loader>();
  const refused = useActionData<FormFailure>();
  const { permissions } = useShell().session;
  const listed = can(permissions, 'admin.server.queue.list');
  return (
    <Page narrow>
      <PageHead title={t('deleteEntryTitle')} crumbs={useCrumbs({ 'admin.serverQueue.view': entry.server.name })} />
      {refused && <RefusalBanner answer={refused} />}
      <Card title={entry.server.name}>
        <Facts
          items={[
            {
              label: t('stateLabel'),
              value: <Status shape={QUEUE_SHAPES[entry.state]}>{t(`queueState.${entry.state}`)}</Status>,
            },
            { label: t('owner'), value: <Owner owner={entry.owner} /> },
            { label: t('requestedAt'), value: <Moment at={entry.created_at} /> },
          ]}
        />
      </Card>
      {!deletable ? (
        <Banner tone="warning">{t('deleteEntryBusy')}</Banner>
      ) : (
        <Card
          tone="danger"
          title={t('deleteEntrySure')}
          text={t(entry.state === 'queued' ? 'deleteEntryWaiting' : 'deleteEntryText')}
        >
          <Form noSummary>
            {!listed && <input type="hidden" name="_stay" value="1" />}
            <div className="sp-btn-row">
              <Button type="submit" variant="danger" icon="trash">
                {t('deleteEntry')}
              </Button>
              <LinkButton to={listed ? href('admin.serverQueue.list') : href('dashboard')} variant="ghost">
                {t('back')}
              </LinkButton>
            </div>
          </Form>
        </Card>
      )}
    </Page>
  );
}
