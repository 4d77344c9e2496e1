import type { output } from 'zod/mini';
import type { CatalogueDetails, CheckedPanel, PanelDetails, Panels } from '#server/modules/panels/index.ts';
import type { adminPanels, PanelCheckView, PanelSyncView, PanelView } from '#shared/contract/panels.ts';
import { iso } from '#shared/time.ts';

type Contract = typeof adminPanels;

/** What a connection test said: what the keys may do, or why nobody knows. */
export function presentCheck({ check, atMs }: CheckedPanel): PanelCheckView {
  const at = iso(atMs);
  if (!('found' in check)) {
    const { fault, cause } = check;
    return { at, fault: { fault, cause }, dialect: null, rights: [], client_key: null };
  }
  const { dialect, rights, clientKey } = check.found;
  return {
    at,
    fault: null,
    dialect,
    rights: rights.map(({ right, level, granted }) => ({ right, level, granted })),
    client_key: clientKey,
  };
}

function presentSync({ atMs, state, part, fault, nodesFailed }: NonNullable<PanelDetails['synced']>): PanelSyncView {
  return { at: iso(atMs), state, part, fault, nodes_failed: [...nodesFailed] };
}

/** How a panel does. What is left of its rate limit grows in fractions of a call; staff see whole ones. */
function presentHealth(health: NonNullable<PanelDetails['health']>): PanelView['health'] {
  const { circuit, opensAgainMs, budget, lastAnswerMs, lastFailure } = health;
  return {
    circuit,
    opens_again_at: iso(opensAgainMs),
    budget: {
      limit: Math.round(budget.limit),
      left: Math.max(0, Math.floor(budget.left)),
      resets_at: iso(Math.round(budget.resetsMs)),
    },
    last_answer_at: iso(lastAnswerMs),
    last_failure: lastFailure,
  };
}

/** A panel as staff see it. */
export function presentPanel(panel: PanelDetails): PanelView {
  const { id, name, dialect, url, insecure, enabled, key, syncing, uses, news } = panel;
  return {
    id,
    name,
    dialect,
    url,
    public_url: panel.publicUrl,
    insecure,
    enabled,
    key,
    client_key: panel.clientKey,
    health: panel.health && presentHealth(panel.health),
    checked: panel.checked && presentCheck(panel.checked),
    synced: panel.synced && presentSync(panel.synced),
    syncing,
    uses,
    news,
    created_at: iso(panel.createdMs),
    updated_at: iso(panel.updatedMs),
  };
}

/** What a panel offers, and its nodes. */
export function presentCatalogue({
  panel,
  offers,
  nests,
  nodes,
}: CatalogueDetails): output<Contract['catalogue']['response']> {
  return {
    panel: presentPanel(panel),
    offers: offers.map(({ changes, left, firstMs, vanishedMs, ...offer }) => ({
      ...offer,
      changes: [...changes],
      left: [...left],
      first_at: iso(firstMs),
      vanished_at: iso(vanishedMs),
    })),
    nests: [...nests],
    nodes: nodes.map(({ places, memoryUsed, diskUsed, portsFree, vanishedMs, ...node }) => ({
      ...node,
      places: [...places],
      memory_used: memoryUsed,
      disk_used: diskUsed,
      ports_free: portsFree,
      vanished_at: iso(vanishedMs),
    })),
  };
}

/** Accounts of a panel that may become users' own. */
export const presentAccounts = ({ accounts, bound, rows }: Awaited<ReturnType<Panels['accounts']>>) =>
  ({
    accounts,
    bound,
    rows: rows.map(({ userId, ...row }) => ({ user_id: userId, ...row })),
  }) satisfies output<Contract['accounts']['response']>;

/** What binding accounts came to. */
export const presentBinding = ({ bound, refused }: Awaited<ReturnType<Panels['bindAccounts']>>) =>
  ({
    bound,
    refused: refused.map(({ userId, ...row }) => ({ user_id: userId, ...row })),
  }) satisfies output<Contract['bindAccounts']['response']>;
