import type { ReactNode } from 'react';
import { FormKey } from '#client/lib/form-key.ts';
import { Rich, useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { ConfirmButton } from '#client/ui/confirm-button.tsx';
import { Form } from '#client/ui/form.tsx';
import { ListItem } from '#client/ui/list.tsx';
import type { REINSTALL } from '#shared/schemas/server.ts';
import { BOLD } from './parts.tsx';

export type Reinstall = (typeof REINSTALL)[number];

/** The banner while a server is being reinstalled. */
export function Reinstalling({ state }: { state: Reinstall }): ReactNode {
  const t = useT('servers');
  if (state !== 'underWay') return null;
  return (
    <Banner live>
      <Rich t={t} k="reinstallUnderWay" tags={BOLD} />
    </Banner>
  );
}

/** The row that reinstalls a server, after the loss of files is confirmed. */
export function ReinstallRow({ name, state }: { name: string; state: Reinstall }): ReactNode {
  const t = useT('servers');
  if (state === 'impossible') return null;
  const ask = {
    title: t('reinstallAsk', { name }),
    text: t('reinstallAskText'),
    ok: t('reinstall'),
    tone: 'danger' as const,
  };
  const form = (
    <Form noSummary preventScrollReset>
      <input type="hidden" name="_intent" value="reinstall" />
      <FormKey />
      <ConfirmButton
        ask={ask}
        sure={t('reinstallSure')}
        variant="danger-quiet"
        icon="refresh"
        disabled={state === 'underWay'}
      >
        {t(state === 'underWay' ? 'reinstallBusy' : 'reinstall')}
      </ConfirmButton>
    </Form>
  );
  return <ListItem icon="refresh" title={t('reinstall')} text={t('reinstallText')} end={form} />;
}
