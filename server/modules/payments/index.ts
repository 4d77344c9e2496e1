export { createPayments, paymentJobs, type PaymentFile, type Payments } from './service.ts';
export type {
  Dispute,
  DisputeState,
  Gateway,
  Listed,
  Look,
  Notice,
  Opened,
  Opening,
  Order,
  Paid,
  Problem,
  Proof,
  RawNotice,
  Refund,
  Refunded,
  SignedEvent,
} from './ports.ts';
