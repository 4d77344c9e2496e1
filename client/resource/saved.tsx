import type { ReactNode } from 'react';
import { useLocation } from 'react-router';
import { Banner } from '#client/ui/banner.tsx';
import { useAreaTexts, type Area, type Row } from './area.ts';

/**
 * Says that what the visitor came back from was done (`?done=edit-<id>`), by name where the row is in sight. The
 * address tells it, so that it works without scripts; nothing of the address itself is shown.
 */
export function SavedBanner(props: { definition: Area; rows: readonly Row[]; onDismiss?: () => void }): ReactNode {
  const { definition, rows, onDismiss } = props;
  const texts = useAreaTexts(definition.area);
  const [, what = '', id] =
    /^(create|edit|delete)(?:-(.+))?$/.exec(new URLSearchParams(useLocation().search).get('done') ?? '') ?? [];
  if (what === '') return null;
  const name = rows.find((row) => row.id === id)?.[definition.title];
  return (
    <Banner tone="positive" live {...(onDismiss ? { onDismiss } : {})}>
      {name === undefined ? texts.text(`saved.${what}`) : texts.text(`saved.${what}Named`, { name: String(name) })}
    </Banner>
  );
}
