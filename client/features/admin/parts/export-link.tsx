import type { ReactNode } from 'react';
import { LinkButton } from '#client/ui/link-button.tsx';

interface Props {
  /** The endpoint that gives the file. */
  path: string;
  /** What the list is narrowed by; how it is paged and sorted is left out. */
  query: Readonly<Record<string, string | undefined>>;
  children: string;
}

/** A list that is narrowed by something, as a file. */
export function ExportLink({ path, query, children }: Props): ReactNode {
  const { page: _, per_page: __, sort: ___, ...rest } = query;
  const asked = Object.entries(rest).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const search = new URLSearchParams(asked).toString();
  return (
    <LinkButton to={search === '' ? path : `${path}?${search}`} icon="download" reloadDocument download>
      {children}
    </LinkButton>
  );
}
