import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Card } from '#client/ui/card.tsx';
import { Status } from '#client/ui/status.tsx';
import type { StatusShape } from '#client/ui/status.tsx';
import type { ReportState } from '#shared/image-reports.ts';

const SHAPES: Readonly<Record<ReportState, StatusShape>> = {
  open: 'queued',
  hidden: 'active',
  deleted: 'active',
  rejected: 'off',
};

/** What became of a report; `?sent=1` directly after it was sent. */
export async function loader(args: LoaderFunctionArgs) {
  const found = await apiOf(args).imageReports.get({ params: { id: args.params.id ?? '' } });
  return { ...found, isNew: new URL(args.request.url).searchParams.get('sent') === '1' };
}

/** /images/report/:id: only who sent the report knows the address. */
export default function ImageReportStateScreen(): ReactNode {
  const t = useT('imageReports');
  const format = useFormat();
  const { state, created_at: at, isNew } = useLoaderData<typeof loader>();
  return (
    <div className="sp-shown" data-narrow>
      <Card>
        <h1 className="sp-shown__title">{t('stateTitle')}</h1>
        {isNew && (
          <Banner tone="positive" live>
            {t('sent')}
          </Banner>
        )}
        <p>
          <Status shape={SHAPES[state]}>{t(`states.${state}`)}</Status>
        </p>
        <p className="sp-meta">{t('sentAt', { date: format.dateTime(at) })}</p>
        {state === 'open' && <p className="sp-meta">{t('stateHint')}</p>}
      </Card>
    </div>
  );
}
