import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Pips } from '#client/ui/bar.tsx';
import { Card } from '#client/ui/card.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import type { Api } from '#shared/contract/index.ts';
import { href } from '#shared/routes/staff-href.ts';

type Guide = Awaited<ReturnType<Api['adminSetup']['get']>>;

/** What is still to be set up, for the overview of owners; nothing when every step is done or skipped. */
export function SetupCard({ guide }: { guide: Pick<Guide, 'finished' | 'steps'> }): ReactNode {
  const t = useT('setup');
  const next = guide.steps.find(({ state }) => state === 'open');
  if (guide.finished || !next) return null;
  const done = guide.steps.filter(({ state }) => state !== 'open').length;
  return (
    <Card title={t('cardTitle')} count={t('progressOf', { done, count: guide.steps.length })}>
      <div className="sp-guide-card">
        <Pips used={done} total={guide.steps.length} tone="accent" />
        <p className="sp-small">
          <b>{t('cardNext', { step: t(`step.${next.step}.title`) })}</b>{' '}
          <span className="sp-muted">{t(`step.${next.step}.text`)}</span>
        </p>
        <LinkButton to={href('admin.setup')} size="sm">
          {t('cardGo')}
        </LinkButton>
      </div>
    </Card>
  );
}
