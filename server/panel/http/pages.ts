import type { PanelAnswer, PanelRight } from '#server/modules/servers/panel/ports.ts';
import type { PanelClient } from './client.ts';
import type { Page } from './shapes.ts';

/** More pages than any list of a panel has: what says more is not believed. */
const MOST = 500;

/**
 * A whole list, page by page, counted by `total_pages` (panel contract, section 2). One page that did not come makes
 * the answer: half a list would look as if the rest had gone. In: the path with its query, and what identifies each
 * item, as a page may repeat one.
 */
export async function allPages<T>(
  client: PanelClient,
  {
    right,
    path,
    read,
    ref,
  }: { right: PanelRight; path: string; read: (body: unknown) => Page<T> | undefined; ref: (item: T) => string },
): Promise<PanelAnswer<readonly T[]>> {
  const found = new Map<string, T>();
  for (let page = 1, last = 1; page <= Math.min(last, MOST); page += 1) {
    const { answer } = await client.call(
      { kind: 'read', api: 'application', right, method: 'GET', path: `${path}&page=${page}`, read },
      'background',
    );
    if (answer.outcome === 'not_found') return page === 1 ? answer : { outcome: 'unavailable' };
    if (answer.outcome !== 'ok') return answer;
    for (const item of answer.value.items) found.set(ref(item), item);
    last = answer.value.totalPages;
  }
  return { outcome: 'ok', value: [...found.values()] };
}
