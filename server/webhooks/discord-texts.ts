import de from '#locales/de/discord.json' with { type: 'json' };
import en from '#locales/en/discord.json' with { type: 'json' };
import es from '#locales/es/discord.json' with { type: 'json' };
import fr from '#locales/fr/discord.json' with { type: 'json' };
import md from '#locales/md/discord.json' with { type: 'json' };
import ro from '#locales/ro/discord.json' with { type: 'json' };
import type { MailTexts } from '#server/modules/mailing/index.ts';
import type { Locale } from '#shared/i18n/locales.ts';

const ALL: Readonly<Record<Locale, MailTexts>> = { en, ro, fr, de, es, md };

/** The texts of messages in Discord, by event. They stay on the server, so they are not among the client's files. */
export function discordTexts(locale: Locale): MailTexts {
  return ALL[locale];
}
