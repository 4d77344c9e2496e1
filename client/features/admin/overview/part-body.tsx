import type { ReactNode } from 'react';
import { Deferred } from '#client/lib/deferred.tsx';
import { useT } from '#client/lib/i18n.tsx';
import { ErrorState } from '#client/ui/empty-state.tsx';
import { SkeletonRows } from '#client/ui/skeleton.tsx';

interface Props<T> {
  /** What the part shows; null where it could not be loaded. */
  readonly value: Promise<T | null> | T | null;
  /** Rows that stand in its place until it is there. */
  readonly rows: number;
  readonly children: (data: T) => ReactNode;
}

/** The body of a part whose data may come after the page. */
export function PartBody<T>({ value, rows, children }: Props<T>): ReactNode {
  const t = useT('ui');
  return (
    <Deferred value={value} fallback={<SkeletonRows rows={rows} label={t('loading')} />} failed={<ErrorState />}>
      {(data) => (data === null ? <ErrorState /> : children(data))}
    </Deferred>
  );
}
