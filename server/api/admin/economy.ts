import { toCsv } from '#server/api/csv.ts';
import type { Handlers } from '#server/http/implement.types.ts';
import type { Economy } from '#server/modules/economy/index.ts';
import type { adminEconomy } from '#shared/contract/economy.ts';

/** Days that are shown by default. */
const DEFAULT_DAYS = 14;

/** The economy's page: figures, export and kill switches. */
export function economyHandlers({ economy }: { economy: Economy }): Handlers<typeof adminEconomy> {
  return {
    async get(_, { query }) {
      const view = await economy.view(query.days ?? DEFAULT_DAYS);
      return {
        days: [...view.days],
        flows: view.flows.map(({ account, minted, burnt }) => ({ account, minted: [...minted], burnt: [...burnt] })),
        circulation: [...view.circulation],
        velocity: view.velocity,
        reserved: view.reserved,
        held: view.held,
        sources: [...view.sources],
        earners: [...view.earners],
        forecast: view.forecast && {
          per_day: view.forecast.perDay,
          later: view.forecast.later,
          basis: view.forecast.basis,
        },
      };
    },
    async export(_, { query }) {
      const { today, lines } = await economy.lines(query.days ?? DEFAULT_DAYS);
      const body = toCsv([
        ['day', 'account', 'kind', 'minted', 'burnt', 'between_users', 'movements'],
        ...lines.map((line) => [
          line.day,
          line.account.replace(/^system:/, ''),
          line.kind,
          line.minted,
          line.burnt,
          line.moved,
          line.moves,
        ]),
      ]);
      return { filename: `economy-${today}.csv`, body };
    },
    setEnabled: (ctx, { body }) => economy.setEnabled(ctx, body.source, body.enabled),
  };
}
