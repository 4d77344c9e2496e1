import type { SettingValues } from '#shared/settings.ts';
import type { Clock } from '../kernel.ts';
import { defineCheck, span, time } from '../health/index.ts';
import type { LongReads } from '../tx.ts';
import { mailboxOf } from './poll.ts';
import { isTicketMailOn } from './receive.ts';

interface Deps {
  readonly long: LongReads;
  readonly clock: Clock;
  readonly settings: { current(): SettingValues };
}

/** Whether answers to tickets by mail come in. */
export function ticketMailCheck({ long, clock, settings }: Deps) {
  return defineCheck({
    key: 'ticketMail',
    codes: {
      ok: 'ok',
      off: 'ok',
      hook: 'ok',
      new: 'unknown',
      silent: 'warning',
      refused: 'warning',
      folder: 'warning',
    },
    async run(signal) {
      const values = settings.current();
      if (!isTicketMailOn(values)) return { code: 'off' };
      if (mailboxOf(values) === null) return { code: 'hook' };
      const state = await long.read((tx) => tx.ticketMails.findMailbox(), { for: 'job', signal });
      if (state?.fault && state.failingMs !== null)
        return { code: state.fault, facts: { since: span(clock.now() - state.failingMs) } };
      return state?.readMs ? { code: 'ok', facts: { last: time(state.readMs) } } : { code: 'new' };
    },
  });
}
