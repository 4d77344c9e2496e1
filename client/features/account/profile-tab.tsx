import { useEffect, useEffectEvent } from 'react';
import type { ReactNode } from 'react';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useLocale, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Avatar } from '#client/ui/avatar.tsx';
import { Badge } from '#client/ui/badge.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card, Facts } from '#client/ui/card.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { Select } from '#client/ui/select.tsx';
import { SkinView } from '#client/ui/skin-view.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { TimeZoneField } from '#client/ui/time-zone-field.tsx';
import { LOCALE_INFO, LOCALES } from '#shared/i18n/locales.ts';
import { href } from '#shared/routes/href.ts';
import { DEFAULT_SKIN } from '#shared/skin.ts';
import type { EmailAnswer } from './email-action.ts';
import { EmailCard } from './email-card.tsx';
import type { Owner } from './owner-proof.tsx';
import type { AccountData } from './screen.tsx';
import type { SkinResult } from './skin-action.ts';
import { SkinCard } from './skin-card.tsx';

type Account = AccountData['account'];

/** The user's data, and the form for what can be changed; `children` stand below it. */
export function ProfileTab(props: {
  account: Account;
  email: AccountData['email'];
  owner: Owner | null;
  answer: FormResult<{ locale: string }> | undefined;
  emailAnswer: EmailAnswer | undefined;
  skin: SkinResult | undefined;
  children: ReactNode;
}): ReactNode {
  const { account, answer, skin } = props;
  return (
    <div className="sp-split" data-side="left">
      <IdentityCard account={account} />
      <div className="sp-account__forms">
        <ProfileForm account={account} answer={answer} />
        {props.email && props.owner && <EmailCard email={props.email} owner={props.owner} answer={props.emailAnswer} />}
        <SkinCard chosen={account.skin !== null} answer={skin} />
        {props.children}
      </div>
    </div>
  );
}

function IdentityCard({ account }: { account: Account }): ReactNode {
  const t = useT('account');
  const format = useFormat();
  return (
    <section className="sp-card sp-person" aria-label={account.username}>
      <SkinView src={account.skin ?? DEFAULT_SKIN} label={t('skinOf', { name: account.username })} />
      <div className="sp-person__head">
        <Avatar name={account.username} size="lg" />
        <div className="sp-person__name">
          <h2>{`${account.first_name} ${account.last_name}`}</h2>
          <p className="sp-meta">{account.username}</p>
        </div>
      </div>
      <Facts
        items={[
          { label: t('role'), value: <Badge>{account.role.name}</Badge> },
          { label: t('memberSince'), value: format.date(account.created_at) },
          { label: t('email'), value: <Email account={account} /> },
        ]}
      />
    </section>
  );
}

function Email({ account }: { account: Account }): ReactNode {
  const t = useT('account');
  return (
    <span className="sp-person__mail">
      <span>{account.email}</span>
      {account.confirmation === 'confirmed' && (
        <Badge tone="positive" icon="check">
          {t('confirmed')}
        </Badge>
      )}
      {account.confirmation === 'pending' && (
        <>
          <Badge tone="warning">{t('unconfirmed')}</Badge>
          <TextLink to={href('auth.verify')}>{t('confirmNow')}</TextLink>
        </>
      )}
    </span>
  );
}

function ProfileForm({
  account,
  answer,
}: {
  account: Account;
  answer: FormResult<{ locale: string }> | undefined;
}): ReactNode {
  const t = useT('account');
  const shown = useFormProps(answer);
  const { settings } = useShell();
  const ownZone = String(settings.app_timezone);
  useNewLocale(answer?.ok ? answer.result.locale : undefined);
  const labels = {
    first_name: t('firstName'),
    last_name: t('lastName'),
    locale: t('language'),
    time_zone: t('timeZone'),
  };
  return (
    <Card title={t('profileTitle')} text={t('profileText')}>
      <Form {...shown} labels={labels} noValidate>
        <input type="hidden" name="_intent" value="profile" />
        {answer?.ok && (
          <Banner tone="positive" live>
            {t('saved')}
          </Banner>
        )}
        <div className="sp-fields" data-columns="2">
          <Field label={t('firstName')} name="first_name" required>
            <TextInput autoComplete="given-name" maxLength={64} defaultValue={account.first_name} />
          </Field>
          <Field label={t('lastName')} name="last_name" required>
            <TextInput autoComplete="family-name" maxLength={64} defaultValue={account.last_name} />
          </Field>
          <Field label={t('language')} name="locale" hint={t('languageHint')}>
            <Select
              options={LOCALES.map((locale) => ({ value: locale, label: LOCALE_INFO[locale].name }))}
              defaultValue={account.locale}
            />
          </Field>
          <TimeZoneField
            label={t('timeZone')}
            name="time_zone"
            hint={t('timeZoneHint', { zone: ownZone })}
            defaultValue={account.time_zone ?? ''}
            ownZone={ownZone}
            suggest={(zone) => t('timeZoneSuggest', { zone })}
          />
        </div>
        <div className="sp-btn-row">
          <Button type="submit" variant="primary">
            {t('save')}
          </Button>
        </div>
      </Form>
    </Card>
  );
}

/** Switches the page's language when the account's was changed. An effect: the page's language lives outside this form. */
function useNewLocale(saved: string | undefined): void {
  const locale = useLocale();
  const { setLocale } = useShell();
  const follow = useEffectEvent((wanted: string) => {
    if (wanted !== locale) setLocale(wanted);
  });
  useEffect(() => {
    if (saved !== undefined) follow(saved);
  }, [saved]);
}
