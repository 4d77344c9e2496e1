import { LOCALES, type Locale } from '#shared/i18n/locales.ts';
import type { SettingValues } from '#shared/settings.ts';
import type { Events } from '../events/index.ts';
import type { Clock, Ids } from '../kernel.ts';
import type { LongReads, UnitOfWork } from '../tx.ts';
import type { AnnouncementText } from './ports.ts';

export interface AnnouncementsDeps {
  readonly uow: UnitOfWork;
  readonly long: LongReads;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly events: Pick<Events, 'emit'>;
  readonly settings: { current(): Pick<SettingValues, 'app_lang' | 'announcements_public'> };
}

/** The topic that what is shown to readers changed. */
export const ANNOUNCEMENTS_TOPIC = 'announcements';

/** The text that a reader gets: in their language, else in the installation's, else in any there is. */
export function textFor(texts: readonly AnnouncementText[], wanted: string | null, fallback: string): AnnouncementText {
  const order: (Locale | undefined)[] = [
    LOCALES.find((each) => each === wanted),
    LOCALES.find((each) => each === fallback),
    ...LOCALES,
  ];
  const found = order.flatMap((locale) => texts.filter((text) => text.locale === locale))[0];
  if (!found) throw new Error('an announcement without a text');
  return found;
}
