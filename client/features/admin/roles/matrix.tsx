import { useState } from 'react';
import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import { useFormat, useLooseT, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Checkbox } from '#client/ui/choice.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { Select } from '#client/ui/select.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import type { MatrixRole } from '#shared/contract/roles.ts';
import { cellState, holdsAll, tickKey, type Ticks } from './changes.ts';
import { Members, RoleName } from './parts.tsx';
import type { MatrixData } from './permissions.tsx';

type Entry = MatrixData['catalogue'][number];
/** Explicit roles: on phones rows change `display`, which removes the native roles in some browsers. */
const ROLE = {
  table: { role: 'table' },
  rowgroup: { role: 'rowgroup' },
  row: { role: 'row' },
  columnheader: { role: 'columnheader' },
  rowheader: { role: 'rowheader' },
} as const;

interface Filters {
  readonly q: string;
  readonly category: string;
  /** Only permissions that some roles have and others have not. */
  readonly differing: boolean;
}
interface Ticking {
  readonly ticks: Ticks;
  readonly onTick: (roleId: string, permission: string, on: boolean) => void;
}

/** The texts of the catalogue. */
export function usePermissionTexts() {
  const t = useLooseT('permissions');
  return {
    label: ({ constant }: Pick<Entry, 'constant'>): string => t(`${constant}.label`),
    text: ({ constant }: Pick<Entry, 'constant'>): string => t(`${constant}.text`),
    category: (category: string): string => t(`category.${category}`),
  };
}

/** Which role holds which permission: a box for each, by category. What a filter hides stays part of the form. */
export function Matrix({ ticks, onTick }: Ticking): ReactNode {
  const t = useT('roles');
  const ui = useT('ui');
  const { id, roles, catalogue } = useLoaderData<MatrixData>();
  const texts = usePermissionTexts();
  const [filters, setFilters] = useState<Filters>({ q: '', category: '', differing: false });
  const [chosen, setChosen] = useState(id);
  const wanted = filters.q.trim().toLowerCase();
  const fits = (entry: Entry): boolean =>
    (filters.category === '' || entry.category === filters.category) &&
    (!filters.differing ||
      new Set(roles.map((role) => holdsAll(role) || role.permissions.includes(entry.value))).size > 1) &&
    [texts.label(entry), texts.text(entry), entry.value, texts.category(entry.category)].some((each) =>
      each.toLowerCase().includes(wanted),
    );
  const shown = new Set(catalogue.filter(fits).map(({ value }) => value));
  const categories = [...new Set(catalogue.map(({ category }) => category))];
  return (
    <>
      <MatrixFilters filters={filters} onFilter={setFilters} categories={categories} shown={shown.size} />
      <div className="sp-matrix-pick">
        <label htmlFor="sp-matrix-role">{t('roleShown')}</label>
        <Select
          id="sp-matrix-role"
          options={roles.map((role) => ({ value: role.id, label: role.name }))}
          value={chosen}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
      </div>
      <div className="sp-matrix-wrap">
        <table className="sp-matrix" {...ROLE.table}>
          <caption className="sp-sr">{t('permissionsTitle')}</caption>
          <thead {...ROLE.rowgroup}>
            <tr {...ROLE.row}>
              <th scope="col" {...ROLE.columnheader}>
                {t('permission')}
              </th>
              {roles.map((role) => (
                <th key={role.id} scope="col" {...ROLE.columnheader} className="sp-matrix__c">
                  <RoleName name={role.name} color={role.color} />
                  <small>
                    <Members count={role.members} />
                  </small>
                </th>
              ))}
            </tr>
          </thead>
          {categories.map((category) => {
            const entries = catalogue.filter((entry) => entry.category === category);
            const visible = entries.filter(({ value }) => shown.has(value)).length;
            return (
              <tbody key={category} {...ROLE.rowgroup} hidden={visible === 0}>
                <tr {...ROLE.row} className="sp-matrix__cat">
                  <th colSpan={roles.length + 1} scope="colgroup" {...ROLE.rowheader}>
                    {texts.category(category)} <span className="sp-muted">{visible}</span>
                  </th>
                </tr>
                {entries.map((entry) => (
                  <tr key={entry.value} {...ROLE.row} hidden={!shown.has(entry.value)}>
                    <th scope="row" {...ROLE.rowheader} className="sp-matrix__p">
                      <b>{texts.label(entry)}</b>
                      <span>
                        {texts.text(entry)} <code>{entry.value}</code>
                      </span>
                    </th>
                    {roles.map((role) => (
                      <Cell
                        key={role.id}
                        role={role}
                        permission={entry.value}
                        name={t('cell', {
                          role: role.name,
                          permission: `${texts.category(category)}, ${texts.label(entry)}`,
                        })}
                        chosen={role.id === chosen}
                        ticks={ticks}
                        onTick={onTick}
                      />
                    ))}
                  </tr>
                ))}
              </tbody>
            );
          })}
        </table>
      </div>
      {shown.size === 0 && <EmptyState as="h2" art="search" title={ui('noMatches')} text={ui('noMatchesHint')} />}
    </>
  );
}

function MatrixFilters(props: {
  filters: Filters;
  onFilter: (filters: Filters) => void;
  categories: readonly string[];
  shown: number;
}): ReactNode {
  const { filters, onFilter, categories, shown } = props;
  const t = useT('roles');
  const format = useFormat();
  const texts = usePermissionTexts();
  const { catalogue } = useLoaderData<MatrixData>();
  return (
    <search className="sp-filterbar">
      <TextInput
        type="search"
        icon="search"
        aria-label={t('searchPermissions')}
        placeholder={t('searchPermissions')}
        value={filters.q}
        maxLength={100}
        autoComplete="off"
        enterKeyHint="search"
        // Enter would save the matrix.
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.preventDefault();
        }}
        onChange={(event) => onFilter({ ...filters, q: event.currentTarget.value })}
      />
      <Select
        size="sm"
        aria-label={t('category')}
        placeholder={t('allCategories')}
        options={categories.map((category) => ({ value: category, label: texts.category(category) }))}
        value={filters.category}
        onChange={(event) => onFilter({ ...filters, category: event.currentTarget.value })}
      />
      <Checkbox
        checked={filters.differing}
        onChange={(event) => onFilter({ ...filters, differing: event.currentTarget.checked })}
      >
        {t('onlyDiffering')}
      </Checkbox>
      <span className="sp-filterbar__end sp-muted" aria-live="polite">
        {t('shownOf', { shown: format.number(shown), all: format.number(catalogue.length) })}
      </span>
    </search>
  );
}

function Cell(props: Ticking & { role: MatrixRole; permission: string; name: string; chosen: boolean }): ReactNode {
  const { role, permission, name, chosen, ticks, onTick } = props;
  const t = useT('roles');
  const { permissions: own } = useShell().session;
  const state = cellState(own, role, permission);
  const stored = role.permissions.includes(permission);
  const key = tickKey(role.id, permission);
  const now = ticks.get(key) ?? stored;
  const shared = { role: 'cell', className: 'sp-matrix__c', 'data-chosen': chosen || undefined } as const;
  if (state === 'always') {
    return (
      <td {...shared}>
        <Icon name="check" />
        <span className="sp-sr">{t('always', { role: role.name })}</span>
      </td>
    );
  }
  return (
    <td {...shared} data-diff={now === stored ? undefined : now ? 'add' : 'cut'}>
      <label className="sp-check">
        <input
          type="checkbox"
          name="p"
          value={key}
          aria-label={now === stored ? name : t(now ? 'cellGains' : 'cellLoses', { cell: name })}
          checked={now}
          disabled={state === 'locked'}
          onChange={(event) => onTick(role.id, permission, event.currentTarget.checked)}
        />
      </label>
    </td>
  );
}
