import { core } from './0001_core.ts';
import { accounts } from './0002_accounts.ts';
import { earning } from './0003_earning.ts';
import { servers } from './0004_servers.ts';
import { panel } from './0005_panel.ts';
import { storeItems } from './0006_store_items.ts';
import { adminLists } from './0007_admin_lists.ts';
import { userSkins } from './0008_user_skins.ts';
import { passwordResets } from './0016_password_resets.ts';
import { twoFactor } from './0017_two_factor.ts';
import type { Migration } from './migration.ts';

/** All migrations in order. Imported by name, so that the binary holds them. */
export const MIGRATIONS: readonly Migration[] = [core, accounts, earning, servers, panel, storeItems, adminLists, userSkins, passwordResets, twoFactor];
