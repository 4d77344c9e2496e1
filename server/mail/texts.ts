import de from '#locales/de/mail.json' with { type: 'json' };
import en from '#locales/en/mail.json' with { type: 'json' };
import es from '#locales/es/mail.json' with { type: 'json' };
import fr from '#locales/fr/mail.json' with { type: 'json' };
import md from '#locales/md/mail.json' with { type: 'json' };
import ro from '#locales/ro/mail.json' with { type: 'json' };
import type { MailTexts } from '#server/modules/mailing/index.ts';
import type { Locale } from '#shared/i18n/locales.ts';

const ALL: Readonly<Record<Locale, MailTexts>> = { en, ro, fr, de, es, md };

/** The texts of mails in a language. They stay on the server, so they are not among the client's files. */
export function mailTexts(locale: Locale): MailTexts {
  return ALL[locale];
}
