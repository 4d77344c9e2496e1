import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import type { ListState } from '#client/lib/url-state.ts';
import type { ListOfAddress } from '#client/lib/use-list-state.ts';
import type { Column } from '#client/ui/data-table.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { Menu } from '#client/ui/menu.tsx';

/** What `columns` of the address says where no column but the name of a row is shown. */
const NONE = 'none';

type Columns<Row> = readonly Column<Row>[];
/** All columns of a list but the name of a row, which is always shown. */
const choicesOf = <Row,>(columns: Columns<Row>): Columns<Row> => columns.filter(({ title }) => !title);

/** Keys of the columns that the address asks for; where it does not say, the usual ones, or all. */
function chosenKeys<Row>({ kept }: ListState, columns: Columns<Row>, usual?: readonly string[]): readonly string[] {
  const keys = choicesOf(columns).map(({ key }) => key);
  const asked = kept?.columns;
  const names = asked === undefined ? (usual ?? keys) : asked.split(',');
  return keys.filter((key) => names.includes(key));
}

/**
 * The columns that are shown: the name of a row, and those that the address asks for. In: all columns, and the keys of
 * those that are shown where the address does not say, all unless given.
 */
export function shownColumns<Row>(state: ListState, columns: Columns<Row>, usual?: readonly string[]): Columns<Row> {
  const keys = chosenKeys(state, columns, usual);
  return columns.filter(({ key, title }) => title || keys.includes(key));
}

interface ColumnMenuProps<Row> extends Pick<ListOfAddress, 'state' | 'hrefOf'> {
  /** All columns of the list, in their order. */
  readonly columns: Columns<Row>;
  /** Keys of those that are shown where the address does not say; all unless given. */
  readonly usual?: readonly string[];
}

/**
 * The menu of the columns, of a list whose `ListSpec` keeps `columns`. Each entry is an address, so it works without
 * scripts.
 */
export function ColumnMenu<Row>({ columns, usual, state, hrefOf }: ColumnMenuProps<Row>): ReactNode {
  const t = useT('resources');
  const choices = choicesOf(columns);
  const shown = chosenKeys(state, columns, usual);
  const textOf = (keys: readonly string[]): string => (keys.length === 0 ? NONE : keys.join(','));
  const usualText = textOf(chosenKeys({ ...state, kept: {} }, columns, usual));
  const items = choices.map(({ key, label }) => {
    const isShown = shown.includes(key);
    const next = textOf(choices.map((each) => each.key).filter((each) => (each === key) !== shown.includes(each)));
    // The usual columns need no words in the address.
    const to = hrefOf({ kept: { columns: next === usualText ? '' : next } });
    return { id: key, label, ticked: isShown, to };
  });
  const trigger = (
    <>
      <Icon name="columns" size="sm" />
      {t('columns')}
    </>
  );
  return <Menu label={t('columns')} trigger={trigger} triggerClass="sp-btn" items={items} />;
}
