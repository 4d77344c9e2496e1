import { useEffect, useLayoutEffect, useRef } from 'react';
import type { ReactNode, RefObject } from 'react';
import { Form, Link, useNavigate } from 'react-router';
import { useT } from '#client/lib/i18n.tsx';
import { isFiltered, writeSort } from '#client/lib/url-state.ts';
import type { ListPatch, ListSpec, ListState } from '#client/lib/url-state.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { Select } from './select.tsx';
import type { SelectOption } from './select.tsx';

/** A filter with a fixed set of values. */
export interface Filter {
  name: string;
  label: string;
  options: readonly SelectOption[];
}

interface FilterBarProps {
  spec: ListSpec;
  state: ListState;
  hrefOf: (patch: ListPatch) => string;
  /** Without it there is no search. */
  searchLabel?: string;
  filters?: readonly Filter[];
  /** Buttons at the end of the bar. */
  children?: ReactNode;
}

/** Debounce of typing. */
const PAUSE_MS = 300;

/** Search and filters of a list. The state is the address: the bar is a GET form, which works without scripts. */
export function FilterBar(props: FilterBarProps): ReactNode {
  const { spec, state, hrefOf, searchLabel, filters = [], children } = props;
  const t = useT('ui');
  const form = useRef<HTMLFormElement>(null);
  const send = useApplyFilters(form, spec, hrefOf);
  useSyncedControls(form, state, filters);
  const sort = writeSort(state.sort);
  return (
    <search>
      <Form
        ref={form}
        method="get"
        className="sp-filterbar"
        onInput={(event) => send(isSearch(event.target) ? PAUSE_MS : 0)}
        onSubmit={(event) => {
          event.preventDefault();
          send(0);
        }}
      >
        {searchLabel !== undefined && <SearchInput name="q" label={searchLabel} defaultValue={state.q} />}
        {filters.map((filter) => (
          <Select
            key={filter.name}
            name={filter.name}
            size="sm"
            aria-label={filter.label}
            placeholder={filter.label}
            options={filter.options}
            defaultValue={state.filters[filter.name] ?? ''}
          />
        ))}
        {sort !== writeSort(spec.defaultSort) && <input type="hidden" name="sort" value={sort} />}
        {state.size !== spec.sizes[0] && <input type="hidden" name="size" value={state.size} />}
        {Object.entries(state.kept ?? {}).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <noscript>
          <Button type="submit" size="sm">
            {t('apply')}
          </Button>
        </noscript>
        {isFiltered(state) && (
          <Link className="sp-btn" data-variant="ghost" data-size="sm" to={hrefOf(readForm(null, spec))}>
            {t('clearFilters')}
          </Link>
        )}
        {children !== undefined && <div className="sp-filterbar__end">{children}</div>}
      </Form>
    </search>
  );
}

type FormRef = RefObject<HTMLFormElement | null>;

/** Navigates to the address of the form's values, after a pause; the form's own GET would carry empty parameters. */
function useApplyFilters(
  form: FormRef,
  spec: ListSpec,
  hrefOf: (patch: ListPatch) => string,
): (pauseMs: number) => void {
  const navigate = useNavigate();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (pauseMs) => {
    clearTimeout(timer.current);
    const apply = () =>
      void navigate(hrefOf(readForm(form.current, spec)), { replace: true, preventScrollReset: true });
    // What was chosen is read at once: a list that renders meanwhile must not change it.
    if (pauseMs === 0) apply();
    else timer.current = setTimeout(apply, pauseMs);
  };
}

/** The form's values; none without a form. */
function readForm(form: HTMLFormElement | null, spec: ListSpec): ListPatch {
  const data = form ? new FormData(form) : new FormData();
  const text = (name: string): string => {
    const value = data.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  return { q: text('q'), filters: Object.fromEntries(spec.filters.map((name) => [name, text(name)])) };
}

/**
 * Back navigation and "Clear" change the address: the controls follow, except the one being typed in. Where the address
 * is as before, they stay: the list renders again for other reasons, too, and what was just chosen is still on its way.
 * It happens with the rendering itself: later, it would undo what was chosen in between.
 */
function useSyncedControls(form: FormRef, state: ListState, filters: readonly Filter[]): void {
  const shown = useRef<Record<string, string>>({});
  useLayoutEffect(() => {
    const show = (name: string, value: string): void => {
      const control = form.current?.elements.namedItem(name);
      if (!(control instanceof HTMLInputElement || control instanceof HTMLSelectElement)) return;
      if (shown.current[name] === value || control === document.activeElement) return;
      shown.current[name] = value;
      control.value = value;
    };
    show('q', state.q);
    for (const filter of filters) show(filter.name, state.filters[filter.name] ?? '');
  }, [form, state, filters]);
}

function isSearch(target: EventTarget): boolean {
  return target instanceof HTMLInputElement && target.type === 'search';
}

/** A search field with its icon. */
function SearchInput(props: { name: string; label: string; defaultValue?: string }): ReactNode {
  return (
    <span className="sp-input-group" data-icon="">
      <Icon name="search" size="sm" />
      <input
        className="sp-input"
        type="search"
        name={props.name}
        aria-label={props.label}
        placeholder={props.label}
        defaultValue={props.defaultValue}
        enterKeyHint="search"
        autoComplete="off"
        maxLength={200}
      />
    </span>
  );
}
