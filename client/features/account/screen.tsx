import type { ReactNode } from 'react';
import { useActionData, useLoaderData, useSearchParams } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import * as z from 'zod/mini';
import { apiOf } from '#client/lib/api-context.ts';
import { toFormFailure, submitForm } from '#client/lib/form-action.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { useT } from '#client/lib/i18n.tsx';
import { STATEMENT_LIST, statementQuery } from '#client/resource/statement-query.ts';
import { readList } from '#client/lib/url-state.ts';
import { Page, PageHead } from '#client/ui/page.tsx';
import { usePluginTabs } from '#client/ui/plugin-part.tsx';
import { Tabs } from '#client/ui/tabs.tsx';
import { PAST_CURSOR } from '#shared/past-cursor.ts';
import { href } from '#shared/routes/href.ts';
import { passwordInput } from '#shared/schemas/account.ts';
import { profileInput } from '#shared/schemas/profile.ts';
import { privacyInput } from '#shared/schemas/community.ts';
import { mailKindsInput } from '#shared/schemas/mail-template.ts';
import { notificationSettingsInput } from '#shared/schemas/notifications.ts';
import { deleteAccount, keepAccount, type DeletionAnswer } from './deletion-action.ts';
import { DeletionCard } from './deletion-card.tsx';
import { ExportCard, requestExport, type ExportAnswer } from './export-card.tsx';
import { cancelEmail, changeEmail, type EmailAnswer } from './email-action.ts';
import { linkDiscord, linkService, unlink, type LinkedAnswer } from './linked-action.ts';
import { LinkedTab } from './linked-tab.tsx';
import { sendAppeal, type AppealAnswer } from './held-action.ts';
import { HeldRewardsTab } from './held-tab.tsx';
import { ActivityTab } from './activity-tab.tsx';
import { NotificationsTab, type NotificationsAnswer } from './notifications-tab.tsx';
import { MailKindsCard } from './mail-kinds-card.tsx';
import { MailsTab } from './mails-tab.tsx';
import { PaymentsTab } from './payments-tab.tsx';
import { changePasskeys, type PasskeysAnswer } from './passkeys-action.ts';
import { PasskeysCard } from './passkeys-card.tsx';
import { PasswordTab } from './password-tab.tsx';
import { PrivacyTab } from './privacy-tab.tsx';
import { ProfileTab } from './profile-tab.tsx';
import { uploadSkin, removeSkin, type SkinResult } from './skin-action.ts';
import { SessionsTab } from './sessions-tab.tsx';
import { SupportPinCard } from './support-pin-card.tsx';
import { StatementTab } from './statement-tab.tsx';
import { changeTokens, isTokensAnswer, type TokensAnswer } from './tokens-action.ts';
import { TokensTab } from './tokens-tab.tsx';

/** The tabs of the page; the address says which one is open (`?tab=`). */
const TABS = [
  'profile',
  'security',
  'notifications',
  'sessions',
  'linked',
  'tokens',
  'privacy',
  'statement',
  'held',
  'payments',
  'mails',
  'activity',
] as const;
type Tab = (typeof TABS)[number];
const TAB_LABELS = {
  profile: 'tabProfile',
  security: 'tabSecurity',
  notifications: 'tabNotifications',
  sessions: 'tabSessions',
  linked: 'tabLinked',
  tokens: 'tabTokens',
  privacy: 'tabPrivacy',
  statement: 'tabStatement',
  held: 'tabHeld',
  payments: 'tabPayments',
  mails: 'tabMails',
  activity: 'tabActivity',
} as const;

function tabOf(url: URL): Tab {
  return TABS.find((tab) => tab === url.searchParams.get('tab')) ?? 'profile';
}

/** From which place on a list of the past is shown; none: from now on. */
function past(url: URL): { before?: string } {
  const before = url.searchParams.get('before') ?? '';
  return PAST_CURSOR.test(before) ? { before } : {};
}

/** The account, and the data of the open tab. */
export async function loader(args: LoaderFunctionArgs) {
  const api = apiOf(args);
  const url = new URL(args.request.url);
  const tab = tabOf(url);
  const [
    account,
    passkeys,
    email,
    pin,
    sessions,
    linked,
    tokens,
    privacy,
    statement,
    held,
    payments,
    mails,
    mailKinds,
    activity,
    deletion,
    exported,
    notifications,
  ] = await Promise.all([
    api.account.get(),
    ['security', 'profile', 'privacy', 'linked'].includes(tab) ? api.passkeys.list() : null,
    tab === 'profile' ? api.accountEmail.get() : null,
    tab === 'profile' ? api.supportPin.get() : null,
    tab === 'sessions' ? api.account.sessions() : null,
    tab === 'linked' ? api.linked.get() : null,
    tab === 'tokens' ? api.apiTokens.list() : null,
    tab === 'privacy' ? api.profiles.privacy() : null,
    tab === 'statement' ? api.account.statement({ query: statementQuery(url.search) }) : null,
    tab === 'held' ? api.heldRewards.list() : null,
    tab === 'payments'
      ? api.payments.mine({ query: { page: String(readList(url.search, STATEMENT_LIST).page) } })
      : null,
    tab === 'mails' ? api.accountActivity.mails({ query: past(url) }) : null,
    tab === 'mails' ? api.mailKinds.get() : null,
    tab === 'activity' ? api.accountActivity.activity({ query: past(url) }) : null,
    tab === 'privacy' ? api.accountDeletion.get() : null,
    tab === 'privacy' ? api.accountExport.get() : null,
    tab === 'notifications' ? api.notifications.settings() : null,
  ]);
  return {
    tab,
    account,
    passkeys,
    email,
    pin: pin?.support_pin ?? null,
    sessions: sessions?.sessions ?? null,
    linked,
    tokens,
    privacy,
    statement,
    held: held?.rewards ?? null,
    payments,
    mails,
    mailKinds: mailKinds?.kinds ?? null,
    activity,
    deletion,
    exported,
    notifications,
    newest: past(url).before === undefined,
  };
}
export type AccountData = Awaited<ReturnType<typeof loader>>;

/** Which form was sent, and its outcome. */
export type AccountAnswer =
  | AppealAnswer
  | PasskeysAnswer
  | EmailAnswer
  | DeletionAnswer
  | ExportAnswer
  | { readonly intent: 'profile'; readonly result: FormResult<{ locale: string }> }
  | LinkedAnswer
  | TokensAnswer
  | { readonly intent: 'skin'; readonly result: SkinResult }
  | NotificationsAnswer
  | { readonly intent: 'password' | 'privacy' | 'supportPin' | 'mailKinds'; readonly result: FormResult<null> }
  | { readonly intent: 'endSession' | 'endOthers'; readonly result: FormResult<{ ended: number }> };

/** Profile, skin, password, sessions: one form each, distinguished by `_intent`. */
export async function action(args: ActionFunctionArgs): Promise<AccountAnswer | Response> {
  const api = apiOf(args);
  const form = await args.request.clone().formData();
  switch (form.get('_intent')) {
    case 'password': {
      const result = await submitForm(args.request, passwordInput, async (body) => {
        await api.account.changePassword({ body });
        return null;
      });
      return result instanceof Response ? result : { intent: 'password', result };
    }
    case 'privacy': {
      const result = await submitForm(args.request, privacyInput, async (body) => {
        await api.profiles.setPrivacy({ body });
        return null;
      });
      return result instanceof Response ? result : { intent: 'privacy', result };
    }
    case 'mailKinds': {
      const result = await submitForm(args.request, mailKindsInput, async (body) => {
        await api.mailKinds.save({ body });
        return null;
      });
      return result instanceof Response ? result : { intent: 'mailKinds', result };
    }
    case 'notifications': {
      const result = await submitForm(args.request, notificationSettingsInput, async (body) => {
        await api.notifications.saveSettings({ body });
        return null;
      });
      return result instanceof Response ? result : { intent: 'notifications', result };
    }
    case 'resetNotifications': {
      const result = await submitForm(args.request, z.strictObject({}), async () => {
        await api.notifications.resetSettings();
        return null;
      });
      return result instanceof Response ? result : { intent: 'resetNotifications', result };
    }
    case 'email':
      return changeEmail(api, args.request);
    case 'cancelEmail':
      return cancelEmail(api, form);
    case 'deleteAccount':
      return deleteAccount(api, args.request);
    case 'export':
      return requestExport(api, form);
    case 'keepAccount':
      return keepAccount(api, form);
    case 'supportPin': {
      const result = await submitForm(args.request, z.strictObject({}), async () => {
        await api.supportPin.renew();
        return null;
      });
      return result instanceof Response ? result : { intent: 'supportPin', result };
    }
    case 'skin':
      return { intent: 'skin', result: await uploadSkin(api, form) };
    case 'removeSkin':
      return { intent: 'skin', result: await removeSkin(api, form) };
    case 'confirm':
    case 'confirmPasskey':
    case 'addPasskey':
    case 'renamePasskey':
    case 'removePasskey':
      return changePasskeys(api, args.request, form);
    case 'appeal':
      return sendAppeal(api, form);
    case 'linkDiscord':
      return linkDiscord(api, form);
    case 'linkService':
      return linkService(api, form);
    case 'unlink':
      return unlink(api, form);
    case 'createToken':
    case 'revokeToken':
    case 'revokeTokens':
      return changeTokens(api, args.request, form);
    case 'endSession':
      return {
        intent: 'endSession',
        result: await countEnded(
          form,
          async () => (await api.account.endSession({ params: { id: String(form.get('id')) } }), 1),
        ),
      };
    case 'endOthers':
      return {
        intent: 'endOthers',
        result: await countEnded(form, async () => (await api.account.endOtherSessions()).ended),
      };
    default: {
      const result = await submitForm(args.request, profileInput, async (body) => {
        await api.account.update({ body });
        return { locale: body.locale };
      });
      return result instanceof Response ? result : { intent: 'profile', result };
    }
  }
}

/** Ends sessions and counts them. */
async function countEnded(form: FormData, end: () => Promise<number>): Promise<FormResult<{ ended: number }>> {
  try {
    return { ok: true, result: { ended: await end() }, at: '' };
  } catch (error) {
    return toFormFailure(error, form);
  }
}

/** /account */
export default function AccountScreen(): ReactNode {
  const t = useT('account');
  const data = useLoaderData<typeof loader>();
  const answer = useActionData() as AccountAnswer | undefined;
  const added = usePluginTabs();
  const [params] = useSearchParams();
  const plugin = added.find(({ id }) => id === params.get('tab'));
  return (
    <Page>
      <PageHead title={t('title')} />
      <Tabs
        label={t('sections')}
        onCanvas
        items={[
          ...TABS.map((tab) => ({
            to: tab === 'profile' ? href('account') : `${href('account')}?tab=${tab}`,
            label: t(TAB_LABELS[tab]),
            current: !plugin && tab === data.tab,
          })),
          ...added.map(({ id, title }) => ({
            to: `${href('account')}?tab=${id}`,
            label: title,
            current: id === plugin?.id,
          })),
        ]}
      />
      {plugin ? plugin.content : <OpenTab data={data} answer={answer} />}
    </Page>
  );
}

const isLinkedAnswer = (answer: AccountAnswer): answer is LinkedAnswer =>
  ['linkDiscord', 'linkService', 'unlink'].includes(answer.intent);

function OpenTab({ data, answer }: { data: AccountData; answer: AccountAnswer | undefined }): ReactNode {
  const owner = data.passkeys && {
    hasPassword: data.account.has_password,
    passkeys: data.passkeys,
    answer: answer?.intent === 'passkeys' ? answer : undefined,
  };
  if (data.tab === 'security') {
    const result = answer?.intent === 'password' ? answer.result : undefined;
    return (
      <PasswordTab answer={result} hasPassword={data.account.has_password}>
        {data.passkeys && (
          <PasskeysCard page={data.passkeys} answer={answer?.intent === 'passkeys' ? answer : undefined} />
        )}
      </PasswordTab>
    );
  }
  if (data.tab === 'held')
    return <HeldRewardsTab rewards={data.held ?? []} answer={answer?.intent === 'appeal' ? answer : undefined} />;
  if (data.tab === 'sessions') {
    const result = answer?.intent === 'endSession' || answer?.intent === 'endOthers' ? answer : undefined;
    return <SessionsTab sessions={data.sessions ?? []} answer={result} />;
  }
  if (data.tab === 'privacy' && data.privacy)
    return (
      <>
        <PrivacyTab privacy={data.privacy} answer={answer?.intent === 'privacy' ? answer.result : undefined} />
        {data.exported && (
          <ExportCard state={data.exported.export} answer={answer?.intent === 'export' ? answer : undefined} />
        )}
        {data.deletion && owner && (
          <DeletionCard
            deletion={data.deletion}
            owner={owner}
            answer={answer?.intent === 'deleteAccount' || answer?.intent === 'keepAccount' ? answer : undefined}
          />
        )}
      </>
    );
  if (data.tab === 'linked' && data.linked && owner)
    return (
      <LinkedTab linked={data.linked} owner={owner} answer={answer && isLinkedAnswer(answer) ? answer : undefined} />
    );
  if (data.tab === 'tokens' && data.tokens)
    return <TokensTab tokens={data.tokens} answer={answer && isTokensAnswer(answer) ? answer : undefined} />;
  if (data.tab === 'mails' && data.mails) {
    return (
      <>
        <MailsTab mails={data.mails} first={data.newest} />
        {data.mailKinds && (
          <MailKindsCard kinds={data.mailKinds} answer={answer?.intent === 'mailKinds' ? answer.result : undefined} />
        )}
      </>
    );
  }
  if (data.tab === 'notifications' && data.notifications)
    return (
      <NotificationsTab
        settings={data.notifications}
        answer={answer?.intent === 'notifications' || answer?.intent === 'resetNotifications' ? answer : undefined}
      />
    );
  if (data.tab === 'activity' && data.activity) return <ActivityTab activity={data.activity} first={data.newest} />;
  if (data.tab === 'payments' && data.payments) return <PaymentsTab payments={data.payments} />;
  if (data.tab === 'statement' && data.statement) return <StatementTab statement={data.statement} />;
  return (
    <ProfileTab
      account={data.account}
      email={data.email}
      owner={owner}
      emailAnswer={answer?.intent === 'email' || answer?.intent === 'cancelEmail' ? answer : undefined}
      answer={answer?.intent === 'profile' ? answer.result : undefined}
      skin={answer?.intent === 'skin' ? answer.result : undefined}
    >
      <SupportPinCard pin={data.pin} answer={answer?.intent === 'supportPin' ? answer.result : undefined} />
    </ProfileTab>
  );
}
