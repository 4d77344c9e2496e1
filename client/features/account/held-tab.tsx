import type { ReactNode } from 'react';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useNow } from '#client/lib/use-now.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { Disclosure } from '#client/ui/disclosure.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { Status } from '#client/ui/status.tsx';
import { Textarea } from '#client/ui/text-input.tsx';
import type { HeldReward } from '#shared/contract/abuse.ts';
import type { AppealAnswer } from './held-action.ts';

const SHAPES = { open: 'queued', released: 'active', rejected: 'failed' } as const;
/** Maximum length of a note. */
const NOTE_MAX = 1000;

/** Rewards on hold, and those that were decided; the user may write one note on each that waits (behaviour 4.6). */
export function HeldRewardsTab({
  rewards,
  answer,
}: {
  rewards: readonly HeldReward[];
  answer: AppealAnswer | undefined;
}): ReactNode {
  const t = useT('heldRewards');
  const waiting = rewards.reduce((sum, { state, amount }) => sum + (state === 'open' ? amount : 0), 0);
  return (
    <>
      {answer?.result.ok && (
        <Banner tone="positive" live>
          {t('noteSent')}
        </Banner>
      )}
      <Card
        title={t('mineTitle')}
        text={t('mineText')}
        flush
        {...(waiting > 0 ? { aside: <CreditAmount value={waiting} /> } : {})}
      >
        {rewards.length === 0 ? (
          <EmptyState as="h3" title={t('mineEmpty')} text={t('mineEmptyText')} />
        ) : (
          <ul className="sp-held" aria-label={t('mineTitle')}>
            {rewards.map((reward) => (
              <Reward key={reward.id} reward={reward} answer={answer?.id === reward.id ? answer.result : undefined} />
            ))}
          </ul>
        )}
      </Card>
    </>
  );
}

function Reward({ reward, answer }: { reward: HeldReward; answer: FormResult<null> | undefined }): ReactNode {
  const t = useT('heldRewards');
  const sources = useT('sources');
  const format = useFormat();
  const now = useNow(60_000);
  return (
    <li className="sp-held__row">
      <div className="sp-held__head">
        <h3>
          {sources(`${reward.source}.reward`)}
          {reward.subject !== null && <span className="sp-muted"> {reward.subject}</span>}
        </h3>
        <CreditAmount value={reward.amount} />
      </div>
      <p className="sp-held__line">
        <Status shape={SHAPES[reward.state]}>{t(`mineState.${reward.state}`)}</Status>
        <time className="sp-muted" dateTime={reward.held_at}>
          {format.when(reward.held_at, now)}
        </time>
      </p>
      {reward.state === 'open' && reward.release_at !== null && (
        <p className="sp-muted">{t('mineReleaseAt', { date: format.dateTime(reward.release_at) })}</p>
      )}
      {reward.note !== null && (
        <blockquote className="sp-held__note">
          <p>{reward.note}</p>
        </blockquote>
      )}
      {reward.state === 'open' && reward.note === null && <Appeal reward={reward} answer={answer} />}
    </li>
  );
}

function Appeal({ reward, answer }: { reward: HeldReward; answer: FormResult<null> | undefined }): ReactNode {
  const t = useT('heldRewards');
  const shown = useFormProps(answer);
  return (
    <Disclosure label={t('appeal')} open={answer?.ok === false}>
      <Form {...shown} labels={{ note: t('note') }}>
        <input type="hidden" name="_intent" value="appeal" />
        <input type="hidden" name="id" value={reward.id} />
        <Field label={t('note')} name="note" hint={t('noteHint')} counter={NOTE_MAX} required>
          <Textarea rows={3} />
        </Field>
        <Button type="submit">{t('noteSend')}</Button>
      </Form>
    </Disclosure>
  );
}
