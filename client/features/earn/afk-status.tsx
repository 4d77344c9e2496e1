import type { ReactNode } from 'react';
import { useDeviceText } from '#client/lib/device-text.ts';
import { Rich, useFormat, useT } from '#client/lib/i18n.tsx';
import { useErrorText } from '#client/lib/error-text.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Status } from '#client/ui/status.tsx';
import type { StatusShape } from '#client/ui/status.tsx';
import type { AfkPhase } from './afk-machine.ts';
import type { AfkSnapshot } from './afk-types.ts';

const SHAPES: Readonly<Record<AfkPhase, StatusShape>> = {
  checking: 'queued',
  off: 'off',
  starting: 'installing',
  stopping: 'installing',
  connecting: 'installing',
  running: 'active',
  reconnecting: 'installing',
  elsewhere: 'suspended',
  full: 'full',
  budget: 'paused',
  unverified: 'paused',
  closed: 'off',
};

/** The phase the visitor sees: connecting again after a drop is still reconnecting. */
export function displayedPhase(shown: Pick<AfkSnapshot, 'phase' | 'attempt'>): AfkPhase {
  return shown.phase === 'connecting' && shown.attempt > 0 ? 'reconnecting' : shown.phase;
}

/** The phase as text and shape; changes are announced. */
export function AfkStatus({ phase }: { phase: AfkPhase }): ReactNode {
  const t = useT('earn');
  return (
    <output>
      <Status shape={SHAPES[phase]}>{t(`state.${phase}`)}</Status>
    </output>
  );
}

/** The banners above the page: taken over, stopped, refused. */
export function AfkBanners(props: { shown: AfkSnapshot; unverified: boolean; onDismiss: () => void }): ReactNode {
  const { shown, unverified, onDismiss } = props;
  const t = useT('earn');
  const errors = useErrorText();
  const deviceText = useDeviceText();
  const bold = { b: strong };
  return (
    <>
      {(unverified || shown.phase === 'unverified') && (
        <Banner tone="warning" icon="mail">
          <Rich t={t} k="verifyFirst" tags={bold} />
        </Banner>
      )}
      {shown.tookOver !== null && (
        <Banner icon="monitor" onDismiss={onDismiss} live>
          <Rich t={t} k="tookOver" tags={bold} vars={{ device: deviceText(shown.tookOver) || t('otherBrowser') }} />
        </Banner>
      )}
      {shown.note !== null && (
        <Banner tone="warning" icon="moon" onDismiss={onDismiss} live>
          <Rich t={t} k={shown.note === 'idle' ? 'stoppedIdle' : 'stoppedElsewhere'} tags={bold} />
        </Banner>
      )}
      {shown.code !== null && (
        <Banner tone="danger" onDismiss={onDismiss} live>
          {errors.code(shown.code)}
        </Banner>
      )}
    </>
  );
}

function strong(words: ReactNode): ReactNode {
  return <b>{words}</b>;
}

/** One line under the clock: what the phase means, or since when it runs. Times are ISO. */
export function AfkAbout(props: { shown: AfkSnapshot; resetsAt: string }): ReactNode {
  const { shown, resetsAt } = props;
  const t = useT('earn');
  const format = useFormat();
  const deviceText = useDeviceText();
  const phase = displayedPhase(shown);
  switch (phase) {
    case 'running': {
      const { startedAt } = shown.progress;
      return startedAt === null ? null : t('since', { time: format.time(startedAt) });
    }
    case 'reconnecting':
      return t('about.reconnecting', { earned: format.credits(shown.progress.earned) });
    case 'elsewhere':
      return shown.device === null
        ? t('about.elsewhereTab')
        : t('about.elsewhere', { device: deviceText(shown.device) || t('otherBrowser') });
    case 'full':
    case 'budget':
      return t(`about.${phase}`, { time: format.time(resetsAt) });
    case 'starting':
    case 'connecting':
      return t('about.connecting');
    case 'stopping':
      return null;
    case 'off':
    case 'checking':
    case 'unverified':
    case 'closed':
      return t(`about.${phase}`);
  }
}
