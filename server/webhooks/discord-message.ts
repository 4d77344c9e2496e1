import { findText, type MailTexts } from '#server/modules/mailing/index.ts';
import { LOCALE_INFO, type Locale } from '#shared/i18n/locales.ts';
import { href } from '#shared/routes/staff-href.ts';

interface Host {
  readonly appUrl: string;
  readonly appName: string;
  readonly locale: Locale;
  /** Texts of a language: namespace `discord`. */
  readonly texts: (locale: Locale) => MailTexts;
}
/** The body of an event as webhooks send it. */
interface EventBody {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The colour of a message's edge (RGB), by what it is about. */
const COLOURS: Readonly<Record<string, number>> = {
  user: 0x3b82f6,
  server: 0x3bd6a1,
  ticket: 0xa78bfa,
  order: 0xf59e0b,
  refund: 0xf59e0b,
  purchase: 0xf59e0b,
  credits: 0xeab308,
  gift: 0xeab308,
  reward: 0xeab308,
  image: 0xec4899,
  outage: 0xef4444,
  ledger: 0xef4444,
};
const OTHER_COLOUR = 0x64748b;

/** Fields of an event that a message shows; ids are links instead. */
const FACTS = ['amount', 'cost', 'total', 'count', 'minutes', 'number', 'node'] as const;

/**
 * A message of Discord for an event (discord.com/developers, "Execute Webhook"): what happened in the language of the
 * host, with its numbers and a link to its page. It pings nobody. In: the event's body as webhooks send it.
 */
export function discordMessage(body: string, { appUrl, appName, locale, texts }: Host): object {
  const { type, timestamp, data } = JSON.parse(body) as EventBody;
  const [group = '', what = ''] = type.split('.');
  const number = new Intl.NumberFormat(LOCALE_INFO[locale].bcp47);
  const fields = FACTS.flatMap((key) => {
    const value = Object.hasOwn(data, key) ? data[key] : undefined;
    const shown =
      typeof value === 'number' ? number.format(value) : typeof value === 'string' ? value.slice(0, 200) : '';
    return shown === '' ? [] : [{ name: findText(texts, locale, ['fact', key]), value: shown, inline: true }];
  });
  const path = pathOf(data);
  return {
    // Names and words of strangers never ring anybody.
    allowed_mentions: { parse: [] },
    embeds: [
      {
        // An event of a later version has no words yet.
        title: findText(texts, locale, [group, what]) || type,
        color: COLOURS[group] ?? OTHER_COLOUR,
        timestamp,
        footer: { text: appName.slice(0, 200) },
        ...(fields.length > 0 ? { fields } : {}),
        ...(path === null ? {} : { url: appUrl + path }),
      },
    ],
  };
}

/** The page of staff about what an event is about; null: none. */
function pathOf(data: EventBody['data']): string | null {
  const id = (key: string) => (typeof data[key] === 'string' ? data[key] : null);
  const [server, ticket, order, user] = [id('serverId'), id('ticketId'), id('orderId'), id('userId')];
  if (server !== null) return href('admin.servers.view', { id: server });
  if (ticket !== null) return href('admin.tickets.view', { id: ticket });
  if (order !== null) return href('admin.payments.view', { id: order });
  return user === null ? null : href('admin.users.edit', { id: user });
}
