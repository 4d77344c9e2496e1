import type { ReactNode } from 'react';
import { toFormFailure, type FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Form } from '#client/ui/form.tsx';
import { endpointUrl } from '#shared/contract/client.ts';
import type { Api } from '#shared/contract/index.ts';
import { WIRE } from '#shared/contract/wire.ts';
import type { AccountData } from './screen.tsx';

type State = NonNullable<AccountData['exported']>['export'];
export interface ExportAnswer {
  readonly intent: 'export';
  readonly result: FormResult<null>;
}

/** Has an export made. */
export async function requestExport(api: Api, form: FormData): Promise<ExportAnswer> {
  try {
    await api.accountExport.request();
    return { intent: 'export', result: { ok: true, result: null, at: '' } };
  } catch (error) {
    return { intent: 'export', result: toFormFailure(error, form) };
  }
}

/** A copy of everything we keep about the visitor (behaviour 3.8). */
export function ExportCard({ state, answer }: { state: State; answer: ExportAnswer | undefined }): ReactNode {
  const t = useT('deletion');
  const shown = useFormProps(answer?.result);
  return (
    <Card title={t('exportTitle')} text={t('exportText')}>
      {state?.state === 'working' && (
        <Banner tone="info" live={answer?.result.ok === true}>
          {t('exportWorking')}
        </Banner>
      )}
      {state?.state === 'failed' && <Banner tone="danger">{t('exportFailed')}</Banner>}
      {state?.state === 'ready' && <Ready state={state} />}
      {state?.state !== 'working' && state?.state !== 'ready' && (
        <Form {...shown} noSummary>
          <input type="hidden" name="_intent" value="export" />
          <div className="sp-btn-row">
            <Button type="submit" icon="download">
              {t('exportRequest')}
            </Button>
          </div>
        </Form>
      )}
    </Card>
  );
}

function Ready({ state }: { state: NonNullable<State> }): ReactNode {
  const t = useT('deletion');
  const format = useFormat();
  const kb = Math.max(1, Math.round((state.size ?? 0) / 1024));
  return (
    <>
      <p>{t('exportReady', { when: state.expires_at === null ? '' : format.dateTime(state.expires_at) })}</p>
      <div className="sp-btn-row">
        <a className="sp-btn" data-variant="primary" href={endpointUrl(WIRE.accountExport.download, {})} download>
          {t('exportDownload', { kb: format.number(kb) })}
        </a>
      </div>
    </>
  );
}
