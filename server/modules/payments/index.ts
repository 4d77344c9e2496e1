export { createPayments, paymentJobs, type PaymentDetails, type Payments } from './service.ts';
export type { OrderReceipt } from './receipts.ts';
export type {
  DisputeState,
  Gateway,
  ListedElsewhere,
  ListedOrder,
  ListedPayment,
  GatewayStatus,
  EventContent,
  OpenResult,
  OpenRequest,
  Order,
  Paid,
  WebhookVerification,
  WebhookRequest,
  Refund,
  RefundResult,
  SignedEvent,
} from './ports.ts';
