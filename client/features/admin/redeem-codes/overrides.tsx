import type { ReactNode } from 'react';
import { useFormat, useLooseT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import type { OverridesOf } from '#client/resource/area.ts';
import { LinkButton } from '#client/ui/link-button.tsx';
import { href } from '#shared/routes/staff-href.ts';
import type { redeemCodes } from '#shared/resources/redeem-codes.ts';

/** When a code can be redeemed, in one line. */
function WindowCell({ row }: { row: { starts_at: string | null; ends_at: string | null } }): ReactNode {
  const t = useLooseT('areas/redeemCodes');
  const format = useFormat();
  const nowMs = Date.parse(useShell().now);
  const [from, to] = [row.starts_at, row.ends_at].map((at) => (at === null ? null : format.when(at, nowMs)));
  if (from && to) return t('window.between', { from, to });
  if (from) return t('window.from', { from });
  return to ? t('window.until', { to }) : <span className="sp-muted">{t('window.open')}</span>;
}

/** The link to the page that creates codes in bulk. */
function BatchLink(): ReactNode {
  const t = useLooseT('areas/redeemCodes');
  return (
    <LinkButton to={href('admin.redeemCodes.batch')} icon="layers">
      {t('batch')}
    </LinkButton>
  );
}

/** Overrides of redeem codes. */
export const overrides: OverridesOf<typeof redeemCodes> = { cells: { ends_at: WindowCell }, actions: BatchLink };
