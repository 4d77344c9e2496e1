import type { ListSpec } from '#client/lib/url-state.ts';
import type { StatusShape } from '#client/ui/status.tsx';
import type { OrderState } from '#shared/schemas/payment.ts';

/** What the list's address may contain. */
export const PAYMENTS_LIST: ListSpec = {
  sortable: ['created_at', 'amount'],
  defaultSort: { key: 'created_at', dir: 'desc' },
  sizes: [25, 50, 100],
  filters: ['state', 'provider'],
};

/** The shape of an order's state. */
export const STATE_SHAPES: Readonly<Record<OrderState, StatusShape>> = {
  created: 'failed',
  pending: 'queued',
  paid: 'active',
  part_refunded: 'paused',
  refunded: 'off',
  disputed: 'suspended',
  failed: 'failed',
  expired: 'off',
  cancelled: 'off',
};
