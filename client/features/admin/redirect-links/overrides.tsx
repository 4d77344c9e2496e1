import { useEffect, useState, type ReactNode } from 'react';
import { useFormat } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { useApi } from '#client/lib/use-api.ts';
import { useAreaTexts, type OverridesOf } from '#client/resource/area.ts';
import { Card } from '#client/ui/card.tsx';
import { CopyButton } from '#client/ui/copy-button.tsx';
import { Sparkline } from '#client/ui/sparkline.tsx';
import { StatTile, Stats } from '#client/ui/stat.tsx';
import type { redirectLinks } from '#shared/resources/redirect-links.ts';
import { href } from '#shared/routes/href.ts';

interface CardProps {
  readonly row: { readonly id: string; readonly slug: string; readonly clicks: number };
}

/** The address that is given away, and how often it was followed. */
function LinkCard({ row }: CardProps): ReactNode {
  const texts = useAreaTexts('redirectLinks');
  const format = useFormat();
  const { settings } = useShell();
  const days = useClicks(row.id);
  const recent = days?.reduce((sum, clicks) => sum + clicks, 0);
  return (
    <Card title={texts.text('shareTitle')} text={texts.text('shareText')}>
      <CopyButton
        text={`${String(settings.app_url).replace(/\/$/, '')}${href('redirectLink', { slug: row.slug })}`}
        what={texts.text('address')}
      />
      <Stats>
        <StatTile
          label={texts.text('lastDays')}
          value={recent === undefined ? '–' : format.number(recent)}
          note={texts.text('total', { clicks: format.number(row.clicks) })}
          spark={<Sparkline values={days ?? []} tone="accent" />}
        />
      </Stats>
    </Card>
  );
}

/** Clicks of the last 30 days, the oldest first; null while they are not known. */
function useClicks(id: string): readonly number[] | null {
  const api = useApi();
  const [days, setDays] = useState<readonly number[] | null>(null);
  // An effect, because the answer comes from outside React.
  useEffect(() => {
    let left = false;
    api?.adminRedirectLinkDays.get({ params: { id } }).then(
      (answer) => !left && setDays(answer.days.map(({ clicks }) => clicks)),
      () => undefined,
    );
    return () => {
      left = true;
    };
  }, [api, id]);
  return days;
}

/** What is special about redirect links. */
export const overrides: OverridesOf<typeof redirectLinks> = { beside: LinkCard };
