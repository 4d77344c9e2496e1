import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import type { ServerView, WaitView } from '#shared/contract/server-views.ts';
import { WaitForm, WaitList } from './wait-list.tsx';

const WAIT_FORM = 'wait-form';

/** No capacity for a retry: offers the waiting list. */
export function WaitBox({ server, wait }: { server: ServerView; wait: WaitView | null }): ReactNode {
  const t = useT('live');
  const { memory, disk, ports } = server.resources;
  const wanted = { egg_id: server.egg.id, memory, disk, ports };
  const line = { ...server.location, waiting: null, estimate_s: null, wait };
  return (
    <section className="sp-waits" aria-labelledby="waits-title">
      <h2 className="sp-waits__title" id="waits-title">
        {t('waitHere', { location: server.location.name })}
      </h2>
      <p className="sp-lead">{t('soldOutText')}</p>
      <WaitList lines={[line]} wanted={wanted} formId={WAIT_FORM} />
      <WaitForm formId={WAIT_FORM} wanted={wanted} />
    </section>
  );
}
