/** The panel of these tests. */
export const PANEL_ID = '01890000-0000-7000-8000-000000000001';
/** Where panels are. */
export const PANELS_API = '/api/admin/panels';
/** What staff who keep panels may do. */
export const KEEPER_RIGHTS = [
  'admin.panels.list',
  'admin.panels.create',
  'admin.panels.edit',
  'admin.panels.delete',
  'admin.egg.edit',
  'admin.locations.edit',
];
/** When everything about it was last done. */
export const LAST_DONE = '2026-11-21T18:00:00.000Z';
/** What its key may do, without the rights that are `missing`. */
export const rights = (missing: readonly string[] = []) =>
  [
    'servers read',
    'servers write',
    'users read',
    'users write',
    'nodes read',
    'allocations read',
    'locations read',
    'nests read',
    'eggs read',
  ].map((each) => {
    const [right, level] = each.split(' ');
    return { right, level, granted: !missing.includes(each) };
  });
/** It as the API tells it. */
export const panel = {
  id: PANEL_ID,
  name: 'Main',
  dialect: 'pterodactyl',
  url: 'https://panel.example.com',
  public_url: null,
  insecure: false,
  enabled: true,
  key: { state: 'set', last4: 'Zx9q' },
  client_key: { state: 'absent', last4: null },
  health: {
    circuit: 'closed',
    opens_again_at: null,
    budget: { limit: 240, left: 182, resets_at: LAST_DONE },
    last_answer_at: LAST_DONE,
    last_failure: null,
  },
  checked: { at: LAST_DONE, fault: null, dialect: 'pterodactyl', rights: rights(), client_key: 'absent' },
  synced: { at: LAST_DONE, state: 'ok', part: null, fault: null, nodes_failed: [] },
  syncing: false,
  uses: { servers: 12, locations: 2, eggs: 9 },
  news: { fresh: 3, changed: 1, vanished: 2 },
  created_at: LAST_DONE,
  updated_at: LAST_DONE,
};
