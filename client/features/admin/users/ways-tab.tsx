import type { ReactNode } from 'react';
import { useErrorText } from '#client/lib/error-text.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useNow } from '#client/lib/use-now.ts';
import { Badge } from '#client/ui/badge.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card, Facts } from '#client/ui/card.tsx';
import { Form } from '#client/ui/form.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { RemoveWay } from './remove-way.tsx';
import type { StaffAnswer } from './staff-answer.ts';
import { useConfirm } from '../parts/use-confirm.ts';
import type { TabData, UserData } from './edit.tsx';

type Ways = NonNullable<TabData['ways']>;
interface WaysTabProps {
  user: UserData;
  ways: Ways;
  answer: StaffAnswer | undefined;
}

/** What is said after each command of the tab. */
const DONE = [
  { intent: 'revokeToken', text: 'tokenRevoked' },
  { intent: 'removePasskey', text: 'passkeyRemoved' },
  { intent: 'unlink', text: 'unlinked' },
  { intent: 'disableFactor', text: 'factorDisabled' },
] as const;

/** What opens the account: password, second factor, linked accounts, passkeys, API tokens. */
export function WaysTab({ user, ways, answer }: WaysTabProps): ReactNode {
  const t = useT('userDetails');
  const format = useFormat();
  const errors = useErrorText();
  const done = answer && DONE.find(({ intent }) => intent === answer.intent);
  return (
    <>
      {answer && done && (
        <Banner tone={answer.result.ok ? 'positive' : 'danger'} live>
          {answer.result.ok
            ? t(done.text)
            : answer.result.code === 'LAST_WAY_IN'
              ? t('lastWay')
              : errors.code(answer.result.code)}
        </Banner>
      )}
      <div className="sp-split">
        <div className="sp-stack">
          <TokensCard user={user} tokens={ways.tokens} />
          <PasskeysCard user={user} passkeys={ways.passkeys} />
        </div>
        <div className="sp-stack">
          <Card
            title={t('password')}
            aside={
              user.manageable && ways.factor_at !== null ? (
                <RemoveWay
                  intent="disableFactor"
                  label={t('disableFactor')}
                  name={t('disableFactor')}
                  title={t('askFactor', { name: user.username })}
                  text={t('askFactorText')}
                />
              ) : undefined
            }
          >
            <Facts
              items={[
                { label: t('password'), value: t(ways.password ? 'passwordSet' : 'passwordNone') },
                {
                  label: t('factor'),
                  value:
                    ways.factor_at === null ? t('factorOff') : t('factorOn', { date: format.date(ways.factor_at) }),
                },
                ...(ways.factor_at === null
                  ? []
                  : [{ label: t('recoveryCodes'), value: format.number(ways.recovery_codes) }]),
              ]}
            />
          </Card>
          <LinkedCard user={user} linked={ways.linked} />
        </div>
      </div>
    </>
  );
}

function LinkedCard({ user, linked }: Pick<Ways, 'linked'> & { user: UserData }): ReactNode {
  const t = useT('userDetails');
  const format = useFormat();
  return (
    <Card title={t('linked')} count={linked.length} flush={linked.length > 0}>
      {linked.length === 0 ? (
        <p className="sp-lead">{t('noLinked')}</p>
      ) : (
        <List label={t('linked')}>
          {linked.map((each) => (
            <ListItem
              key={each.id}
              icon="link"
              title={each.provider}
              text={t('linkedSince', { name: each.name, date: format.date(each.linked_at) })}
              {...(user.manageable
                ? {
                    end: (
                      <RemoveWay
                        intent="unlink"
                        id={each.id}
                        last={each.last}
                        label={t('unlink')}
                        name={t('unlinkOf', { name: each.provider })}
                        title={t('askUnlink', { name: user.username, service: each.provider })}
                        text={t('askUnlinkText')}
                      />
                    ),
                  }
                : {})}
            />
          ))}
        </List>
      )}
    </Card>
  );
}

function PasskeysCard({ user, passkeys }: Pick<Ways, 'passkeys'> & { user: UserData }): ReactNode {
  const t = useT('userDetails');
  const format = useFormat();
  const now = useNow(60_000);
  return (
    <Card title={t('passkeys')} count={passkeys.length} flush={passkeys.length > 0}>
      {passkeys.length === 0 ? (
        <p className="sp-lead">{t('noPasskeys')}</p>
      ) : (
        <List label={t('passkeys')}>
          {passkeys.map((passkey) => (
            <ListItem
              key={passkey.id}
              icon="key"
              title={
                <>
                  {passkey.name} {passkey.copied && <Badge tone="warning">{t('copied')}</Badge>}
                </>
              }
              text={
                passkey.used_at === null
                  ? t('unused', { date: format.date(passkey.created_at) })
                  : t('used', { date: format.date(passkey.created_at), when: format.when(passkey.used_at, now) })
              }
              {...(user.manageable
                ? {
                    end: (
                      <RemoveWay
                        intent="removePasskey"
                        id={passkey.id}
                        last={passkey.last}
                        label={t('remove')}
                        name={t('removePasskeyOf', { name: passkey.name })}
                        title={t('askPasskey', { name: passkey.name })}
                        text={t('askPasskeyText')}
                      />
                    ),
                  }
                : {})}
            />
          ))}
        </List>
      )}
    </Card>
  );
}

function TokensCard({ user, tokens }: { user: UserData; tokens: Ways['tokens'] }): ReactNode {
  const t = useT('userDetails');
  return (
    <Card title={t('tokens')} count={tokens.length} flush={tokens.length > 0}>
      {tokens.length === 0 ? (
        <p className="sp-lead">{t('noTokens')}</p>
      ) : (
        <List label={t('tokens')}>
          {tokens.map((token) => (
            <TokenItem key={token.id} token={token} mayRevoke={user.manageable} />
          ))}
        </List>
      )}
    </Card>
  );
}

function TokenItem({ token, mayRevoke }: { token: Ways['tokens'][number]; mayRevoke: boolean }): ReactNode {
  const t = useT('userDetails');
  const format = useFormat();
  const now = useNow(60_000);
  const onSubmit = useConfirm({
    title: t('askRevoke', { name: token.name }),
    text: t('askRevokeText'),
    ok: t('revoke'),
    tone: 'danger',
  });
  const facts = [
    token.scopes.join(', '),
    token.used_at === null
      ? t('unused', { date: format.date(token.created_at) })
      : t('used', { date: format.date(token.created_at), when: format.when(token.used_at, now) }),
    ...(token.used_address === null ? [] : [token.used_address]),
    ...(token.expires_at === null ? [] : [t('expires', { date: format.date(token.expires_at) })]),
  ];
  return (
    <ListItem
      icon="key"
      title={
        <>
          {token.name} <code>…{token.tail}</code>
        </>
      }
      text={facts.join(' · ')}
      {...(mayRevoke
        ? {
            end: (
              <Form noSummary onSubmit={onSubmit} preventScrollReset>
                <input type="hidden" name="_intent" value="revokeToken" />
                <input type="hidden" name="token" value={token.id} />
                <Button type="submit" variant="danger-quiet" size="sm" aria-label={t('revokeOf', { name: token.name })}>
                  {t('revoke')}
                </Button>
              </Form>
            ),
          }
        : {})}
    />
  );
}
