import { LOCALE_INFO } from '#shared/i18n/locales.ts';
import { href } from '#shared/routes/href.ts';
import type { Tx } from '../tx.ts';
import { sentenceOf } from './sentence.ts';
import type { NotificationDeps } from './service.ts';

/** Sentences of one mail of the day; of what is more, it says how much. */
const LISTED = 50;
/** Users between two looks at who is due. */
const SLICE = 200;

/**
 * Writes the mails of the day that are due. Each is one transaction, with the end of what it collects: a process that
 * is killed in between has written it and emptied the list, or neither, so nobody reads anything twice.
 */
export async function sendDigests(deps: NotificationDeps): Promise<void> {
  const { uow, clock } = deps;
  const nowMs = clock.now();
  for (;;) {
    const due = await uow.read((tx) => tx.notifications.listDueDigests(nowMs, SLICE));
    for (const userId of due) await uow.run((tx) => sendDigest(tx, deps, userId, nowMs));
    if (due.length < SLICE) return;
  }
}

async function sendDigest(tx: Tx, deps: NotificationDeps, userId: string, nowMs: number): Promise<void> {
  const dueMs = await tx.notifications.takeDigest(userId, nowMs);
  if (dueMs === null) return;
  const { rows, count } = await tx.notifications.listDigest(userId, LISTED);
  await tx.notifications.emptyDigest(userId);
  const contact = await tx.identity.findContact(userId);
  if (!contact || rows.length === 0) return;
  const { locale } = contact;
  const reader = { locale, timeZone: contact.timeZone ?? deps.settings.current().app_timezone };
  const lines = rows.map((row) => `• ${sentenceOf(deps.texts, row, reader)}`);
  if (count > rows.length)
    lines.push(`+ ${new Intl.NumberFormat(LOCALE_INFO[locale].bcp47).format(count - rows.length)}`);
  const vars = { list: lines.join('\n'), path: href('dashboard') };
  await deps.mailing.sendTo(tx, userId, 'notificationDigest', vars, `digest:${userId}:${dueMs}`);
}
