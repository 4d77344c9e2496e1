import { useEffect } from 'react';
import type { FormEvent, ReactNode } from 'react';
import { useSubmit } from 'react-router';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Badge } from '#client/ui/badge.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { dialogs } from '#client/ui/dialogs.ts';
import { Form } from '#client/ui/form.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import type { CallOutput } from '#shared/contract/endpoint.ts';
import type { linked as contract } from '#shared/contract/discord.ts';
import type { LinkedAnswer } from './linked-action.ts';

type Linked = CallOutput<(typeof contract)['get']>;
/** Accounts at other providers that are linked to this one. */
export function LinkedTab({ linked, answer }: { linked: Linked; answer: LinkedAnswer | undefined }): ReactNode {
  const t = useT('linkedAccounts');
  const { problem } = useFormProps(answer?.result);
  return (
    <>
      {problem && (
        <Banner tone="danger" live>
          {problem}
        </Banner>
      )}
      {answer?.intent === 'unlink' && answer.result.ok && (
        <Banner tone="positive" live>
          {t('unlinked')}
        </Banner>
      )}
      {answer?.intent === 'linkDiscord' && answer.result.ok && <ConsentRedirect url={answer.result.result.url} />}
      <Card title={t('title')} text={t('text')} flush>
        <List>
          <Discord {...linked.discord} />
        </List>
      </Card>
    </>
  );
}

/**
 * Goes to the consent page: by script, or by a link without scripts, because a form of ours may not lead to another
 * site.
 */
function ConsentRedirect({ url }: { url: string }): ReactNode {
  const t = useT('linkedAccounts');
  // An effect, because leaving the page is outside React.
  useEffect(() => window.location.assign(url), [url]);
  return (
    <Banner
      live
      action={
        <a className="sp-link" href={url} rel="noreferrer">
          {t('toDiscord')}
        </a>
      }
    >
      {t('onward')}
    </Banner>
  );
}

function Discord({ available, identity, can_unlink }: Linked['discord']): ReactNode {
  const t = useT('linkedAccounts');
  const format = useFormat();
  const title = (
    <>
      {t('discord')}
      {identity?.relink && <Badge tone="warning">{t('worn')}</Badge>}
    </>
  );
  const text = identity
    ? t(identity.relink ? 'relinkText' : 'since', { name: identity.name, date: format.date(identity.linked_at) })
    : t(available ? 'notLinked' : 'unavailable');
  const end = (
    <span className="sp-btn-row">
      {available && (identity === null || identity.relink) && <Start again={identity !== null} />}
      {identity && <Unlink id={identity.id} name={identity.name} possible={can_unlink} />}
    </span>
  );
  return <ListItem icon="link" title={title} text={text} end={end} />;
}

function Start({ again }: { again: boolean }): ReactNode {
  const t = useT('linkedAccounts');
  return (
    <Form noSummary>
      <input type="hidden" name="_intent" value="linkDiscord" />
      <Button type="submit" size="sm" variant={again ? 'primary' : 'secondary'}>
        {t(again ? 'linkAgain' : 'link')}
        <span className="sp-sr">: {t('discord')}</span>
      </Button>
    </Form>
  );
}

/** Removes the link; with scripts it asks first, as rewards that are still vesting depend on it. */
function Unlink({ id, name, possible }: { id: string; name: string; possible: boolean }): ReactNode {
  const t = useT('linkedAccounts');
  const submit = useSubmit();
  const ask = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    if (
      await dialogs.confirm({
        title: t('unlinkTitle', { name }),
        text: t('unlinkText'),
        ok: t('unlink'),
        tone: 'danger',
      })
    )
      await submit(form);
  };
  if (!possible) return <span className="sp-meta">{t('passwordFirst')}</span>;
  return (
    <Form noSummary onSubmit={(event) => void ask(event)}>
      <input type="hidden" name="_intent" value="unlink" />
      <input type="hidden" name="id" value={id} />
      <Button type="submit" variant="ghost" size="sm">
        {t('unlink')}
        <span className="sp-sr">: {t('discord')}</span>
      </Button>
    </Form>
  );
}
