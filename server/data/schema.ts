import type { AreaName, RESOURCES } from '#shared/resources/index.ts';
import type { Store } from '#shared/resources/types.ts';
import type { AbuseTables } from './schema/abuse.ts';
import type { ImageReportsTables } from './schema/image-reports.ts';
import type { PluginsTables } from './schema/plugins.ts';
import type { AnnouncementsTables } from './schema/announcements.ts';
import type { ImagesTables } from './schema/images.ts';
import type { ImportsTables } from './schema/imports.ts';
import type { LedgerTables } from './schema/ledger.ts';
import type { MailTables } from './schema/mail.ts';
import type { PanelsTables } from './schema/panels.ts';
import type { PaymentsTables } from './schema/payments.ts';
import type { RewardsTables } from './schema/rewards.ts';
import type { ServersTables } from './schema/servers.ts';
import type { SessionsTables } from './schema/sessions.ts';
import type { SystemTables } from './schema/system.ts';
import type { TicketsTables } from './schema/tickets.ts';
import type { UsersTables } from './schema/users.ts';
import type { WebhooksTables } from './schema/webhooks.ts';
import type { Bit, Ms } from './schema/values.ts';

export type * from './schema/abuse.ts';
export type * from './schema/image-reports.ts';
export type * from './schema/images.ts';
export type * from './schema/imports.ts';
export type * from './schema/ledger.ts';
export type * from './schema/mail.ts';
export type * from './schema/panels.ts';
export type * from './schema/payments.ts';
export type * from './schema/plugins.ts';
export type * from './schema/rewards.ts';
export type * from './schema/servers.ts';
export type * from './schema/sessions.ts';
export type * from './schema/system.ts';
export type * from './schema/tickets.ts';
export type * from './schema/users.ts';
export type * from './schema/webhooks.ts';

interface Stored {
  text: string;
  name: string;
  int: number;
  bit: Bit;
  ms: Ms;
  json: string;
}
type Value<S extends Store> = S extends { readonly nullable: true } ? Stored[S['type']] | null : Stored[S['type']];
type ColumnsOf<S extends Readonly<Record<string, Store>>> = {
  [
    K in keyof S & string as S[K] extends { readonly derived: true }
      ? never
      : S[K] extends { readonly column: infer C extends string }
        ? C
        : K
  ]: Value<S[K]>;
};
type Areas = typeof RESOURCES;
/** The tables of the admin areas, from their definitions (shared/resources): each has an id and its times besides. */
type AreaTables = {
  [A in AreaName as Areas[A]['table']]: { id: string; created_ms: Ms; updated_ms: Ms } & ColumnsOf<
    Areas[A]['storage']
  > &
    ColumnsOf<Areas[A]['hidden']>;
};

/**
 * Every table, as Kysely sees it. Portable subset: TEXT ids, INTEGER (PostgreSQL: bigint) for times in UTC ms, credits
 * and counts, 0/1 for booleans, JSON as TEXT. Column names are snake_case; times end in _ms.
 */
export interface DB
  extends
    AreaTables,
    ImageReportsTables,
    ImagesTables,
    ImportsTables,
    LedgerTables,
    UsersTables,
    SessionsTables,
    MailTables,
    RewardsTables,
    ServersTables,
    PanelsTables,
    AbuseTables,
    PaymentsTables,
    SystemTables,
    TicketsTables,
    AnnouncementsTables,
    PluginsTables,
    WebhooksTables {}
