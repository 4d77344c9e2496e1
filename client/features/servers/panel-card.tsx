import type { ReactNode } from 'react';
import { Rich, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import type { ButtonStyle } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { BOLD } from './parts.tsx';

/** Pages of a server in its panel. */
export interface PanelLinks {
  readonly server: string;
  readonly password: string;
}

/** A button that leads into the panel, in a tab of its own. */
export function PanelLink({ to, children, ...button }: ButtonStyle & { to: string }): ReactNode {
  const t = useT('live');
  return (
    <LinkButton {...button} to={to} target="_blank" rel="noopener noreferrer" iconEnd="external">
      {children}
      <span className="sp-sr">({t('newTab')})</span>
    </LinkButton>
  );
}

/** What the game panel is for, and how to log in there for the first time. */
export function PanelCard({ links }: { links: PanelLinks }): ReactNode {
  const t = useT('live');
  const { session } = useShell();
  return (
    <Card title={t('panelTitle')}>
      <p className="sp-lead">{t('panelText')}</p>
      <p className="sp-lead sp-panel__first">
        <Rich t={t} k="panelFirst" tags={BOLD} vars={{ email: session.user?.email ?? '' }} />
      </p>
      <PanelLink to={links.password} block>
        {t('panelPassword')}
      </PanelLink>
    </Card>
  );
}
