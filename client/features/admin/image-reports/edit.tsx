import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Card, Facts } from '#client/ui/card.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { LinkButton, TextLink } from '#client/ui/link-button.tsx';
import { Badge } from '#client/ui/badge.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { Status } from '#client/ui/status.tsx';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/staff-href.ts';
import type { ReportAnswer } from './action.ts';
import { DecisionCard, NoteCard, RemoveCard } from './decision.tsx';
import { REPORT_SHAPES } from './query.ts';

export { action } from './action.ts';

/** A report with what was said. */
export function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminImageReports.get({ params: { id: args.params.id ?? '' } });
}
export type ReportData = Awaited<ReturnType<typeof loader>>;

/** The document's title begins with it. */
export const pageName = ({ report }: ReportData): string => report.name || report.image_id;

/** /mc-admin/image-reports/:id/edit (behaviour 5.5) */
export default function ImageReportScreen(): ReactNode {
  const t = useT('staffImageReports');
  const words = useT('imageReports');
  const errorText = useErrorText();
  const data = useLoaderData<typeof loader>();
  const answer = useActionAnswer<ReportAnswer | null>();
  const { permissions } = useShell().session;
  const { report, next } = data;
  const name = report.name || t('noName');
  return (
    <Page>
      <PageHead
        title={name}
        badge={<Status shape={REPORT_SHAPES[report.state]}>{t(`state.${report.state}`)}</Status>}
        text={words(`reasons.${report.reason}`)}
        actions={
          next === null ? undefined : (
            <LinkButton to={href('admin.imageReports.edit', { id: next })} iconEnd="arrow-right">
              {t('next')}
            </LinkButton>
          )
        }
        crumbs={useCrumbs({ 'admin.imageReports.edit': name })}
      />
      {answer?.ok === true && (
        <Banner tone="positive" live>
          {t(`done.${answer.result}`)}
        </Banner>
      )}
      {answer?.ok === false && answer.code !== 'VALIDATION_FAILED' && (
        <Banner tone="danger" live>
          {errorText.code(answer.code)}
        </Banner>
      )}
      <div className="sp-split">
        <div className="sp-stack">
          {/* Another report begins blurred. */}
          <PictureCard key={report.id} data={data} />
          <ComplaintsCard data={data} />
        </div>
        <div className="sp-stack">
          <FactsCard data={data} />
          {can(permissions, 'admin.image.reports.edit') && (
            <>
              <DecisionCard key={`${report.id} ${report.state}`} data={data} answer={answer ?? undefined} />
              <NoteCard key={`note ${report.id}`} data={data} answer={answer ?? undefined} />
            </>
          )}
          {can(permissions, 'admin.image.reports.delete') && report.state !== 'open' && report.state !== 'hidden' && (
            <RemoveCard />
          )}
        </div>
      </div>
    </Page>
  );
}

/** The image: blurred until somebody opens it, which loads the clear one. Works without scripts. */
function PictureCard({ data: { report, image } }: { data: ReportData }): ReactNode {
  const t = useT('staffImageReports');
  if (!image)
    return (
      <Card>
        <EmptyState art="image" as="h2" title={t('pictureGone')} text={t('pictureGoneText')} />
      </Card>
    );
  const address = `/api/admin/image-reports/${report.id}/picture`;
  const { width, height } = image;
  return (
    <Card title={t('picture')} text={t('pictureText')} flush>
      <details className="sp-report">
        <summary>
          <img src={`${address}/small`} width={width} height={height} alt={t('altBlurred')} />
          <span className="sp-btn" data-variant="secondary" data-closed="">
            {t('reveal')}
          </span>
          <span className="sp-btn" data-variant="ghost" data-size="sm" data-open="">
            {t('conceal')}
          </span>
        </summary>
        <img src={`${address}/medium`} width={width} height={height} alt={t('alt')} loading="lazy" />
      </details>
    </Card>
  );
}

/** What people said of it. */
function ComplaintsCard({ data: { report, complaints } }: { data: ReportData }): ReactNode {
  const t = useT('staffImageReports');
  const words = useT('imageReports');
  const format = useFormat();
  return (
    <Card title={t('said')} count={format.number(report.complaints)} flush>
      <List label={t('said')}>
        {complaints.map(({ id, reason, details, reporter, created_at: at }) => (
          <ListItem
            key={id}
            icon="flag"
            title={words(`reasons.${reason}`)}
            text={
              <>
                <span className="sp-report__said">{details || t('noDetails')}</span>
                <span className="sp-meta">
                  {reporter ?? t('guest')} · <time dateTime={at}>{format.dateTime(at)}</time>
                </span>
              </>
            }
          />
        ))}
      </List>
      {complaints.length < report.complaints && (
        <p className="sp-meta sp-report__more">
          {t('moreSaid', { shown: format.number(complaints.length), all: format.number(report.complaints) })}
        </p>
      )}
    </Card>
  );
}

/** Whose image it is, and what is known of it. */
function FactsCard({ data: { report, image, owner } }: { data: ReportData }): ReactNode {
  const t = useT('staffImageReports');
  const format = useFormat();
  const opensUsers = can(useShell().session.permissions, 'admin.users.edit');
  const shownOwner = owner ? (
    <>
      {opensUsers ? (
        <TextLink to={href('admin.users.edit', { id: owner.id })}>{owner.username}</TextLink>
      ) : (
        owner.username
      )}{' '}
      {owner.banned && <Badge tone="danger">{t('banned')}</Badge>}
    </>
  ) : (
    t('nobody')
  );
  return (
    <Card title={t('about')}>
      <Facts
        items={[
          { label: t('owner'), value: shownOwner },
          ...(image
            ? [
                { label: t('uploaded'), value: format.dateTime(image.created_at) },
                { label: t('size'), value: t('facts', { width: image.width, height: image.height }) },
                { label: t('views'), value: format.number(image.views) },
              ]
            : []),
        ]}
      />
      {report.decided_at !== null && (
        <p className="sp-meta">
          {t('decided', { name: report.decided_by ?? t('nobody'), date: format.dateTime(report.decided_at) })}
        </p>
      )}
    </Card>
  );
}
