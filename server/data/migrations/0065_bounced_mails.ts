import { define, type Migration } from './migration.ts';

/** Whoever is written to is first looked up among the addresses that a mail server refused for good. */
export const bouncedMails: Migration = {
  name: '0065_bounced_mails',
  up: (step) => define(step, ['CREATE INDEX mails_bounced ON mails (address) WHERE bounced = 1']),
};
