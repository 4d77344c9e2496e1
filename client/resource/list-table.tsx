import type { Column } from '#client/ui/data-table.tsx';
import type { Filter } from '#client/ui/filter-bar.tsx';
import type { ResourceOptions } from '#shared/contract/crud.ts';
import { areaHrefs, type Area, type Overrides, type Row, type AreaTexts } from './area.ts';
import { ResourceCell } from './cells.tsx';

const NUMBER_FORMATS: ReadonlySet<string> = new Set(['number', 'credits', 'memory', 'days']);

/** The columns of the table; the one that names the row leads to its page. */
export function columnsOf(
  definition: Area,
  texts: AreaTexts,
  overrides: Overrides | undefined,
  mayEdit: boolean,
): Column<Row>[] {
  const lead = leadColumn(definition);
  const link = (key: string, row: Row): string | undefined =>
    key === definition.title && mayEdit ? areaHrefs(definition.area).edit(String(row.id)) : undefined;
  return Object.entries(definition.columns).map(([key, column]) => ({
    key,
    label: texts.column(key),
    title: key === definition.title,
    cell: (row) => {
      const cell = (
        <ResourceCell definition={definition} name={key} row={row} overrides={overrides} to={link(key, row)} />
      );
      return column.wrap ? <span className="sp-table__text">{cell}</span> : cell;
    },
    ...(NUMBER_FORMATS.has(column.format) ? { align: 'end' as const } : {}),
    ...(column.sort ? { sort: column.sort } : {}),
    ...(column.hideOnPhone ? { hideOnPhone: true } : {}),
    ...(key === lead
      ? { phone: 'lead' as const }
      : NUMBER_FORMATS.has(column.format)
        ? { phone: 'labelled' as const }
        : {}),
    ...(column.wrap ? { wrap: true } : {}),
  }));
}

/** The column that stands beside the name on phones: whether the row is on, or else its first number. */
function leadColumn({ columns, title, bulk }: Area): string | undefined {
  const shown = Object.keys(columns).filter((key) => key !== title && !columns[key]?.hideOnPhone);
  return (
    shown.find((key) => key === bulk.switch) ??
    shown.find((key) => columns[key] && NUMBER_FORMATS.has(columns[key].format))
  );
}

/** What the list can be narrowed by. */
export function filtersOf(definition: Area, options: ResourceOptions, texts: AreaTexts): readonly Filter[] {
  return Object.entries(definition.filters).map(([name, { options: of }]) => {
    const values = of === 'switch' ? ['true', 'false'] : of === 'answer' ? [] : of;
    return {
      name,
      label: texts.text('any', { what: texts.field(name) }),
      options:
        of === 'answer' ? (options[name] ?? []) : values.map((value) => ({ value, label: texts.value(name, value) })),
    };
  });
}
