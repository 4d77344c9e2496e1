import type { ReactNode } from 'react';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card, Facts } from '#client/ui/card.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { Form } from '#client/ui/form.tsx';
import type { DeletionAnswer } from './deletion-action.ts';
import { OwnerPasskey, OwnerPassword, type Owner } from './owner-proof.tsx';
import type { AccountData } from './screen.tsx';

type Deletion = NonNullable<AccountData['deletion']>;

/** The end of the account: what goes with it, what stays, and seven days to change one's mind (behaviour 3.8). */
export function DeletionCard({
  deletion,
  owner,
  answer,
}: {
  deletion: Deletion;
  owner: Owner;
  answer: DeletionAnswer | undefined;
}): ReactNode {
  const t = useT('deletion');
  return (
    <Card title={t('title')} text={t('text')} tone="danger">
      {answer?.intent === 'keepAccount' && answer.result.ok && (
        <Banner tone="positive" live>
          {t('kept')}
        </Banner>
      )}
      <Facts
        items={[
          { label: t('servers'), value: deletion.servers.length === 0 ? t('noServers') : deletion.servers.join(', ') },
          { label: t('credits'), value: <CreditAmount value={deletion.credits} /> },
          { label: t('stays'), value: t('staysText') },
        ]}
      />
      {deletion.due_at === null ? (
        <RequestForm
          lastOwner={deletion.last_owner}
          owner={owner}
          result={answer?.intent === 'deleteAccount' ? answer.result : undefined}
        />
      ) : (
        <Requested dueAt={deletion.due_at} asked={answer?.intent === 'deleteAccount' && answer.result.ok} />
      )}
    </Card>
  );
}

/** The question; its owner proves who they are by password or passkey. */
function RequestForm({
  lastOwner,
  owner,
  result,
}: {
  lastOwner: boolean;
  owner: Owner;
  result: FormResult<null> | undefined;
}): ReactNode {
  const t = useT('deletion');
  const shown = useFormProps(result);
  if (lastOwner) return <Banner tone="info">{t('lastOwner')}</Banner>;
  return (
    <>
      <Form {...shown} labels={{ password: t('password') }} noValidate>
        <input type="hidden" name="_intent" value="deleteAccount" />
        <OwnerPassword owner={owner} label={t('password')} hint={t('passwordHint')} />
        <div className="sp-btn-row">
          <Button type="submit" variant="danger" icon="trash">
            {t('delete')}
          </Button>
        </div>
      </Form>
      <OwnerPasskey owner={owner} />
    </>
  );
}

function Requested({ dueAt, asked }: { dueAt: string; asked: boolean }): ReactNode {
  const t = useT('deletion');
  const format = useFormat();
  return (
    <>
      <Banner tone="danger" live={asked}>
        {t('requested', { when: format.dateTime(dueAt) })}
      </Banner>
      <Form noSummary>
        <input type="hidden" name="_intent" value="keepAccount" />
        <div className="sp-btn-row">
          <Button type="submit" variant="primary">
            {t('keep')}
          </Button>
        </div>
      </Form>
    </>
  );
}
