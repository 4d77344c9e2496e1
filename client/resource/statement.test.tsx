import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/account');
const { cleanup, screen, within } = await import('@testing-library/react');
const { NOW, showScreen } = await import('#tests/support/screens.tsx');
const { StatementList } = await import('./statement.tsx');
const { STATEMENT_LIST, statementQuery } = await import('./statement-query.ts');
const { useListState } = await import('#client/lib/use-list-state.ts');

afterEach(cleanup);

const PLAIN = {
  at: NOW,
  subject: null,
  balance_after: 10,
  counterpart: 'system:adjustment',
  reason: null,
  undoes: null,
  ref: null,
  actor: null,
  reference: null,
};
const ID = (n: number): string => `0190a000-0000-7000-8000-00000000000${n}`;

function show(
  rows: readonly object[],
  flags: object = {},
  settings: Record<string, string> = {},
  older: string | null = null,
): void {
  const statement = {
    rows: rows.map((row, index) => ({ id: ID(index), ...PLAIN, ...row })) as never,
    paging: { newer: null, older },
  };
  function Shown() {
    const list = useListState(STATEMENT_LIST);
    return <StatementList statement={statement} state={list.state} hrefOf={list.hrefOf} empty={null} />;
  }
  showScreen({ default: Shown }, { url: '/account', flags: flags as never, settings });
}
const row = async (index: number): Promise<HTMLElement> =>
  (await screen.findAllByRole('rowheader'))[index] as HTMLElement;

test('a statement of several pages can have longer ones, and a short one offers nothing', async () => {
  show([{ kind: 'adjustment', amount: 50 }]);
  await row(0);
  expect(screen.queryAllByRole('navigation')).toHaveLength(0);
  cleanup();
  show([{ kind: 'adjustment', amount: 50 }], {}, {}, `1.${ID(1)}`);
  const sizes = await screen.findByRole('navigation', { name: 'Rows per page' });
  const links = within(sizes).getAllByRole('link');
  expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
    ['25', '/account'],
    ['50', '/account?size=50'],
    ['100', '/account?size=100'],
  ]);
});

test('an adjustment shows its reason, which way it went, and its number', async () => {
  show([
    { kind: 'adjustment', amount: 50, reason: 'Backup of 9 Nov was lost' },
    { kind: 'adjustment', amount: -50, reason: 'Given by mistake' },
  ]);
  const [given, taken] = [await row(0), await row(1)];
  expect(within(given).getByText('The host added these credits manually.')).toBeTruthy();
  expect(within(given).getByText('Backup of 9 Nov was lost')).toBeTruthy();
  expect(within(given).getByText(ID(0))).toBeTruthy();
  expect(within(taken).getByText('The host removed these credits manually.')).toBeTruthy();
});

test('a movement that has no text of its own leads to where the host gives help', async () => {
  const kinds = [
    { kind: 'hold.unheard-of', amount: 5 },
    { kind: 'adjustment', amount: 50 },
  ];
  show(kinds, {}, { support_email: 'help@lantern.example' });
  expect(within(await row(0)).getByText(/Tell the host its number/)).toBeTruthy();
  expect(within(await row(0)).getByRole('link', { name: 'help@lantern.example' })).toBeTruthy();
  expect(within(await row(1)).queryByRole('link', { name: 'help@lantern.example' })).toBeNull();
});

test('a reversed movement is named, and a renewal leads to its server only while there is one', async () => {
  show([
    { kind: 'reversal', amount: 100, subject: 'guild-hall', undoes: { kind: 'server.renew', at: NOW } },
    { kind: 'server.renew', amount: -100, subject: 'guild-hall', ref: ID(7), counterpart: 'system:renewal' },
    { kind: 'server.renew', amount: -100, subject: 'gone', counterpart: 'system:renewal' },
  ]);
  expect(within(await row(0)).getByText(/^Server renewal, 21 Nov 2026/)).toBeTruthy();
  expect(
    within(await row(1))
      .getByRole('link', { name: 'Open the server', hidden: true })
      .getAttribute('href'),
  ).toBe(`/server/${ID(7)}`);
  expect(within(await row(2)).queryByRole('link', { hidden: true })).toBeNull();
});

test('a disabled page is not linked; staff see actor and reference, without links to pages of the user', async () => {
  show([{ kind: 'store.buy', amount: -150, subject: 'memory', counterpart: 'system:store' }], { store_enabled: false });
  expect(within(await row(0)).queryByRole('link', { hidden: true })).toBeNull();
  cleanup();
  show([
    {
      kind: 'store.buy',
      amount: -150,
      subject: 'memory',
      counterpart: 'system:store',
      actor: 'tobi_k',
      reference: 'store:1',
    },
  ]);
  const shown = await row(0);
  expect(within(shown).getByText('tobi_k')).toBeTruthy();
  expect(within(shown).getByText('store:1')).toBeTruthy();
  expect(within(shown).queryByRole('link', { hidden: true })).toBeNull();
});

test('a kind that nobody knows is still explained', async () => {
  show([{ kind: 'plugin.lottery', amount: 5 }]);
  expect(
    within(await row(0)).getByText('A credit transaction. Tell the host its number to find out more.', {
      exact: false,
    }),
  ).toBeTruthy();
});

test('the address says what is asked for, and what cannot be a filter is left out', () => {
  expect(
    statementQuery(
      '?kind=gift&direction=sideways&from=2026-13-1&to=2026-11-30&page=3&size=50&before=nonsense&after=1.a-b.0',
    ),
  ).toEqual({ kind: 'gift', to: '2026-11-30', after: '1.a-b.0', per_page: '50' });
});

test('Screen 5 a gift, its fee and a gift that came read differently, and each says why', async () => {
  show([
    { kind: 'gift', amount: -100, subject: 'ann → bob', counterpart: 'user:0190a000-0000-7000-8000-000000000009' },
    { kind: 'gift', amount: -10, subject: 'ann → bob', counterpart: 'system:gift.fee' },
    { kind: 'gift', amount: 70, subject: 'bob → ann', counterpart: 'user:0190a000-0000-7000-8000-000000000009' },
  ]);
  const rows = [await row(0), await row(1), await row(2)];
  expect(rows.map((each) => each.querySelector('summary')?.textContent)).toEqual([
    'Gift sent ann → bob',
    'Gift fee ann → bob',
    'Gift received bob → ann',
  ]);
  const why = rows.map((each) => each.querySelector('p')?.textContent);
  expect(new Set(why).size).toBe(3);
  expect(why[1]).toContain('The fee for a gift');
});
