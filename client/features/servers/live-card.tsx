import { useState } from 'react';
import type { ReactNode } from 'react';
import { useBytesText } from '#client/lib/bytes-text.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { useNow } from '#client/lib/use-now.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Card } from '#client/ui/card.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { ResourceMeter } from '#client/ui/resource-meter.tsx';
import { SkeletonLine } from '#client/ui/skeleton.tsx';
import { Sparkline } from '#client/ui/sparkline.tsx';
import { Status } from '#client/ui/status.tsx';
import type { StatusShape } from '#client/ui/status.tsx';
import type { ServerView } from '#shared/contract/server-views.ts';
import type { LiveProblem } from '#shared/server-codes.ts';
import { KIND_ICONS, amountText } from './parts.tsx';
import { isSignalPending, SIGNAL_TIMEOUT_MS, PowerButtons } from './power.tsx';
import type { SentSignal } from './power.tsx';
import { LicenceQuestion } from './licence.tsx';
import { useUsage } from './use-usage.ts';
import type { LiveUsage, LiveAnswer } from './use-usage.ts';

type Usage = NonNullable<LiveAnswer['usage']>;

const SHAPES: Readonly<Record<Usage['power'], StatusShape>> = {
  running: 'active',
  starting: 'installing',
  stopping: 'paused',
  offline: 'off',
  unknown: 'failed',
};
/** Problems with which no power button works. */
const NO_POWER: ReadonlySet<LiveProblem> = new Set(['embedded', 'noKey', 'refused', 'notReady', 'suspended']);
const KINDS = ['memory', 'cpu', 'disk'] as const;
const MB = 1_048_576;
/** Fewer readings than this make no line. */
const MIN_READINGS = 3;

/** An amount of a kind in the units of a server's limits: MB, percent of a core, MB. */
function amountOf(usage: Usage, kind: (typeof KINDS)[number]): number {
  return kind === 'cpu' ? usage.cpu : usage[kind] / MB;
}

/** What of a server its live state is about. */
type LiveServer = Pick<ServerView, 'id' | 'name' | 'state' | 'resources'> & {
  /** Username of its owner, where that is not the visitor. */
  readonly owner?: string;
};

/** The live state of a server: its usage and the power buttons. The page never waits for any of it. */
export function LiveCard({ server, mayPower = true }: { server: LiveServer; mayPower?: boolean }): ReactNode {
  const t = useT('live');
  const format = useFormat();
  const [sent, setSent] = useState<SentSignal | null>(null);
  const { now, elapsedMs } = useShell();
  const nowMs = useNow();
  const live = useUsage(server.id, server.state === 'active', sent !== null && nowMs - sent.atMs < SIGNAL_TIMEOUT_MS);
  const { answer } = live;
  const usage = answer?.usage ?? null;
  const pending = sent !== null && isSignalPending(sent, answer, nowMs) ? sent.signal : null;
  const noPower = answer !== null && answer.problem !== null && NO_POWER.has(answer.problem);
  const up =
    !answer?.problem && usage?.power === 'running' && usage.uptime_s > 0
      ? t('upFor', { time: format.duration(usage.uptime_s * 1000) })
      : null;
  return (
    <Card
      title={t('title')}
      {...(up === null ? {} : { text: up })}
      aside={
        <output aria-live="polite">
          {usage && !answer?.problem && <Status shape={SHAPES[usage.power]}>{t(`power.${usage.power}`)}</Status>}
        </output>
      }
      {...(noPower || !mayPower
        ? {}
        : {
            foot: (
              <PowerButtons
                name={server.name}
                power={answer?.problem ? null : (usage?.power ?? null)}
                pending={pending}
                onSend={(signal) => setSent({ signal, atMs: Date.parse(now) + elapsedMs() })}
              />
            ),
          })}
    >
      <Body server={server} live={live} />
    </Card>
  );
}

function Body({ server, live }: { server: LiveServer; live: LiveUsage }): ReactNode {
  const t = useT('live');
  const format = useFormat();
  const { answer, failed } = live;
  if (!answer?.usage && (answer?.problem || failed)) {
    return (
      <Banner tone={answer?.problem === 'unreachable' || failed ? 'warning' : 'info'}>
        {answer?.problem ? t(`problem.${answer.problem}`) : t('offline')}
      </Banner>
    );
  }
  return (
    <>
      {!answer?.problem &&
        answer?.usage?.halt?.reason === 'licence' &&
        (server.owner === undefined ? (
          <LicenceQuestion />
        ) : (
          <Banner live>{t('licence.owner', { name: server.owner })}</Banner>
        ))}
      {!answer?.problem && answer?.usage?.halt && answer.usage.halt.reason !== 'licence' && (
        <Banner tone="warning" live>
          {t(`halt.${answer.usage.halt.reason}`, { port: String(answer.usage.halt.port ?? '') })}
        </Banner>
      )}
      <Meters server={server} live={live} />
      {!answer?.problem && answer?.usage?.players && <Players {...answer.usage.players} />}
      {answer && !answer.problem && answer.at !== null && <Age at={answer.at} delayS={answer.delay_s} />}
      {answer?.problem && answer.at !== null && (
        <Banner tone="warning">{t('agoNote', { time: format.time(answer.at) })}</Banner>
      )}
      {failed && <Banner tone="warning">{t('offline')}</Banner>}
      {!answer && <noscript>{t('noScripts')}</noscript>}
    </>
  );
}

/** The maximum age of the numbers: the time since we got them, plus how long the panel itself kept them. */
function Age({ at, delayS }: { at: string; delayS: number }): ReactNode {
  const t = useT('live');
  const format = useFormat();
  const nowMs = useNow();
  const time = format.duration(Math.max(0, nowMs - Date.parse(at)) + delayS * 1000);
  return (
    <p className="sp-meta">
      {delayS === 0 ? t('ageNow', { time }) : t('age', { time, every: format.duration(delayS * 1000) })}
    </p>
  );
}

function Meters({ server, live }: { server: LiveServer; live: LiveUsage }): ReactNode {
  const t = useT('live');
  const names = useT('servers');
  const format = useFormat();
  const usage = live.answer?.usage ?? null;
  return (
    <div className="sp-live" aria-busy={usage === null} data-network={usage?.network ? true : undefined}>
      {usage === null && <output className="sp-sr">{t('loading')}</output>}
      {KINDS.map((kind) => (
        <div className="sp-live__kind" key={kind}>
          <ResourceMeter
            label={names(`kind.${kind}`)}
            icon={KIND_ICONS[kind]}
            used={usage ? amountOf(usage, kind) : 0}
            total={server.resources[kind]}
            stacked
            value={
              usage ? (
                <>
                  {amountText(kind, Math.round(amountOf(usage, kind)), format)}{' '}
                  <span>{t('of', { amount: amountText(kind, server.resources[kind], format) })}</span>
                </>
              ) : (
                <SkeletonLine width={60} />
              )
            }
          />
          <div className="sp-live__line">
            {live.readings.length >= MIN_READINGS && (
              <Sparkline values={live.readings.map((each) => amountOf(each, kind))} />
            )}
          </div>
        </div>
      ))}
      {usage?.network && <Network readings={live.readings} {...usage.network} />}
    </div>
  );
}

/** What comes and goes over the network, which has no limit. */
function Network(props: { received: number; sent: number; readings: readonly Usage[] }): ReactNode {
  const { received, sent, readings } = props;
  const t = useT('live');
  const bytes = useBytesText();
  const rate = (amount: number): string => t('perSecond', { amount: bytes(amount) });
  return (
    <div className="sp-live__kind">
      <div className="sp-meter" data-stacked>
        <div className="sp-meter__top">
          <span className="sp-meter__label">
            <Icon name="network" size="sm" />
            {t('network')}
          </span>
          <span className="sp-meter__val">{t('networkRates', { received: rate(received), sent: rate(sent) })}</span>
        </div>
      </div>
      <div className="sp-live__line">
        {readings.length >= MIN_READINGS && (
          <Sparkline values={readings.map(({ network }) => (network ? network.received + network.sent : 0))} />
        )}
      </div>
    </div>
  );
}

/** Who plays on the server right now: how many, and the names that the game tells. */
function Players({ online, max, names }: NonNullable<Usage['players']>): ReactNode {
  const t = useT('live');
  const format = useFormat();
  const others = online - names.length;
  return (
    <div className="sp-meter" data-stacked>
      <div className="sp-meter__top">
        <span className="sp-meter__label">
          <Icon name="users" size="sm" />
          {t('players')}
        </span>
        <span className="sp-meter__val">
          {format.number(online)} <span>{t('of', { amount: format.number(max) })}</span>
        </span>
      </div>
      {names.length > 0 && (
        <p className="sp-live__names">
          {format.list(others > 0 ? [...names, t('morePlayers', { count: others })] : names)}
        </p>
      )}
    </div>
  );
}
