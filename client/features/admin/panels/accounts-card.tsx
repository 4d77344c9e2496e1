import type { ReactNode } from 'react';
import type { ActionFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm, type FormResult } from '#client/lib/form-action.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Checkbox } from '#client/ui/choice.tsx';
import { Form } from '#client/ui/form.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import type { CallOutput } from '#shared/contract/endpoint.ts';
import type { adminPanels } from '#shared/contract/panels.ts';
import { BIND_MAX, bindInput } from '#shared/schemas/panel.ts';
import * as z from 'zod/mini';

type AccountMatches = CallOutput<typeof adminPanels.accounts>;
type BindResult = CallOutput<typeof adminPanels.bindAccounts>;
/** The outcome of the card's forms. */
export type AccountsAnswer =
  ({ readonly intent: 'accounts' } & AccountMatches) | ({ readonly intent: 'bindAccounts' } & BindResult);

/** Whether a form of the page is about accounts in the panel. */
export function isAccountsIntent(intent: unknown): intent is AccountsAnswer['intent'] {
  return intent === 'accounts' || intent === 'bindAccounts';
}

// Any number: sent in batches of what one command takes.
const bindForm = z.extend(bindInput, { users: z.array(z.string()).check(z.minLength(1, 'REQUIRED')) });

/** Searches for accounts, or binds the ticked ones. */
export function accountsAction(
  args: ActionFunctionArgs,
  intent: AccountsAnswer['intent'],
): Promise<FormResult<AccountsAnswer> | (AccountsAnswer & Response)> {
  const params = { id: args.params.id ?? '' };
  const { adminPanels: api } = apiOf(args);
  if (intent === 'accounts')
    return submitForm(args.request, z.strictObject({}), async (): Promise<AccountsAnswer> => ({
      intent,
      ...(await api.accounts({ params })),
    }));
  return submitForm(args.request, bindForm, async ({ users, unconfirmed }): Promise<AccountsAnswer> => {
    let bound = 0;
    const refused: BindResult['refused'] = [];
    for (let from = 0; from < users.length; from += BIND_MAX) {
      const part = await api.bindAccounts({ params, body: { users: users.slice(from, from + BIND_MAX), unconfirmed } });
      bound += part.bound;
      refused.push(...part.refused);
    }
    return { intent, bound, refused };
  });
}

/** Binds players to existing accounts in the panel, after a search that changes nothing. */
export function AccountsCard({ answer }: { answer: FormResult<AccountsAnswer> | undefined }): ReactNode {
  const t = useT('panels');
  const text = useErrorText();
  const refused = answer?.ok === false && isAccountsIntent(answer.values._intent) ? answer : null;
  const result = answer?.ok ? answer.result : null;
  return (
    <Card
      title={t('accounts.title')}
      text={t('accounts.text')}
      foot={
        <Form noSummary preventScrollReset>
          <input type="hidden" name="_intent" value="accounts" />
          <Button type="submit" icon="search">
            {t('accounts.find')}
          </Button>
        </Form>
      }
    >
      <div className="sp-stack">
        {refused && (
          <Banner tone="danger" live>
            {'users' in refused.fields ? t('accounts.none') : text.code(refused.code)}
          </Banner>
        )}
        {result?.intent === 'accounts' && <AccountMatchList found={result} />}
        {result?.intent === 'bindAccounts' && <BoundAccounts bound={result} />}
      </div>
    </Card>
  );
}

function AccountMatchList({ found }: { found: AccountMatches }): ReactNode {
  const t = useT('panels');
  const open = found.rows.filter(({ verdict }) => verdict === 'match' || verdict === 'unconfirmed');
  const unavailable = found.rows.filter(({ verdict }) => verdict === 'admin' || verdict === 'taken');
  return (
    <>
      <Banner live>{t('accounts.found', { count: open.length, accounts: found.accounts, bound: found.bound })}</Banner>
      {open.length > 0 && (
        <Form noSummary preventScrollReset>
          <div className="sp-stack">
            <input type="hidden" name="_intent" value="bindAccounts" />
            {open.map(({ user_id: id, username, email, account, verdict }) => (
              <Checkbox
                key={id}
                name="users"
                value={id}
                defaultChecked={verdict === 'match'}
                hint={`${email} · ${t('accounts.inPanel', { account })} · ${t(`accounts.verdict.${verdict}`)}`}
              >
                {username}
              </Checkbox>
            ))}
            {open.some(({ verdict }) => verdict === 'unconfirmed') && (
              <Checkbox name="unconfirmed" hint={t('accounts.unconfirmedHint')}>
                {t('accounts.unconfirmed')}
              </Checkbox>
            )}
            <Button type="submit" variant="primary">
              {t('accounts.bind')}
            </Button>
          </div>
        </Form>
      )}
      {unavailable.length > 0 && (
        <List label={t('accounts.notLinkable')}>
          {unavailable.map(({ user_id: id, username, email, verdict }) => (
            <ListItem key={id} title={username} text={`${email} · ${t(`accounts.verdict.${verdict}`)}`} />
          ))}
        </List>
      )}
    </>
  );
}

function BoundAccounts({ bound: { bound, refused } }: { bound: BindResult }): ReactNode {
  const t = useT('panels');
  return (
    <>
      <Banner tone={refused.length === 0 ? 'positive' : 'warning'} live>
        {t('accounts.done', { count: bound })}
      </Banner>
      {refused.length > 0 && (
        <List label={t('accounts.notBound')}>
          {refused.map(({ user_id: id, username, why }) => (
            <ListItem key={id} title={username || id} text={t(`accounts.refusal.${why}`)} />
          ))}
        </List>
      )}
    </>
  );
}
