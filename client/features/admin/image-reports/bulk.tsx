import type { ReactNode } from 'react';
import { useState } from 'react';
import { useRevalidator } from 'react-router';
import { useErrorText } from '#client/lib/error-text.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useApi } from '#client/lib/use-api.ts';
import { Button } from '#client/ui/button.tsx';
import { Dialog } from '#client/ui/dialog.tsx';
import { BulkBar, type Selection } from '#client/ui/table-selection.tsx';
import { toasts } from '#client/ui/toasts.ts';
import { ApiError } from '#shared/contract/client.ts';
import type { ReportDecision } from '#shared/image-reports.ts';

/** What is decided on the selected reports; says what it came to and what was refused. Deleting asks first. */
export function ReportsBulk({ selection }: { selection: Selection }): ReactNode {
  const api = useApi();
  const t = useT('staffImageReports');
  const ui = useT('ui');
  const errors = useErrorText();
  const revalidator = useRevalidator();
  const [asks, ask] = useState(false);
  const fail = (title: string, text?: string) =>
    void toasts.show({ tone: 'danger', title, ...(text === undefined ? {} : { text }) });
  const decide = async (decision: ReportDecision): Promise<void> => {
    const ids = [...selection.selected];
    ask(false);
    selection.change(new Set());
    if (api === null || ids.length === 0) return;
    try {
      const { done, refused } = await api.adminImageReports.decideMany({ body: { ids, decision } });
      if (done > 0) toasts.show({ tone: 'positive', title: t('decidedMany', { count: done }) });
      const [first] = refused;
      if (first) fail(t('refusedMany', { count: refused.length }), errors.code(first.code));
    } catch (error) {
      fail(errors.code(error instanceof ApiError ? error.code : 'SERVER_UNAVAILABLE'));
    }
    await revalidator.revalidate();
  };
  return (
    <>
      <BulkBar selection={selection}>
        <Button size="sm" variant="ghost" icon="eye-off" onClick={() => void decide('hide')}>
          {t('hide')}
        </Button>
        <Button size="sm" variant="ghost" icon="check" onClick={() => void decide('reject')}>
          {t('reject')}
        </Button>
        <Button size="sm" variant="danger-quiet" icon="trash" onClick={() => ask(true)}>
          {t('delete')}
        </Button>
      </BulkBar>
      <Dialog open={asks} title={t('deleteManyAsk', { count: selection.selected.size })} onClose={() => ask(false)}>
        <div className="sp-stack">
          <p>{t('deleteText')}</p>
          <div className="sp-btn-row">
            <Button onClick={() => ask(false)}>{ui('cancel')}</Button>
            <Button variant="danger" icon="trash" onClick={() => void decide('delete')}>
              {t('deleteSure')}
            </Button>
          </div>
        </div>
      </Dialog>
    </>
  );
}
