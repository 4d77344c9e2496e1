import type { StatusShape } from '#client/ui/status.tsx';
import type { OrderState } from '#shared/schemas/payment.ts';

/** The shape of an order's state. */
export const ORDER_SHAPES: Readonly<Record<OrderState, StatusShape>> = {
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
