import type { FormEvent, ReactNode } from 'react';
import { useSubmit } from 'react-router';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Badge } from '#client/ui/badge.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { ConsentRedirect } from '#client/ui/consent-redirect.tsx';
import { dialogs } from '#client/ui/dialogs.ts';
import { Form } from '#client/ui/form.tsx';
import { isIconName } from '#client/ui/icons.ts';
import { List, ListItem } from '#client/ui/list.tsx';
import type { CallOutput } from '#shared/contract/endpoint.ts';
import type { linked as contract } from '#shared/contract/discord.ts';
import type { LinkedAnswer } from './linked-action.ts';
import type { Owner } from './owner-proof.tsx';
import { ConfirmForm } from './passkeys-card.tsx';

type Linked = CallOutput<(typeof contract)['get']>;

interface LinkedTabProps {
  readonly linked: Linked;
  readonly answer: LinkedAnswer | undefined;
  /** How the user can confirm who they are, and what came of it. */
  readonly owner: Pick<Owner, 'passkeys' | 'answer'>;
}

/** Accounts at other providers that are linked to this one. Linking and unlinking ask who sits there (attacks T31). */
export function LinkedTab({ linked, answer, owner }: LinkedTabProps): ReactNode {
  const t = useT('linkedAccounts');
  const passkeys = useT('passkeys');
  const { problem } = useFormProps(answer?.result);
  const refused = answer && !answer.result.ok && answer.result.code === 'CONFIRM_REQUIRED';
  const asks = !owner.passkeys.confirmed && (refused || (owner.answer && !owner.answer.result.ok));
  return (
    <>
      {owner.answer?.result.ok && (
        <Banner tone="positive" live>
          {passkeys('confirmed')}
        </Banner>
      )}
      {problem && !asks && (
        <Banner tone="danger" live>
          {problem}
        </Banner>
      )}
      {answer?.intent === 'unlink' && answer.result.ok && (
        <Banner tone="positive" live>
          {t('unlinked')}
        </Banner>
      )}
      {answer?.intent === 'linkDiscord' && answer.result.ok && (
        <ConsentRedirect url={answer.result.result.url} text={t('onward')} link={t('toDiscord')} />
      )}
      {answer?.intent === 'linkService' && answer.result.ok && (
        <ConsentRedirect url={answer.result.result.url} text={t('onwardService')} link={t('toService')} />
      )}
      {asks && (
        <Card title={t('confirmTitle')}>
          <Banner tone="info" live>
            {t('confirmText')}
          </Banner>
          <ConfirmForm page={owner.passkeys} answer={owner.answer} />
        </Card>
      )}
      <Card title={t('title')} text={t('text')} flush>
        <List>
          <Discord {...linked.discord} />
          {linked.others.map((other) => (
            <Service key={other.name} {...other} />
          ))}
        </List>
      </Card>
    </>
  );
}

/** What is known of a link; `last`: it is the only way to log in, which says why it cannot be removed. */
function LinkFacts({ text, last }: { text: string; last: boolean }): ReactNode {
  const t = useT('linkedAccounts');
  return (
    <>
      {text}
      {last && (
        <>
          <br />
          {t('passwordFirst')}
        </>
      )}
    </>
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
  const last = identity !== null && !can_unlink;
  const text = identity
    ? t(identity.relink ? 'relinkText' : 'since', { name: identity.name, date: format.date(identity.linked_at) })
    : t(available ? 'notLinked' : 'unavailable');
  const end = (
    <span className="sp-btn-row">
      {available && (identity === null || identity.relink) && <Start again={identity !== null} />}
      {identity && can_unlink && (
        <Unlink id={identity.id} name={identity.name} service={t('discord')} text={t('unlinkText')} />
      )}
    </span>
  );
  return <ListItem icon="link" title={title} text={<LinkFacts text={text} last={last} />} end={end} />;
}

/** A service that can be signed in with. */
function Service({ provider, name, icon, identity, can_unlink }: Linked['others'][number]): ReactNode {
  const t = useT('linkedAccounts');
  const format = useFormat();
  const last = identity !== null && !can_unlink;
  const text = identity
    ? t('since', { name: identity.name, date: format.date(identity.linked_at) })
    : t(provider ? 'notLinked' : 'unavailable');
  const end = identity ? (
    can_unlink && <Unlink id={identity.id} name={identity.name} service={name} text={t('unlinkService')} />
  ) : (
    <Form noSummary>
      <input type="hidden" name="_intent" value="linkService" />
      <input type="hidden" name="provider" value={provider ?? ''} />
      <Button type="submit" size="sm">
        {t('link')}
        <span className="sp-sr">: {name}</span>
      </Button>
    </Form>
  );
  return (
    <ListItem
      icon={isIconName(icon) ? icon : 'key'}
      title={name}
      text={<LinkFacts text={text} last={last} />}
      end={end}
    />
  );
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

interface UnlinkProps {
  readonly id: string;
  /** What they are called there, and what the service is called. */
  readonly name: string;
  readonly service: string;
  /** What hangs on the link. */
  readonly text: string;
}

/** Removes the link; with scripts it asks first. */
function Unlink({ id, name, service, text }: UnlinkProps): ReactNode {
  const t = useT('linkedAccounts');
  const submit = useSubmit();
  const ask = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    if (
      await dialogs.confirm({
        title: t('unlinkTitle', { name }),
        text,
        ok: t('unlink'),
        tone: 'danger',
      })
    )
      await submit(form);
  };
  return (
    <Form noSummary onSubmit={(event) => void ask(event)}>
      <input type="hidden" name="_intent" value="unlink" />
      <input type="hidden" name="id" value={id} />
      <Button type="submit" variant="ghost" size="sm">
        {t('unlink')}
        <span className="sp-sr">: {service}</span>
      </Button>
    </Form>
  );
}
