import { define, type Migration } from './migration.ts';

/** Jobs that ask for the sending to an endpoint are called after what they do; those that wait are renamed. */
export const webhookRequestJobs: Migration = {
  name: '0101_webhook_request_jobs',
  up: (step) => define(step, ["UPDATE jobs SET kind = 'webhooks.request_sending' WHERE kind = 'webhooks.wake'"]),
};
