import { useState } from 'react';
import type { ReactNode } from 'react';
import { useErrorText } from '#client/lib/error-text.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { useApi } from '#client/lib/use-api.ts';
import { useScripted } from '#client/lib/use-hydrated.ts';
import { Button } from '#client/ui/button.tsx';
import { Dialog } from '#client/ui/dialog.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Field } from '#client/ui/field.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { toasts } from '#client/ui/toasts.ts';
import { can } from '#shared/can.ts';
import { fillCannedReply, type CannedVariable } from '#shared/canned-replies.ts';
import { ApiError } from '#shared/contract/client.ts';
import { href } from '#shared/routes/staff-href.ts';
import type { StaffTicketData } from './view.tsx';

interface Reply {
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

/** What the variables of canned replies stand for in a ticket. */
function useValues({ ticket }: StaffTicketData): Readonly<Record<CannedVariable, string>> {
  const { session, settings } = useShell();
  return {
    user: ticket.username ?? '',
    number: String(ticket.number),
    subject: ticket.subject,
    department: ticket.department ?? '',
    server: ticket.server?.name ?? '',
    staff: session.user?.username ?? '',
    host: String(settings.app_name ?? ''),
  };
}

/** A button that shows the canned replies; they are fetched when it is pressed. In: what takes the one that is chosen. */
export function CannedPicker(props: { data: StaffTicketData; onPick: (text: string) => void }): ReactNode {
  const { data, onPick } = props;
  const t = useT('ticketInbox');
  const api = useApi();
  const scripted = useScripted();
  const errors = useErrorText();
  const values = useValues(data);
  const [replies, setReplies] = useState<readonly Reply[] | null>(null);
  const open = async (): Promise<void> => {
    try {
      const found = await api?.adminTickets.cannedReplies();
      if (found) setReplies(found.replies);
    } catch (error) {
      const code = error instanceof ApiError ? error.code : 'SERVER_UNAVAILABLE';
      toasts.show({ tone: 'danger', title: errors.code(code) });
    }
  };
  const pick = (text: string): void => {
    setReplies(null);
    onPick(fillCannedReply(text, values));
  };
  return (
    <>
      <Button {...scripted} size="sm" variant="ghost" icon="file" onClick={() => void open()}>
        {t('canned')}
      </Button>
      <Dialog open={replies !== null} title={t('cannedTitle')} onClose={() => setReplies(null)}>
        <Choice replies={replies ?? []} onPick={pick} />
      </Dialog>
    </>
  );
}

function Choice({ replies, onPick }: { replies: readonly Reply[]; onPick: (text: string) => void }): ReactNode {
  const t = useT('ticketInbox');
  const { permissions } = useShell().session;
  const [search, setSearch] = useState('');
  const words = search.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const found = replies.filter(({ name, text }) => {
    const all = `${name} ${text}`.toLocaleLowerCase();
    return words.every((word) => all.includes(word));
  });
  if (replies.length === 0)
    return (
      <EmptyState
        as="h3"
        title={t('cannedEmpty')}
        text={t('cannedEmptyText')}
        {...(can(permissions, 'admin.canned.replies.create')
          ? { action: <LinkButton to={href('admin.cannedReplies.create')}>{t('cannedCreate')}</LinkButton> }
          : {})}
      />
    );
  return (
    <div className="sp-stack">
      <Field label={t('cannedSearch')} name="canned" hideLabel>
        <TextInput
          type="search"
          icon="search"
          placeholder={t('cannedSearch')}
          value={search}
          data-autofocus=""
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      </Field>
      <ul className="sp-canned" aria-label={t('cannedTitle')}>
        {found.map(({ id, name, text }) => (
          <li key={id}>
            <button type="button" className="sp-canned__reply" onClick={() => onPick(text)}>
              <strong>{name}</strong>
              <span>{text}</span>
            </button>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="sp-muted">{t('cannedNone')}</p>}
    </div>
  );
}
