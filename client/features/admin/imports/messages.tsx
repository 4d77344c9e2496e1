import type { ReactNode } from 'react';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { useBytesText } from '#client/lib/bytes-text.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Card } from '#client/ui/card.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { Progress } from '#client/ui/progress.tsx';
import type { ImportsPage } from '#shared/contract/imports.ts';
import { href } from '#shared/routes/staff-href.ts';
import type { ImportsAnswer } from './action.ts';

/** What is being done, how the last task ended, and why a command was refused. `runId`: the run whose page it is. */
export function Messages({ page: { running, last }, runId }: { page: ImportsPage; runId?: string }): ReactNode {
  const t = useT('imports');
  const format = useFormat();
  const bytes = useBytesText();
  const error = useErrorText();
  const answer = useActionAnswer<ImportsAnswer>();
  const ended = last !== null && (runId === undefined || last.run_id === runId) ? last : null;
  return (
    <>
      {answer && !answer.ok && Object.keys(answer.fields).length === 0 && (
        <Banner tone="danger" live>
          {error.code(answer.code)}
        </Banner>
      )}
      {running ? (
        <Card title={t(`running.${running.task}`)} text={t('runningHint')}>
          <Progress
            label={t(`step.${running.step}`, {
              done: running.step === 'read' ? bytes(running.done) : format.number(running.done),
            })}
          />
        </Card>
      ) : (
        ended && (
          <Banner tone={ended.fault ? 'danger' : 'positive'} live>
            {ended.fault
              ? `${t(`failed.${ended.task}`, { why: t(`fault.${ended.fault}`) })} ${t(`faultDo.${ended.fault}`)}`
              : t(`done.${ended.task}`)}{' '}
            {ended.run_id !== null && runId === undefined && (
              <TextLink to={`${href('admin.imports')}?run=${ended.run_id}`}>{t('seeResult')}</TextLink>
            )}
          </Banner>
        )
      )}
    </>
  );
}
