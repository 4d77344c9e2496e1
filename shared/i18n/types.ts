import type ui from '#locales/en/ui.json';
import type errors from '#locales/en/errors.json';
import type shell from '#locales/en/shell.json';
import type connection from '#locales/en/connection.json';
import type startup from '#locales/en/startup.json';
import type system from '#locales/en/system.json';
import type auth from '#locales/en/auth.json';
import type twoFactor from '#locales/en/twoFactor.json';
import type passkeys from '#locales/en/passkeys.json';
import type passwordReset from '#locales/en/passwordReset.json';
import type sso from '#locales/en/sso.json';
import type dashboard from '#locales/en/dashboard.json';
import type account from '#locales/en/account.json';
import type activity from '#locales/en/activity.json';
import type notificationSettings from '#locales/en/notificationSettings.json';
import type deletion from '#locales/en/deletion.json';
import type emailChange from '#locales/en/emailChange.json';
import type statement from '#locales/en/statement.json';
import type roles from '#locales/en/roles.json';
import type userList from '#locales/en/userList.json';
import type userDeletion from '#locales/en/userDeletion.json';
import type userDetails from '#locales/en/userDetails.json';
import type users from '#locales/en/users.json';
import type staffUsers from '#locales/en/staffUsers.json';
import type discord from '#locales/en/discord.json';
import type webhookDocs from '#locales/en/webhookDocs.json';
import type webhooks from '#locales/en/webhooks.json';
import type announcements from '#locales/en/announcements.json';
import type staffAnnouncements from '#locales/en/staffAnnouncements.json';
import type economy from '#locales/en/economy.json';
import type backups from '#locales/en/backups.json';
import type imports from '#locales/en/imports.json';
import type health from '#locales/en/health.json';
import type images from '#locales/en/images.json';
import type imageReports from '#locales/en/imageReports.json';
import type plugins from '#locales/en/plugins.json';
import type statusPage from '#locales/en/statusPage.json';
import type staffImageReports from '#locales/en/staffImageReports.json';
import type libraryImages from '#locales/en/libraryImages.json';
import type sharing from '#locales/en/sharing.json';
import type eggFiles from '#locales/en/eggFiles.json';
import type machine from '#locales/en/machine.json';
import type staffLogs from '#locales/en/staffLogs.json';
import type sources from '#locales/en/sources.json';
import type earn from '#locales/en/earn.json';
import type j4r from '#locales/en/j4r.json';
import type apiTokens from '#locales/en/apiTokens.json';
import type linkedAccounts from '#locales/en/linkedAccounts.json';
import type referrals from '#locales/en/referrals.json';
import type links from '#locales/en/links.json';
import type heldRewards from '#locales/en/heldRewards.json';
import type staffHeldRewards from '#locales/en/staffHeldRewards.json';
import type staffServers from '#locales/en/staffServers.json';
import type challenge from '#locales/en/challenge.json';
import type store from '#locales/en/store.json';
import type tickets from '#locales/en/tickets.json';
import type staffTickets from '#locales/en/staffTickets.json';
import type ticketInbox from '#locales/en/ticketInbox.json';
import type ticketReports from '#locales/en/ticketReports.json';
import type payments from '#locales/en/payments.json';
import type community from '#locales/en/community.json';
import type servers from '#locales/en/servers.json';
import type live from '#locales/en/live.json';
import type panels from '#locales/en/panels.json';
import type admin from '#locales/en/admin.json';
import type attention from '#locales/en/attention.json';
import type overview from '#locales/en/overview.json';
import type resources from '#locales/en/resources.json';
import type permissions from '#locales/en/permissions.json';
import type mail from '#locales/en/mail.json';
import type debug from '#locales/en/debug.json';
import type settings from '#locales/en/settings.json';
import type staffMails from '#locales/en/staffMails.json';
import type staffSettings from '#locales/en/staffSettings.json';
import type setup from '#locales/en/setup.json';
import type customize from '#locales/en/customize.json';
import type palette from '#locales/en/palette.json';

export type { Namespace, TypedNamespace } from './namespaces.ts';

/** The English texts, which are the measure of all the others. */
interface AllMessages {
  ui: typeof ui;
  errors: typeof errors;
  shell: typeof shell;
  startup: typeof startup;
  connection: typeof connection;
  system: typeof system;
  auth: typeof auth;
  twoFactor: typeof twoFactor;
  passkeys: typeof passkeys;
  passwordReset: typeof passwordReset;
  sso: typeof sso;
  dashboard: typeof dashboard;
  account: typeof account;
  activity: typeof activity;
  notificationSettings: typeof notificationSettings;
  deletion: typeof deletion;
  emailChange: typeof emailChange;
  statement: typeof statement;
  userList: typeof userList;
  userDeletion: typeof userDeletion;
  userDetails: typeof userDetails;
  users: typeof users;
  staffUsers: typeof staffUsers;
  roles: typeof roles;
  webhooks: typeof webhooks;
  webhookDocs: typeof webhookDocs;
  discord: typeof discord;
  announcements: typeof announcements;
  staffAnnouncements: typeof staffAnnouncements;
  economy: typeof economy;
  backups: typeof backups;
  imports: typeof imports;
  health: typeof health;
  images: typeof images;
  imageReports: typeof imageReports;
  plugins: typeof plugins;
  statusPage: typeof statusPage;
  staffImageReports: typeof staffImageReports;
  libraryImages: typeof libraryImages;
  sharing: typeof sharing;
  eggFiles: typeof eggFiles;
  machine: typeof machine;
  staffLogs: typeof staffLogs;
  sources: typeof sources;
  earn: typeof earn;
  j4r: typeof j4r;
  linkedAccounts: typeof linkedAccounts;
  apiTokens: typeof apiTokens;
  referrals: typeof referrals;
  links: typeof links;
  heldRewards: typeof heldRewards;
  staffHeldRewards: typeof staffHeldRewards;
  staffServers: typeof staffServers;
  challenge: typeof challenge;
  store: typeof store;
  tickets: typeof tickets;
  staffTickets: typeof staffTickets;
  ticketInbox: typeof ticketInbox;
  ticketReports: typeof ticketReports;
  payments: typeof payments;
  community: typeof community;
  servers: typeof servers;
  panels: typeof panels;
  live: typeof live;
  admin: typeof admin;
  attention: typeof attention;
  overview: typeof overview;
  resources: typeof resources;
  permissions: typeof permissions;
  mail: typeof mail;
  settings: typeof settings;
  staffSettings: typeof staffSettings;
  setup: typeof setup;
  staffMails: typeof staffMails;
  debug: typeof debug;
  customize: typeof customize;
  palette: typeof palette;
}

/** The texts of one namespace, as they stand in its English file. */
type Messages<NS extends keyof AllMessages> = AllMessages[NS];

type Leaf<T, P extends string = ''> = {
  [K in keyof T & string]: T[K] extends string ? `${P}${K}` : Leaf<T[K], `${P}${K}.`>;
}[keyof T & string];

type PluralForm = 'zero' | 'one' | 'two' | 'few' | 'many' | 'other';
type PluralBase<K extends string> = K extends `${infer Base}_${PluralForm}` ? Base : never;

/** A key of the namespace, as a dotted path; a plural's key stands without its form (`slots`, not `slots_one`). */
export type KeyOf<NS extends keyof AllMessages> = Leaf<Messages<NS>> | PluralBase<Leaf<Messages<NS>>>;

/** Values for `{{name}}`; `count` chooses the plural form. */
export type Vars = Readonly<Record<string, string | number>>;

/** Translates a key of one namespace. An unknown key comes back as it is. */
export type TFn<NS extends keyof AllMessages> = (key: KeyOf<NS>, vars?: Vars) => string;

/**
 * Translates keys that are only known at run time: the first of them that exists, otherwise `''`. For texts found by
 * convention (`locations.fields.name`, then `common.fields.name`).
 */
export type LooseT = (keys: string | readonly string[], vars?: Vars) => string;
