import { useFormat, useLooseT, useT } from '#client/lib/i18n.tsx';
import { useMoney } from '#client/lib/money.ts';
import type { PaletteEntry } from '#client/lib/palette.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { can } from '#shared/can.ts';
import type { Permission } from '#shared/permissions.ts';
import { href } from '#shared/routes/staff-href.ts';
import { ADJUSTMENT_MAX } from '#shared/schemas/adjustment.ts';
import type { StaffFound } from './staff-search.ts';

type Found = StaffFound['found'];
type May = (permission: Permission) => boolean;

/** The address of a list that searches for a text. */
const listHref = (path: string, q: string): string => `${path}?q=${encodeURIComponent(q)}`;

/** The amount in front of whom it is for ("give 500 olga"); null where there is none that may be given. */
function amountIn(typed: string): number | null {
  const amount = Number(/(?:^|\s)(\d{1,9})\s+\S/.exec(typed)?.[1] ?? 0);
  return amount > 0 && amount <= ADJUSTMENT_MAX ? amount : null;
}

/**
 * Lines for what was found, each to the page of it, or to its list for those who may not open it; and what can be done
 * about it, each to the form that asks its own questions. Whatever was typed leads to them: the server knows them by
 * more than the line shows.
 */
export function useFoundEntries(answer: StaffFound | null): readonly PaletteEntry[] {
  const { permissions } = useShell().session;
  const users = useUsers(amountIn(answer?.typed ?? ''));
  const servers = useServers();
  const orders = useOrders();
  if (!answer) return [];
  const { found, typed } = answer;
  const may: May = (permission) => can(permissions, permission);
  const entries = [...users(found, may), ...servers(found, may), ...orders(found, may), ...codes(found, may)];
  return entries.map((entry) => ({ ...entry, words: [typed, ...(entry.words ?? [])] }));
}

function useUsers(amount: number | null): (found: Found, may: May) => PaletteEntry[] {
  const t = useT('palette');
  const format = useFormat();
  return ({ users }, may) =>
    users.flatMap(({ id, username, email, status }): PaletteEntry[] => {
      const page = href('admin.users.edit', { id });
      const opens = may('admin.users.edit');
      return [
        {
          id: `user.${id}`,
          group: 'users',
          label: username,
          hint: email,
          icon: 'user',
          to: opens ? page : listHref(href('admin.users.list'), username),
        },
        ...(opens
          ? [
              {
                id: `give.${id}`,
                group: 'do' as const,
                label:
                  amount === null
                    ? t('giveCredits', { name: username })
                    : t('giveAmount', { credits: format.credits(amount), name: username }),
                icon: 'wallet',
                to: `${page}${amount === null ? '' : `?amount=${String(amount)}`}#adjust`,
              },
            ]
          : []),
        ...(opens && status === 'active'
          ? [
              {
                id: `ban.${id}`,
                group: 'do' as const,
                label: t('banUser', { name: username }),
                icon: 'ban',
                to: `${page}?tab=access`,
              },
            ]
          : []),
      ];
    });
}

function useServers(): (found: Found, may: May) => PaletteEntry[] {
  const t = useT('palette');
  const state = useLooseT('palette');
  return ({ servers, queue }, may) => [
    ...servers.flatMap(({ id, name, owner, address, state: now }): PaletteEntry[] => {
      const page = href('admin.servers.view', { id });
      return [
        {
          id: `staffServer.${id}`,
          group: 'staffServers',
          label: name,
          hint: [owner, address].filter(Boolean).join(' · '),
          icon: 'server',
          to: page,
        },
        ...(now === 'active' && may('admin.servers.edit')
          ? [
              {
                id: `suspend.${id}`,
                group: 'do' as const,
                label: t('suspendServer', { name }),
                hint: owner,
                icon: 'pause',
                to: `${page}#suspend`,
              },
            ]
          : []),
      ];
    }),
    ...queue.flatMap(({ id, server, username, state: now }): PaletteEntry[] => {
      const to = may('admin.server.queue.view')
        ? href('admin.serverQueue.view', { id })
        : href('admin.serverQueue.list');
      const hint = `${username} · ${state(`queueState.${now}`)}`;
      return [
        { id: `queue.${id}`, group: 'queue', label: server, hint, icon: 'hourglass', to },
        ...(now === 'failed' && may('admin.server.queue.create') && may('admin.server.queue.view')
          ? [
              {
                id: `retry.${id}`,
                group: 'do' as const,
                label: t('retryServer', { name: server }),
                hint: username,
                icon: 'refresh',
                to,
              },
            ]
          : []),
      ];
    }),
  ];
}

function useOrders(): (found: Found, may: May) => PaletteEntry[] {
  const t = useT('palette');
  const money = useMoney();
  return ({ orders }, may) =>
    orders.flatMap(({ id, label, username, provider, state, amount, currency }): PaletteEntry[] => {
      const name = label ?? id;
      const opens = may('admin.payments.view');
      const to = opens ? href('admin.payments.view', { id }) : listHref(href('admin.payments.list'), name);
      const hint = [username, money(amount, currency)].filter(Boolean).join(' · ');
      return [
        { id: `order.${id}`, group: 'orders', label: name, hint, icon: 'receipt', to },
        ...(opens && provider === 'manual' && state === 'pending' && may('admin.payments.edit')
          ? [
              {
                id: `confirm.${id}`,
                group: 'do' as const,
                label: t('confirmOrder', { name }),
                hint,
                icon: 'check',
                to,
              },
            ]
          : []),
      ];
    });
}

function codes({ codes: list }: Found, may: May): PaletteEntry[] {
  return list.map(({ id, code }) => ({
    id: `code.${id}`,
    group: 'codes',
    label: code,
    icon: 'ticket',
    to: may('admin.redeem.codes.edit')
      ? href('admin.redeemCodes.edit', { id })
      : listHref(href('admin.redeemCodes.list'), code),
  }));
}
