import { define, type Migration } from './migration.ts';

/** Whose an account of a panel is, found without reading them all: an import asks it once a user. */
export const panelAccountsAccount: Migration = {
  name: '0145_panel_accounts_account',
  up: (step) => define(step, ['CREATE INDEX panel_accounts_account ON panel_accounts (panel_id, account)']),
};
