import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { composeImporter } from '#server/compose/imports.ts';
import type { ImportOptions } from '#server/imports/engine.ts';
import type { UnitOfWork } from '#server/modules/tx.ts';
import type { Harness } from '#tests/support/harness.ts';

/** A user of CtrlPanel: credits are in thousandths there. */
export type CtrlPanelUser = readonly [
  id: number | string,
  name: string,
  email: string,
  thousandths: number | string,
  isVerified?: boolean,
];

const text = (value: string) => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** Writes a dump of CtrlPanel 1.1 with these users, and more lines, into a folder. Out: its path. */
export function writeCtrlPanelDump(
  folder: string,
  users: readonly CtrlPanelUser[],
  more: readonly string[] = [],
): string {
  const path = join(folder, `${crypto.randomUUID()}.sql`);
  const lines = [
    'CREATE TABLE `users` (\n  `id` bigint,\n  `name` varchar(255),\n  `email` varchar(255),\n  `credits` bigint,\n  `pterodactyl_id` varchar(255),\n  `email_verified_at` timestamp\n);',
    'CREATE TABLE `shop_products` (\n  `id` int\n);',
    'CREATE TABLE `vouchers` (\n  `id` int,\n  `code` text,\n  `credits` bigint,\n  `uses` int\n);',
    'CREATE TABLE `user_voucher` (\n  `user_id` int,\n  `voucher_id` int\n);',
    'CREATE TABLE `roles` (\n  `id` int,\n  `name` text\n);',
    'CREATE TABLE `model_has_roles` (\n  `role_id` int,\n  `model_type` text,\n  `model_id` int\n);',
    'CREATE TABLE `settings` (\n  `group` text,\n  `name` text,\n  `payload` text\n);',
    ...users.map(
      ([id, name, email, credits, isVerified = false]) =>
        `INSERT INTO \`users\` VALUES (${id},${text(name)},${text(email)},${credits},NULL,${isVerified ? "'2023-01-01 00:00:00'" : 'NULL'});`,
    ),
    ...more,
  ];
  writeFileSync(path, lines.join('\n'));
  return path;
}

/** How a dump is brought over unless a test says otherwise. */
export const importOptions = (
  product: ImportOptions['product'],
  from: ImportOptions['from'],
  over: Partial<ImportOptions> = {},
): ImportOptions => ({
  product,
  instance: 'main',
  from,
  zoneMinutes: 0,
  factor: 1,
  currency: 'EUR',
  email: 'skip',
  names: 'rename',
  settings: false,
  panel: null,
  ...over,
});

/** An importer of a test's installation that nobody watches or stops; `uow` is another unit of work than its own. */
export const importerOf = (h: Harness, uow: UnitOfWork = h.host.services.uow) =>
  composeImporter({ ...h.host.services, uow }, h.dataDir, { onStep: () => undefined, isStopped: () => false });
