import type { ReactNode } from 'react';
import { useLooseT, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import type { ListSpec } from '#client/lib/url-state.ts';
import { Banner } from '#client/ui/banner.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import type { StatusShape } from '#client/ui/status.tsx';
import { Tabs } from '#client/ui/tabs.tsx';
import { can } from '#shared/can.ts';
import { LOCALE_INFO, LOCALES, type Locale } from '#shared/i18n/locales.ts';
import type { MailState } from '#shared/mails.ts';
import { PAST_CURSOR } from '#shared/past-cursor.ts';
import { href } from '#shared/routes/staff-href.ts';
import type { ContentAnswer } from './submit.ts';

/** The address of the outbox. */
export const OUTBOX_LIST = {
  sortable: ['created'],
  defaultSort: { key: 'created', dir: 'desc' },
  sizes: [50],
  filters: ['state', 'template'],
  cursor: PAST_CURSOR,
} as const satisfies ListSpec;

/** The shape of each state. */
export const MAIL_SHAPES: Readonly<Record<MailState, StatusShape>> = {
  queued: 'queued',
  sending: 'installing',
  sent: 'active',
  unknown: 'expiring',
  failed: 'failed',
  cancelled: 'off',
  kept: 'paused',
};

/** What stands in the place of a mail that is not shown: the key of its text. */
export const hiddenTextOf = (template: string): 'hidden' | 'hiddenTicket' =>
  template.startsWith('ticket') ? 'hiddenTicket' : 'hidden';

/** What a template is called: by name in the visitor's language, or as it is called in the outbox. */
export function useTemplateName(): (template: string) => string {
  const t = useLooseT('staffMails');
  return (template) => t(`name.${template}`) || template;
}

/** The languages of a mail, each with its address; those that something was written in are marked. */
export function LanguageTabs(props: { path: string; current: Locale; marked: readonly Locale[] }): ReactNode {
  const t = useT('staffMails');
  return (
    <Tabs
      label={t('language')}
      items={LOCALES.map((locale) => ({
        to: `${props.path}?lang=${locale}`,
        label: `${LOCALE_INFO[locale].name}${props.marked.includes(locale) ? ' •' : ''}`,
        current: locale === props.current,
      }))}
    />
  );
}

/** What became of the last form: saved, or a test on its way. In: the visitor's address. */
export function ContentOutcome({ answer, address }: { answer: ContentAnswer | undefined; address: string }): ReactNode {
  const t = useT('staffMails');
  const { permissions } = useShell().session;
  if (answer?.kind !== 'saved' && answer?.kind !== 'tested') return null;
  return (
    <Banner tone="positive" live>
      {answer.kind === 'saved' ? t('saved') : t('tested', { address })}{' '}
      {answer.kind === 'tested' && can(permissions, 'admin.mails.list') && (
        <TextLink to={href('admin.mails.view', { id: answer.mail })}>{t('testFate')}</TextLink>
      )}
    </Banner>
  );
}
