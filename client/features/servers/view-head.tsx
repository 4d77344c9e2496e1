import type { ReactNode } from 'react';
import type { FormResult } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { Rich, useFormat, useLooseT, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import type { ButtonStyle } from '#client/ui/button.tsx';
import { CopyButton } from '#client/ui/copy-button.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Progress } from '#client/ui/progress.tsx';
import { Status } from '#client/ui/status.tsx';
import { Stepper } from '#client/ui/stepper.tsx';
import type { CarriedDebtView, ServerView, WaitView } from '#shared/contract/server-views.ts';
import { href } from '#shared/routes/href.ts';
import { PanelLink } from './panel-card.tsx';
import type { PanelLinks } from './panel-card.tsx';
import { BOLD, EggBlock, formatEstimate } from './parts.tsx';
import { Reinstalling } from './reinstall.tsx';
import type { Reinstall } from './reinstall.tsx';
import type { Renewal } from './renew-box.tsx';
import { failureText, statusOf } from './server-text.ts';
import { stagesOf } from './stages.ts';
import { AccountBox } from './view-account.tsx';
import { WaitBox } from './view-wait.tsx';
import { SupportLinks } from '#client/ui/support-links.tsx';

interface HeadProps {
  server: ServerView;
  renewal: Renewal;
  nowMs: number;
  /** The last answer to one of the page's small forms. */
  answer: FormResult<unknown> | undefined;
  links: PanelLinks | null;
  /** The owner's entry on the waiting list of its location. */
  wait: WaitView | null;
  reinstall: Reinstall;
  /** The debt or expiry carried over if it is retried, when it failed. */
  carriedDebt: CarriedDebtView | null;
  /** Why staff suspended it: their words, never markup (attacks T29). */
  note: string | null;
}

/** The head of a server's page: what it is, its state, what comes next and the actions, in every state. */
export function ServerHead(props: HeadProps): ReactNode {
  const { server, nowMs, answer } = props;
  const t = useT('servers');
  const { shape, label } = statusOf(server, nowMs, t);
  const there = server.state === 'active' || server.state === 'installing' || server.state === 'queued';
  const { problem } = useFormProps(answer);
  return (
    <div className="sp-card sp-srv">
      <EggBlock egg={server.egg} size="xl" off={!there} />
      <div className="sp-srv__text">
        <div className="sp-srv__name">
          <h1>{server.name}</h1>
          <output>
            <Status shape={shape}>{label}</Status>
          </output>
        </div>
        <p>
          <About server={server} nowMs={nowMs} />
        </p>
        {server.description !== '' && <p className="sp-srv__desc">{server.description}</p>}
      </div>
      <Actions server={server} renewal={props.renewal} links={props.links} owed={props.carriedDebt?.owed ?? 0} />
      <div className="sp-srv__more">
        {problem && (
          <Banner tone="danger" live>
            {problem} {answer?.ok === false && answer.code === 'ACCOUNT_NOT_YOURS' && <SupportLinks />}
          </Banner>
        )}
        <StateBox {...props} />
      </div>
    </div>
  );
}

/** Software, location, and the date that matters in this state. */
function About({ server, nowMs }: { server: ServerView; nowMs: number }): ReactNode {
  const t = useT('servers');
  const format = useFormat();
  const { egg, location, state, created_at: created, expires_at: expires } = server;
  const expired = state === 'suspended' && server.suspend_reason === 'expired' && expires !== null;
  const date = expired
    ? t('unpaidSince', { date: format.date(expires) })
    : state === 'queued' || state === 'installing' || state === 'failed'
      ? t('askedFor', { time: format.relative(created, Math.max(nowMs, Date.parse(created))) })
      : t('createdOn', { date: format.date(created) });
  return [egg.name, location.name, date].filter(Boolean).join(' · ');
}

/** The buttons of the state; the most likely one comes last. */
function Actions({
  server,
  renewal,
  links,
  owed,
}: {
  server: ServerView;
  renewal: Renewal;
  links: PanelLinks | null;
  owed: number;
}): ReactNode {
  const t = useT('servers');
  const live = useT('live');
  const { id, can, state } = server;
  return (
    <div className="sp-srv__act">
      {state === 'queued' && server.queue?.can_cancel && (
        <Command intent="cancel" icon="x">
          {t('cancel')}
        </Command>
      )}
      {state === 'failed' && can.delete && <LinkButton to={href('server.delete', { id })}>{t('remove')}</LinkButton>}
      {state === 'failed' && can.retry && (
        <Command intent="retry" price={owed} icon="refresh" variant="primary">
          {owed > 0 ? (
            <>
              {t('retryFor')} <CreditAmount value={owed} />
            </>
          ) : (
            t('retry')
          )}
        </Command>
      )}
      {can.update && (
        <LinkButton to={href('server.update', { id })} icon="sliders">
          {t('update')}
        </LinkButton>
      )}
      {state === 'active' && links !== null && (
        <PanelLink to={links.server} variant="primary">
          {live('openPanel')}
        </PanelLink>
      )}
      {state === 'suspended' && can.renew && (
        <LinkButton to={href('server.renew', { id })} variant="primary">
          {t('renewFor')} <CreditAmount value={renewal.cost} />
        </LinkButton>
      )}
    </div>
  );
}

/** A button that is a form of its own, so that it works without scripts. */
function Command(props: ButtonStyle & { intent: 'cancel' | 'retry'; price?: number }): ReactNode {
  const { intent, price = 0, ...button } = props;
  return (
    <Form noSummary>
      <input type="hidden" name="_intent" value={intent} />
      {price > 0 && <input type="hidden" name="price" value={price} />}
      <FormKey />
      <Button type="submit" {...button} />
    </Form>
  );
}

function StateBox(props: HeadProps): ReactNode {
  switch (props.server.state) {
    case 'queued':
    case 'installing':
      return <Building {...props} />;
    case 'active':
      return (
        <>
          <Address server={props.server} />
          <Reinstalling state={props.reinstall} />
          <PendingChangeNotice server={props.server} />
        </>
      );
    case 'suspended':
      return <Suspended {...props} />;
    case 'failed':
      return <Failed {...props} />;
    case 'deleting':
    case 'deleted':
      return <DeletedBox state={props.server.state} />;
  }
}

function Address({ server }: { server: ServerView }): ReactNode {
  const t = useT('servers');
  if (server.address === null) return null;
  return (
    <div className="sp-addr">
      <span>{t('address')}</span>
      <code>{server.address}</code>
      <CopyButton text={server.address} what={t('addressOf', { name: server.name })}>
        <span className="sp-hide-phone">{t('copy')}</span>
      </CopyButton>
    </div>
  );
}

/** The banner while the last change has not reached the panel yet. */
function PendingChangeNotice({ server }: { server: ServerView }): ReactNode {
  const t = useT('live');
  return server.pending ? <p className="sp-lead">{t('pendingChange')}</p> : null;
}

/** The banner while the panel keeps the queue waiting: for what, and since when. */
function PanelWaitNotice({ server }: { server: ServerView }): ReactNode {
  const t = useT('live');
  const words = useT('servers');
  const format = useFormat();
  const waiting = server.queue?.waiting ?? null;
  if (waiting !== null) {
    return (
      <Banner tone="warning" live>
        <Rich t={words} k={`waiting.${waiting.cause}`} tags={BOLD} vars={{ since: format.dateTime(waiting.since) }} />
      </Banner>
    );
  }
  const why = server.queue?.last_error ?? null;
  if (why !== 'unavailable' && why !== 'unknown') return null;
  return (
    <Banner tone="warning" live>
      <Rich t={t} k="panelNotResponding" tags={BOLD} />
    </Banner>
  );
}

/** Queued or being built: position or progress, and the stages. */
function Building({ server }: HeadProps): ReactNode {
  const t = useT('servers');
  const format = useFormat();
  const { queue, progress, state } = server;
  const wait =
    queue?.estimate_s === null || queue?.estimate_s === undefined ? null : formatEstimate(queue.estimate_s, format);
  if (state === 'queued') {
    const position = queue?.position ?? null;
    if (queue !== null && queue.waiting !== null) {
      return (
        <>
          <PanelWaitNotice server={server} />
          <Stages server={server} />
        </>
      );
    }
    return (
      <>
        <p>
          {position === null || wait === null ? (
            <Rich t={t} k="queuedTextOpen" tags={BOLD} />
          ) : (
            <Rich t={t} k="queuedText" tags={BOLD} vars={{ position: format.number(position), time: wait }} />
          )}
        </p>
        <PanelWaitNotice server={server} />
        <Stages server={server} />
      </>
    );
  }
  return (
    <>
      <PanelWaitNotice server={server} />
      <Progress
        label={wait === null ? t('installingText') : t('installingLeft', { time: wait })}
        {...(progress === null ? {} : { value: progress / 100 })}
      />
      {queue !== null && queue.attempts > 1 && (
        <p className="sp-lead">{t('installingTry', { n: format.number(queue.attempts) })}</p>
      )}
      <Stages server={server} />
    </>
  );
}

function Stages({ server }: { server: ServerView }): ReactNode {
  const t = useT('servers');
  const format = useFormat();
  const position = server.queue?.position ?? null;
  const steps = stagesOf(server).map(({ stage, state, tookMs }) => {
    const ahead = stage === 'queue' && state === 'current' && position !== null;
    const text = ahead
      ? position > 1
        ? t('stageAhead', { count: position - 1 })
        : t('stageNext')
      : tookMs === null
        ? null
        : format.duration(tookMs);
    return { id: stage, label: t(`stage.${stage}`), state, ...(text === null ? {} : { text }) };
  });
  return <Stepper label={t('stages')} steps={steps} />;
}

function Suspended({ server, renewal, nowMs, note }: HeadProps): ReactNode {
  const t = useT('servers');
  const format = useFormat();
  const { deletes_at: deletes } = server;
  if (server.suspend_reason !== 'expired') {
    return (
      <Banner tone="danger">
        {server.suspend_reason === 'admin' && note !== null ? (
          <Rich t={t} k="suspendedAdminFor" tags={BOLD} vars={{ reason: note }} />
        ) : (
          <Rich t={t} k={server.suspend_reason === 'ban' ? 'suspendedBan' : 'suspendedAdmin'} tags={BOLD} />
        )}{' '}
        <SupportLinks />
      </Banner>
    );
  }
  const words =
    deletes === null ? {} : { date: format.dateTime(deletes), time: format.duration(Date.parse(deletes) - nowMs) };
  const left = renewal.balance - renewal.cost;
  return (
    <Banner tone="danger">
      <Rich t={t} k={deletes === null ? 'suspendedExpiredOpen' : 'suspendedExpired'} tags={BOLD} vars={words} />{' '}
      {server.can.renew && left >= 0 && <Rich t={t} k="afterRenew" vars={{ amount: <CreditAmount value={left} /> }} />}
    </Banner>
  );
}

function Failed({ server, answer, wait }: HeadProps): ReactNode {
  const t = useT('servers');
  const { session } = useShell();
  const loose = useLooseT('servers');
  const format = useFormat();
  const { memory, disk } = server.resources;
  return (
    <>
      <Banner tone="danger">
        <b>
          {server.failure === 'addressRefused'
            ? t('addressRefusedText', { email: session.user?.email ?? '' })
            : failureText(server.failure, t, loose)}
        </b>{' '}
        {t('failedText', { memory: format.memory(memory), disk: format.memory(disk) })}
        {!server.can.retry && ` ${t('failedWait')}`} {server.failure === 'addressRefused' && <SupportLinks />}
      </Banner>
      {server.failure === 'accountTaken' && <AccountBox answer={answer} />}
      {server.queue?.state === 'failed' && <Stages server={server} />}
      {(wait !== null || (answer?.ok === false && answer.code === 'LOCATION_FULL')) && (
        <WaitBox server={server} wait={wait} />
      )}
    </>
  );
}

function DeletedBox({ state }: { state: 'deleting' | 'deleted' }): ReactNode {
  const t = useT('servers');
  return (
    <Banner tone="warning" icon="trash">
      <Rich t={t} k={state === 'deleting' ? 'deletingText' : 'deletedText'} tags={BOLD} />
    </Banner>
  );
}
