import type { StatusShape } from '#client/ui/status.tsx';
import type { ListSpec, ListState } from '#client/lib/url-state.ts';
import { REPORT_REASONS, REPORT_STATES, type ReportState } from '#shared/image-reports.ts';

/** What the list's address may contain. Without a state: reports that wait. */
export const REPORTS_LIST = {
  sortable: [],
  defaultSort: { key: 'created', dir: 'desc' },
  sizes: [25, 50, 100],
  filters: ['state', 'reason'],
} as const satisfies ListSpec;

/** The API query of a list's state; invalid values (typed by hand) are left out. */
export function toReportsQuery({ filters, page, size }: ListState) {
  const state = filters.state === 'all' ? undefined : (REPORT_STATES.find((each) => each === filters.state) ?? 'open');
  const reason = REPORT_REASONS.find((each) => each === filters.reason);
  return {
    page: String(page),
    per_page: String(size),
    ...(state ? { state } : {}),
    ...(reason ? { reason } : {}),
  };
}

/** How each state looks. */
export const REPORT_SHAPES: Readonly<Record<ReportState, StatusShape>> = {
  open: 'queued',
  hidden: 'paused',
  deleted: 'active',
  rejected: 'off',
};
