import { lazy, Suspense } from 'react';
import type { ReactNode } from 'react';
import { useHydrated } from '#client/lib/use-hydrated.ts';
import { Textarea, TextInput } from '#client/ui/text-input.tsx';
import type { ListFieldProps } from './list-rows.tsx';

/** Longer lists are edited as text, an entry a line: so many fields serve nobody. */
const ROWS_MAX = 40;

/** What edits entries one by one: loaded once the page is there. */
const ListRows = lazy(async () => ({ default: (await import('./list-rows.tsx')).ListRows }));

/**
 * A list as rows, one entry each; without scripts, and if it is long, as text. In: the entries, and what is between
 * them.
 */
export function ListField(props: ListFieldProps): ReactNode {
  const { initial, disabled, separator } = props;
  const hydrated = useHydrated();
  const text =
    separator === '\n' ? (
      <Textarea mono rows={4} defaultValue={initial} disabled={disabled} spellCheck={false} />
    ) : (
      <TextInput mono defaultValue={initial} disabled={disabled} />
    );
  if (!hydrated || initial.split(separator).length > ROWS_MAX) return text;
  return (
    <Suspense fallback={text}>
      <ListRows {...props} />
    </Suspense>
  );
}
