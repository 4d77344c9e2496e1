import type { Handlers } from '#server/http/implement.types.ts';
import type { SupportPins } from '#server/modules/people/index.ts';
import type { supportPin } from '#shared/contract/staff-users.ts';
import { iso } from '#shared/time.ts';

/** The caller's support PIN. */
export function supportPinHandlers({
  supportPins,
}: {
  readonly supportPins: SupportPins;
}): Handlers<typeof supportPin> {
  return {
    async get(ctx) {
      const found = await supportPins.getOwn(ctx);
      return { support_pin: found && { pin: found.pin, expires_at: iso(found.expiresMs) } };
    },
    async renew(ctx) {
      const { pin, expiresMs } = await supportPins.renew(ctx);
      return { support_pin: { pin, expires_at: iso(expiresMs) } };
    },
  };
}
