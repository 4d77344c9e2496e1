import type { Tx } from '../tx.ts';
import type { IdentityDeps } from './deps.ts';
import { createEmailConfirm } from './email-confirm.ts';
import { createEmailLinks } from './email-links.ts';
import { createEmailRequest } from './email-request.ts';
import { createStaffEmail } from './email-staff.ts';
import { createEmailUndo } from './email-undo.ts';
import type { MailBudget } from './mail-budget.ts';
import type { ResetLinks } from './reset-links.ts';
import type { Throttle } from './throttle.ts';

/**
 * Another address for an account (behaviour 3.8; attacks T36): asked for with the password, confirmed from the new
 * address, undone from the old one for three days.
 */
export function createEmailChange(
  deps: IdentityDeps,
  parts: {
    readonly throttle: Throttle;
    readonly budget: MailBudget;
    readonly resetLinks: Pick<ResetLinks, 'sendLinkTo'>;
    readonly sendLink: (tx: Tx, userId: string) => Promise<void>;
  },
) {
  const links = createEmailLinks(deps);
  const { confirm, apply } = createEmailConfirm(deps, links);
  return {
    ...createEmailRequest(deps, parts),
    confirm,
    ...createStaffEmail(deps, { links, apply, sendLink: parts.sendLink }),
    ...createEmailUndo(deps, links, parts.resetLinks),
  };
}
