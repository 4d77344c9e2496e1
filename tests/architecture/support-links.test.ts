import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'bun:test';
import { LOCALES } from '#shared/i18n/locales.ts';
import { NAMESPACES } from '#shared/i18n/namespaces.ts';
import { AREA_FILES, textsOf } from '#tests/support/texts.ts';

// Wherever a text sends somebody to the host, the host's own page and address are linked.

const ROOT = join(import.meta.dir, '../..');
/** What sends a reader to the host, in the English texts. */
const SENDS =
  /\b(?:ask|asks|contact|tell|write to|turn to)\s+(?:(?:the|an|this)\s+)?(?:host|owner|support|team|one who runs)|\bask them\b|\bto support\b/i;

/** Texts that send somebody to the host, and the module that shows each, typed by hand. */
const SHOWN_BY: Readonly<Record<string, string>> = {
  'account.supportPinText': 'client/features/account/support-pin-card.tsx',
  'emailChange.badUndoText': 'client/features/auth/email.tsx',
  'emailChange.pendingKept': 'client/features/account/email-card.tsx',
  'errors.ACCOUNT_NOT_YOURS': 'client/features/servers/view-head.tsx',
  'errors.MACHINE_CLOSED': 'client/features/servers/create.tsx',
  'passwordReset.noMail': 'client/features/auth/forgot.tsx',
  'payments.says.disputed': 'client/features/payments/order.tsx',
  'referrals.why.shared': 'client/features/earn/referrals-parts.tsx',
  'servers.addressRefusedText': 'client/features/servers/view-head.tsx',
  'servers.failure.addressRefused': 'client/features/servers/view-head.tsx',
  'servers.noLocations': 'client/features/servers/create-location.tsx',
  'servers.noSoftware': 'client/features/servers/create-software.tsx',
  'servers.suspendedAdmin': 'client/features/servers/view-head.tsx',
  'statement.why.other': 'client/resource/statement.tsx',
  'store.vipOnlyText': 'client/features/store/refusal.tsx',
  'system.forbidden.text': 'client/features/system/forbidden.tsx',
  'system.legal.nameOnly': 'client/features/legal/legal-page.tsx',
  'system.privacy.rightsText': 'client/features/legal/legal-page.tsx',
  'system.serverError.text': 'client/features/system/server-error.tsx',
};
/** Texts for staff: they are sent to an owner among them. */
const OF_STAFF = new Set(['errors.APPROVAL_REQUIRED']);

/** It stands above the tickets themselves, by which the team is asked. */
const ASKED_HERE = new Set(['tickets.text']);

const namespaces = [...NAMESPACES, ...AREA_FILES.map((area) => `areas/${area}`)];
/** Texts of e-mails: each ends with where the host gives help (server/modules/mailing/render.test.ts). */
const isMail = (key: string): boolean => key.startsWith('mail.');

test('every text that sends somebody to the host is known with the module that links it', () => {
  const found = namespaces
    .flatMap((ns) => Object.entries(textsOf('en', ns)).map(([key, text]) => [`${ns}.${key}`, text] as const))
    .filter(([key, text]) => SENDS.test(text) && !isMail(key) && !OF_STAFF.has(key) && !ASKED_HERE.has(key))
    .map(([key]): string => key);
  expect(found.toSorted()).toEqual(Object.keys(SHOWN_BY).toSorted());
});

test.each(Object.entries(SHOWN_BY))('the module that shows %s links where the host gives help', (_, path) => {
  expect(readFileSync(join(ROOT, path), 'utf8')).toContain('<SupportLinks />');
});

test('the words of the link are there in every language', () => {
  expect(LOCALES.filter((locale) => !textsOf(locale, 'ui').getHelp)).toEqual([]);
});
