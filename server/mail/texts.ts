import de from '#locales/de/mail.json' with { type: 'json' };
import en from '#locales/en/mail.json' with { type: 'json' };
import es from '#locales/es/mail.json' with { type: 'json' };
import fr from '#locales/fr/mail.json' with { type: 'json' };
import md from '#locales/md/mail.json' with { type: 'json' };
import ro from '#locales/ro/mail.json' with { type: 'json' };
import deShell from '#locales/de/shell.json' with { type: 'json' };
import enShell from '#locales/en/shell.json' with { type: 'json' };
import esShell from '#locales/es/shell.json' with { type: 'json' };
import frShell from '#locales/fr/shell.json' with { type: 'json' };
import mdShell from '#locales/md/shell.json' with { type: 'json' };
import roShell from '#locales/ro/shell.json' with { type: 'json' };
import type { MailTexts } from '#server/modules/mailing/index.ts';
import type { Locale } from '#shared/i18n/locales.ts';

const ALL: Readonly<Record<Locale, MailTexts>> = { en, ro, fr, de, es, md };

/** The same with the sentences of notifications, which the app has too. */
const SENTENCES: Readonly<Record<Locale, MailTexts>> = {
  en: { ...en, notification: enShell.notification },
  ro: { ...ro, notification: roShell.notification },
  fr: { ...fr, notification: frShell.notification },
  de: { ...de, notification: deShell.notification },
  es: { ...es, notification: esShell.notification },
  md: { ...md, notification: mdShell.notification },
};

/** The texts of mails in a language. They stay on the server, so they are not among the client's files. */
export function mailTexts(locale: Locale): MailTexts {
  return ALL[locale];
}

/** The texts of a language for what notifications say outside of the app: those of mails, and `notification`. */
export function sentenceTexts(locale: Locale): MailTexts {
  return SENTENCES[locale];
}
