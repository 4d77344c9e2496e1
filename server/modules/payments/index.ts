export { createPayments, paymentJobs, type PaymentFile, type Payments } from './service.ts';
export type {
  DisputeState,
  Gateway,
  Listed,
  GatewayStatus,
  Notice,
  Opened,
  Opening,
  Order,
  Paid,
  Proof,
  RawNotice,
  Refund,
  Refunded,
  SignedEvent,
} from './ports.ts';
