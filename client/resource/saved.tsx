import type { ReactNode } from 'react';
import { useLocation } from 'react-router';
import { Banner } from '#client/ui/banner.tsx';
import { useAreaTexts, type Area, type Row } from './area.ts';

/**
 * A banner for what was just saved (`?done=edit-<id>`), with the row's name if it is listed. It is read from the
 * address, so that it works without scripts; the address itself is never shown.
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
