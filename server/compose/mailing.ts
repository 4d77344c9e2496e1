import { mailTexts } from '../mail/texts.ts';
import {
  CAMPAIGN_JOB,
  createCampaignJob,
  createCampaigns,
  createMailbox,
  createOutbox,
  createOwnMails,
  createStaffMailTemplates,
  createUnsubscribing,
} from '../modules/mailing/index.ts';
import type { Foundation } from './foundation.ts';

/** Mails (behaviour 8.5): the outbox, what the product's mails say, and the host's own with who wants them. */
export function composeMailing(foundation: Foundation) {
  const deps = { ...foundation, texts: mailTexts };
  const unsubscribing = createUnsubscribing(deps);
  const own = { ...deps, unsubscribing };
  return {
    services: {
      mailbox: createMailbox(deps),
      outbox: createOutbox(deps),
      staffMailTemplates: createStaffMailTemplates(deps),
      ownMails: createOwnMails(own),
      campaigns: createCampaigns(own),
      unsubscribing,
    },
    jobs: { [CAMPAIGN_JOB]: createCampaignJob(own) },
  };
}
