import type { FormEvent, ReactNode } from 'react';
import { useSubmit } from 'react-router';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useDeviceText } from '#client/lib/device-text.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useNow } from '#client/lib/use-now.ts';
import { Badge } from '#client/ui/badge.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { dialogs } from '#client/ui/dialogs.ts';
import { Form } from '#client/ui/form.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import type { AccountData } from './screen.tsx';

type Session = NonNullable<AccountData['sessions']>[number];
interface Answer {
  readonly intent: 'endSession' | 'endOthers';
  readonly result: FormResult<{ ended: number }>;
}

/** Where the user is logged in; this browser comes first. */
export function SessionsTab({
  sessions,
  answer,
}: {
  sessions: readonly Session[];
  answer: Answer | undefined;
}): ReactNode {
  const t = useT('account');
  const { problem } = useFormProps(answer?.result);
  const ordered = sessions.toSorted((a, b) => Number(b.current) - Number(a.current));
  return (
    <>
      {answer?.result.ok && (
        <Banner tone="positive" live>
          {answer.intent === 'endSession' ? t('sessionEnded') : t('othersEnded', { count: answer.result.result.ended })}
        </Banner>
      )}
      {problem && (
        <Banner tone="danger" live>
          {problem}
        </Banner>
      )}
      <Card
        title={t('sessionsTitle')}
        text={t('sessionsText')}
        flush
        count={sessions.length}
        aside={sessions.length > 1 && <EndOthers />}
      >
        <List>
          {ordered.map((session) => (
            <SessionItem key={session.id} session={session} />
          ))}
        </List>
      </Card>
    </>
  );
}

function SessionItem({ session }: { session: Session }): ReactNode {
  const t = useT('account');
  const format = useFormat();
  const now = useNow(60_000);
  const name = useDeviceName(session);
  const title = (
    <>
      {name}
      {session.current && <Badge tone="accent">{t('thisOne')}</Badge>}
      {session.factor_at !== null && <Badge>{t('factorPassed')}</Badge>}
    </>
  );
  const facts = { address: session.address, date: format.date(session.created_at) };
  const text = session.current
    ? t('sessionFactsNow', facts)
    : t('sessionFacts', { ...facts, seen: format.when(session.seen_at, now) });
  return (
    <ListItem
      icon={/android|iphone|ipad|mobile/i.test(session.device) ? 'smartphone' : 'monitor'}
      title={title}
      text={text}
      {...(session.current ? {} : { end: <EndOne session={session} /> })}
    />
  );
}

function useDeviceName({ device }: Session): string {
  const t = useT('account');
  return useDeviceText()(device) || t('unknownDevice');
}

function EndOne({ session }: { session: Session }): ReactNode {
  const t = useT('account');
  const device = useDeviceName(session);
  return (
    <Form noSummary>
      <input type="hidden" name="_intent" value="endSession" />
      <input type="hidden" name="id" value={session.id} />
      <Button type="submit" variant="ghost" size="sm" aria-label={t('endSessionOf', { device })}>
        {t('endSession')}
      </Button>
    </Form>
  );
}

/** Ends all but this one; with scripts it asks first. */
function EndOthers(): ReactNode {
  const t = useT('account');
  const submit = useSubmit();
  const ask = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    const question = {
      title: t('endOthersTitle'),
      text: t('endOthersText'),
      ok: t('endOthers'),
      tone: 'danger' as const,
    };
    if (await dialogs.confirm(question)) await submit(form);
  };
  return (
    <Form noSummary onSubmit={(event) => void ask(event)}>
      <input type="hidden" name="_intent" value="endOthers" />
      <Button type="submit" variant="danger-quiet" size="sm">
        {t('endOthers')}
      </Button>
    </Form>
  );
}
