import { useLooseT } from '#client/lib/i18n.tsx';
import type { ListSpec } from '#client/lib/url-state.ts';
import type { StatusShape } from '#client/ui/status.tsx';
import type { MailState } from '#shared/mails.ts';
import { PAST_CURSOR } from '#shared/past-cursor.ts';

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

/** What a template is called: by name in the visitor's language, or as it is called in the outbox. */
export function useTemplateName(): (template: string) => string {
  const t = useLooseT('staffMails');
  return (template) => t(`name.${template}`) || template;
}
