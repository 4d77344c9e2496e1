import { DomainError } from '#shared/errors.ts';
import type { SettingValues } from '#shared/settings.ts';
import { MINUTE, SECOND } from '#shared/time.ts';
import type { Clock } from '../kernel.ts';
import type { VerifySignature } from './ports.ts';
import type { Receiver } from './receive.ts';

/** How old a signature may be, and how far ahead another clock. */
const TOLERANCE_MS = 5 * MINUTE;
const HEADER = /^t=(\d{1,12}),\s*v1=([0-9a-f]{64})$/;

interface Deps {
  readonly clock: Clock;
  readonly settings: { current(): Pick<SettingValues, 'ticket_mail_secret' | 'ticket_mail_enabled'> };
  readonly receive: Receiver;
  readonly verify: VerifySignature;
}
export type MailHook = ReturnType<typeof createMailHook>;

/**
 * Takes mails that a mail service hands over as they came, signed: `t=<Unix seconds>,v1=<HMAC-SHA256 of "<t>." and the
 * mail, hex>`. Whatever becomes of a mail, the service has done its part: it is refused only where it could not be
 * looked at, and then comes again.
 */
export function createMailHook({ clock, settings, receive, verify }: Deps) {
  /** In: the mail, and the header of its signature. Throws SIGNATURE_INVALID; NOT_FOUND where no secret is set. */
  return async (mail: Uint8Array<ArrayBuffer>, signature: string | null): Promise<void> => {
    const { ticket_mail_secret: secret, ticket_mail_enabled: enabled } = settings.current();
    if (!enabled || secret === '') throw new DomainError('NOT_FOUND');
    const [, seconds = '', mac = ''] = HEADER.exec(signature ?? '') ?? [];
    const isLate = Math.abs(Number(seconds) * SECOND - clock.now()) > TOLERANCE_MS;
    if (mac === '' || isLate) throw new DomainError('SIGNATURE_INVALID');
    if (!verify(secret, `${seconds}.`, mail, mac)) throw new DomainError('SIGNATURE_INVALID');
    await receive(mail);
  };
}
