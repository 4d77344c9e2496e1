import { useEffect, useEffectEvent, useState } from 'react';
import type { ReactNode } from 'react';
import { useRevalidator } from 'react-router';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useApi } from '#client/lib/use-api.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Progress } from '#client/ui/progress.tsx';
import type { Api } from '#shared/contract/index.ts';

/** How often progress is asked for, ms. */
const POLL_MS = 1500;

type Run = NonNullable<Awaited<ReturnType<Api['adminUserBulk']['latestRun']>>['run']>;

/**
 * How far a command on all users who match has come, with the way to cancel it, and what it came to when it ended while
 * the page was open. `isStarted`: it was started here, so that its end is news even where nothing was seen of it
 * before.
 */
export function BulkRun({ isStarted }: { isStarted: boolean }): ReactNode {
  const api = useApi();
  const { revalidate } = useRevalidator();
  const [run, setRun] = useState<Run | null>(null);
  const [isSeen, setSeen] = useState(isStarted);
  const isRunning = run?.state === 'running';
  const show = useEffectEvent((next: Run): void => {
    // What had ended before is no news; what ends now has changed the list.
    if (next.state === 'running') setSeen(true);
    else if (isRunning) void revalidate();
    setRun(next);
  });
  useEffect(() => {
    let current = true;
    const load = () =>
      api?.adminUserBulk.latestRun().then(
        (answer) => current && answer.run && show(answer.run),
        () => undefined,
      );
    void load();
    const timer = isRunning ? setInterval(() => void load(), POLL_MS) : undefined;
    return () => {
      current = false;
      clearInterval(timer);
    };
  }, [api, isRunning]);
  if (!run || !isSeen) return null;
  return isRunning ? <Running run={run} onCancelled={setRun} /> : <Ended run={run} />;
}

function Running({ run, onCancelled }: { run: Run; onCancelled: (run: Run) => void }): ReactNode {
  const t = useT('userList');
  const api = useApi();
  const format = useFormat();
  const worked = run.done + run.refused;
  const cancel = async (): Promise<void> => {
    await api?.adminUserBulk.cancelRun({ params: { id: run.id } }).catch(() => null);
    onCancelled({ ...run, state: 'cancelled' });
  };
  return (
    <Card
      title={t(`run.${run.kind}`)}
      text={t('runText')}
      aside={
        <Button size="sm" onClick={() => void cancel()}>
          {t('cancelRun')}
        </Button>
      }
    >
      <Progress
        label={t('runOf', { done: format.number(worked), total: format.number(run.total) })}
        value={run.total === 0 ? 1 : worked / run.total}
      />
    </Card>
  );
}

function Ended({ run }: { run: Run }): ReactNode {
  const t = useT('userList');
  const refused = run.refused > 0 ? ` ${t('refused', { count: run.refused })}` : '';
  return (
    <Banner tone={run.state === 'done' ? 'positive' : 'warning'} live>
      {`${t(run.state === 'done' ? 'runDone' : 'runEnded', { count: run.done })}${refused}`}
    </Banner>
  );
}
