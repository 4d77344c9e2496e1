import { useState, useSyncExternalStore, type ReactNode } from 'react';
import { useRevalidator } from 'react-router';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useApi } from '#client/lib/use-api.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import type { AccountData } from './screen.tsx';
import { pushAbility, subscribeBrowser, unsubscribeBrowser, type PushAbility } from './push-browser.ts';

type Push = NonNullable<NonNullable<AccountData['notifications']>['push']>;
type Outcome = 'none' | 'busy' | 'refused' | 'failed' | { readonly sent: number };

const NEVER = () => () => undefined;
/** What the browser can do; while the page is not alive yet, that it can. */
const useAbility = (): PushAbility => useSyncExternalStore(NEVER, pushAbility, () => 'able');

/** The visitor's browsers that take pushes: this one is asked only after a click. */
export function PushCard({ push }: { push: Push }): ReactNode {
  const t = useT('notificationSettings');
  const ability = useAbility();
  const { outcome, turnOn, remove, sendTest } = usePushes(push);
  const isOn = push.devices.some(({ current }) => current);
  const isBusy = outcome === 'busy';
  return (
    <Card title={t('pushTitle')} text={t('pushText')}>
      {ability === 'blocked' && <Banner tone="warning">{t('pushBlocked')}</Banner>}
      {ability === 'unable' && <Banner tone="info">{t('pushUnable')}</Banner>}
      {(outcome === 'failed' || outcome === 'refused') && (
        <Banner tone="danger" live>
          {t(outcome === 'failed' ? 'pushFailed' : 'pushRefused')}
        </Banner>
      )}
      {typeof outcome === 'object' && (
        <Banner tone="positive" live>
          {t('pushSent', { count: outcome.sent })}
        </Banner>
      )}
      {push.devices.length > 0 && (
        <ul className="sp-devices" aria-label={t('pushDevices')}>
          {push.devices.map((each) => (
            <Device key={each.id} device={each} isBusy={isBusy} remove={() => void remove(each)} />
          ))}
        </ul>
      )}
      <div className="sp-btn-row">
        {!isOn && (
          <Button icon="smartphone" disabled={isBusy || ability !== 'able'} onClick={() => void turnOn()}>
            {t('pushOn')}
          </Button>
        )}
        {push.devices.length > 0 && (
          <Button variant="ghost" disabled={isBusy} onClick={() => void sendTest()}>
            {t('pushTest')}
          </Button>
        )}
      </div>
    </Card>
  );
}

function Device(props: { device: Push['devices'][number]; isBusy: boolean; remove: () => void }): ReactNode {
  const { device, since, reached_at: reached, current } = props.device;
  const t = useT('notificationSettings');
  const format = useFormat();
  return (
    <li>
      <span className="sp-devices__name">{device}</span>
      <span className="sp-meta">
        {current && `${t('pushHere')} · `}
        {reached === null
          ? t('pushSince', { at: format.dateTime(since) })
          : t('pushReached', { at: format.dateTime(reached) })}
      </span>
      <Button
        size="sm"
        variant="ghost"
        disabled={props.isBusy}
        onClick={props.remove}
        aria-label={t('pushRemoveWhat', { name: device })}
      >
        {t('pushRemove')}
      </Button>
    </li>
  );
}

/** What the buttons do, and what came of the last one. */
function usePushes({ key }: Push) {
  const api = useApi();
  const { revalidate } = useRevalidator();
  const [outcome, setOutcome] = useState<Outcome>('none');
  const attempt = async (work: () => Promise<Outcome>): Promise<void> => {
    setOutcome('busy');
    try {
      setOutcome(await work());
    } catch {
      setOutcome('failed');
    }
    await revalidate();
  };
  return {
    outcome,
    turnOn: () =>
      attempt(async () => {
        const target = await subscribeBrowser(key);
        if (!target || !api) return 'refused';
        await api.notifications.subscribe({ body: target });
        return 'none';
      }),
    remove: ({ id, current }: Push['devices'][number]) =>
      attempt(async () => {
        await api?.notifications.unsubscribe({ params: { id } });
        if (current) await unsubscribeBrowser();
        return 'none';
      }),
    sendTest: () => attempt(async () => ({ sent: (await api?.notifications.testPush())?.devices ?? 0 })),
  };
}
