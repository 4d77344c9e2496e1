import type { AttentionItem } from '#client/lib/attention.ts';
import { useFormat, useLooseT, useT } from '#client/lib/i18n.tsx';
import { useMoney } from '#client/lib/money.ts';
import { TICKETS_COUNTED } from '#shared/tickets.ts';

/** What an item says, and the line below it: what is known of it, and what it means. */
export function useItemText(): { title(item: AttentionItem): string; detail(item: AttentionItem): string } {
  const t = useT('attention');
  const loose = useLooseT('attention');
  const admin = useLooseT('admin');
  const format = useFormat();
  const money = useMoney();
  return {
    title({ key, count, data }) {
      if (key === 'panelOutages') return admin(`outage.${data.cause}`, data);
      if (key === 'tickets' && count >= TICKETS_COUNTED)
        return t('item.ticketsMany', { number: format.number(TICKETS_COUNTED - 1) });
      return loose(`item.${key}`, { count, ...data });
    },
    detail: ({ key, data }) => {
      const number = (name: string) => Number(data[name] ?? 0);
      const named = { label: String(data.label ?? ''), username: String(data.username ?? '') };
      switch (key) {
        case 'panelOutages':
          return t('text.outage', { count: number('waiting') });
        case 'failedServers':
          return number('more') > 0
            ? t('text.failedServersMore', { names: String(data.names), count: number('more') })
            : t('text.failedServers', { names: String(data.names) });
        case 'ordersToConfirm':
          return typeof data.currency === 'string'
            ? t('text.ordersToConfirmTotal', { amount: money(number('total'), data.currency), ...named })
            : t('text.ordersToConfirm', named);
        case 'heldRewards':
          return t('text.heldRewards', { credits: format.credits(number('credits')), count: number('users') });
        default:
          return loose(`text.${key}`);
      }
    },
  };
}
