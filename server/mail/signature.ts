import { createHmac, timingSafeEqual } from 'node:crypto';
import type { VerifySignature } from '#server/modules/ticket-mail/ports.ts';

/** Whether a code is the HMAC-SHA256 of a text and bytes behind it under a secret, in hex. */
export const verifySignature: VerifySignature = (secret, text, bytes, code) => {
  const own = createHmac('sha256', secret).update(text).update(bytes).digest();
  const given = Buffer.from(code, 'hex');
  return given.length === own.length && timingSafeEqual(own, given);
};
