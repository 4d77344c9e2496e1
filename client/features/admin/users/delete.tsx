import type { ReactNode } from 'react';
import { useActionData, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm, type FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { leaveTo } from '#client/resource/leave-form.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card, Facts, type Fact } from '#client/ui/card.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { Field, FieldGroup } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { OptionCard, OptionCards } from '#client/ui/option-card.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/staff-href.ts';
import { deletionInput } from '#shared/schemas/staff-user.ts';

/** Counted parts of an account, in the order in which they are shown. */
const COUNTS = ['payments', 'purchases', 'identities', 'passkeys', 'tokens', 'sessions'] as const;

/** The account, and what hangs on it. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminAccounts.dependants({ params: { id: args.params.id ?? '' } });
}
type Data = Awaited<ReturnType<typeof loader>>;

/** Closes the account if its name was typed. */
export async function action(args: ActionFunctionArgs): Promise<FormResult<unknown> | Response> {
  const params = { id: args.params.id ?? '' };
  return submitForm(args.request, deletionInput, async (body, _key, form) => {
    await apiOf(args).adminAccounts.remove({ params, body });
    return leaveTo(form, `${href('admin.users.list')}?done=delete`);
  });
}

/** The document's title begins with it. */
export const pageName = ({ username }: Data): string => username;

/** /mc-admin/users/:id/delete (behaviour 8.3) */
export default function UserDeleteScreen(): ReactNode {
  const t = useT('userDeletion');
  const format = useFormat();
  const user = useLoaderData<typeof loader>();
  const { permissions } = useShell().session;
  const mayEdit = can(permissions, 'admin.users.edit');
  const mayList = can(permissions, 'admin.users.list');
  const back = mayEdit
    ? href('admin.users.edit', { id: user.id })
    : mayList
      ? href('admin.users.list')
      : href('dashboard');
  return (
    <Page narrow>
      <PageHead
        title={t('title', { name: user.username })}
        crumbs={useCrumbs({ 'admin.users.edit': user.username, 'admin.users.delete': user.username })}
      />
      {user.refusal !== null && <Banner tone="warning">{t(`refusal.${user.refusal}`)}</Banner>}
      {user.refusal === null && user.due_at !== null && (
        <Banner>{t('requested', { name: user.username, when: format.dateTime(user.due_at) })}</Banner>
      )}
      <Dependants user={user} />
      {user.refusal === null ? (
        <>
          {mayEdit && user.status !== 'banned' && (
            <Card
              title={t('banTitle')}
              text={t('banText')}
              aside={<LinkButton to={`${back}?tab=access`}>{t('ban')}</LinkButton>}
            />
          )}
          <CloseCard user={user} back={back} stays={!mayList} />
        </>
      ) : (
        <div className="sp-btn-row">
          <LinkButton to={back}>{t('back')}</LinkButton>
        </div>
      )}
    </Page>
  );
}

/** What hangs on the account. */
function Dependants({ user }: { user: Data }): ReactNode {
  const t = useT('userDeletion');
  const format = useFormat();
  const credits = ['credits', 'reserved', 'debt'] as const;
  const facts: Fact[] = [
    { label: t('email'), value: user.email },
    { label: t('servers'), value: user.servers.map(({ name }) => name).join(', ') || t('none') },
    ...credits
      .filter((name) => name === 'credits' || user[name] > 0)
      .map((name) => ({ label: t(name), value: <CreditAmount value={user[name]} variant="plain" /> })),
    ...COUNTS.map((name) => ({ label: t(`counts.${name}`), value: format.number(user.counts[name]) })),
  ];
  return (
    <Card title={t('hangs')}>
      <Facts items={facts} />
    </Card>
  );
}

/** Closes the account: what remains of it is chosen where there is a choice, and its name is typed. */
function CloseCard({ user, back, stays }: { user: Data; back: string; stays: boolean }): ReactNode {
  const t = useT('userDeletion');
  const shown = useFormProps(useActionData<FormResult<unknown>>(), ['name', 'way']);
  const labels = { name: t('typeName', { name: user.username }), way: t('way') };
  return (
    <Card tone="danger" title={t('deleteTitle')} text={t('deleteText')}>
      <Form {...shown} labels={labels} noSummary={Object.keys(shown.errors).length > 0}>
        {stays && <input type="hidden" name="_stay" value="1" />}
        {user.has_records ? (
          <>
            <input type="hidden" name="way" value="anonymise" />
            <p className="sp-lead">{t('recordsStay')}</p>
          </>
        ) : (
          <FieldGroup label={labels.way} name="way">
            <OptionCards columns={2}>
              <OptionCard
                name="way"
                value="anonymise"
                title={t('anonymise')}
                text={t('anonymiseText')}
                defaultChecked
                required
              />
              <OptionCard name="way" value="delete" title={t('delete')} text={t('deleteWayText')} required />
            </OptionCards>
          </FieldGroup>
        )}
        <Field label={labels.name} name="name" required>
          <TextInput mono autoComplete="off" spellCheck={false} maxLength={200} />
        </Field>
        <div className="sp-btn-row">
          <Button type="submit" variant="danger" icon="trash">
            {t('confirm')}
          </Button>
          <LinkButton to={back} variant="ghost">
            {t('cancel')}
          </LinkButton>
        </div>
      </Form>
    </Card>
  );
}
