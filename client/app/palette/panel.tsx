import '#client/ui/icons-app.ts';
import {
  useDeferredValue,
  useEffect,
  useEffectEvent,
  useId,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
} from 'react';
import { useNavigate } from 'react-router';
import { useT } from '#client/lib/i18n.tsx';
import { palette, type PaletteEntry } from '#client/lib/palette.ts';
import { useApi } from '#client/lib/use-api.ts';
import { Icon } from '#client/ui/icon.tsx';
import { isIconName } from '#client/ui/icons.ts';
import { PAGE_SIZE_MAX } from '#shared/constants.ts';
import type { ServerView } from '#shared/contract/server-views.ts';
import { usePageEntries, useServerEntries } from './entries.ts';
import { rankEntries, type Hit, type HitGroup } from './rank.ts';
import { addRecent, readRecent } from './recent.ts';
import { useSettingEntries } from './setting-entries.ts';
import { useStaffSearch } from './staff-search.ts';

/** The command palette: a field over a list, in a dialog. Arrows select, Enter opens, Esc closes. */
export function PalettePanel({ open, onClose }: { open: boolean; onClose: () => void }): ReactNode {
  const t = useT('palette');
  const dialog = useRef<HTMLDialogElement>(null);
  const closed = useEffectEvent(onClose);
  // Effects, because `<dialog>` is opened and closed by method calls.
  useEffect(() => {
    const element = dialog.current;
    if (!element || !open) return;
    const from = document.activeElement;
    element.showModal();
    element.querySelector('input')?.focus();
    const beside = (event: MouseEvent) => event.target === element && closed();
    const cancel = (event: Event) => {
      event.preventDefault();
      closed();
    };
    element.addEventListener('click', beside);
    element.addEventListener('cancel', cancel);
    return () => {
      element.removeEventListener('click', beside);
      element.removeEventListener('cancel', cancel);
      element.close();
      if (from instanceof HTMLElement && from.isConnected) from.focus();
    };
  }, [open]);
  return (
    <dialog ref={dialog} className="sp-palette" aria-label={t('title')}>
      {open && <Search onClose={onClose} />}
    </dialog>
  );
}

/** Entries that are loaded: the visitor's servers and those of other sources. */
function useRemoteEntries(): {
  readonly entries: readonly PaletteEntry[];
  readonly state: 'loading' | 'ready' | 'failed';
} {
  const api = useApi();
  const [servers, setServers] = useState<readonly ServerView[]>([]);
  const [added, setAdded] = useState<readonly PaletteEntry[]>([]);
  const [state, setState] = useState<'loading' | 'ready' | 'failed'>('loading');
  const ask = useEffectEvent(() => ({
    own: api?.dashboard.get({ query: { per_page: String(PAGE_SIZE_MAX) } }),
    others: palette.sources().map(async (source) => source()),
  }));
  // An effect, because it loads once each time the palette opens.
  useEffect(() => {
    let current = true;
    const { own, others } = ask();
    const arrivals = [
      own?.then((answer) => current && setServers(answer.servers)),
      ...others.map((other) => other.then((entries) => current && setAdded((before) => [...before, ...entries]))),
    ];
    void Promise.allSettled(arrivals).then(
      (ends) => current && setState(ends.some(({ status }) => status === 'rejected') ? 'failed' : 'ready'),
    );
    return () => {
      current = false;
    };
  }, []);
  return { entries: [...useServerEntries(servers), ...added], state };
}

function Search({ onClose }: { onClose: () => void }): ReactNode {
  const t = useT('palette');
  const navigate = useNavigate();
  const id = useId();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const page = usePageEntries();
  const found = useRemoteEntries();
  const [recent] = useState(readRecent);
  const query = useDeferredValue(typed);
  const staff = useStaffSearch(query);
  const settings = useSettingEntries();
  const groups = rankEntries([...page, ...found.entries, ...staff.entries, ...settings], query, recent);
  const hits = groups.flatMap((group) => group.hits);
  const active = Math.min(chosen, hits.length - 1);
  const go = ({ entry }: Hit): void => {
    addRecent(entry.id);
    onClose();
    if (entry.to !== undefined) void navigate(entry.to);
    else entry.run?.();
  };
  const onKey = (event: KeyboardEvent): void => {
    const next = nextIndex(event.key, active, hits.length);
    const hit = hits[active];
    if (next !== null) setChosen(next);
    else if (event.key === 'Enter' && !event.nativeEvent.isComposing && hit) go(hit);
    else return;
    event.preventDefault();
  };
  return (
    <div className="sp-palette__in">
      <div className="sp-palette__top">
        <Icon name="search" />
        <input
          className="sp-palette__input"
          role="combobox"
          aria-expanded={hits.length > 0}
          aria-controls={`${id}list`}
          aria-activedescendant={hits.length > 0 ? `${id}${active}` : undefined}
          aria-autocomplete="list"
          aria-label={t('placeholder')}
          placeholder={t(staff.isStaff ? 'staffPlaceholder' : 'placeholder')}
          autoComplete="off"
          spellCheck={false}
          enterKeyHint="go"
          maxLength={80}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setChosen(0);
          }}
          onKeyDown={onKey}
        />
        <button type="button" className="sp-palette__esc" onClick={onClose}>
          <kbd className="sp-kbd">{t('escape')}</kbd> <span className="sp-sr">{t('close')}</span>
        </button>
      </div>
      <List id={id} groups={groups} active={active} onChoose={setChosen} onUse={go} />
      <Outcome count={hits.length} typed={query} state={found.state} search={staff.state} />
      <Keys />
    </div>
  );
}

/** The index a key moves to; null for other keys. */
function nextIndex(key: string, active: number, count: number): number | null {
  if (count === 0) return null;
  if (key === 'ArrowDown') return (active + 1) % count;
  if (key === 'ArrowUp') return (active - 1 + count) % count;
  if (key === 'PageDown') return Math.min(count - 1, active + 5);
  if (key === 'PageUp') return Math.max(0, active - 5);
  return null;
}

interface ListProps {
  readonly id: string;
  readonly groups: readonly HitGroup[];
  readonly active: number;
  readonly onChoose: (index: number) => void;
  readonly onUse: (hit: Hit) => void;
}

function List({ id, groups, active, onChoose, onUse }: ListProps): ReactNode {
  const t = useT('palette');
  const starts = groups.map((_, index) => groups.slice(0, index).reduce((sum, group) => sum + group.hits.length, 0));
  // Not a native list: it stays under a field that keeps the focus, with groups, icons and marks.
  /* oxlint-disable jsx-a11y/prefer-tag-over-role */
  return (
    <div
      id={`${id}list`}
      className="sp-palette__list"
      role="listbox"
      aria-label={t('results')}
      hidden={groups.length === 0}
    >
      {groups.map((group, place) => (
        <div key={group.group} role="group" aria-labelledby={`${id}${group.group}`}>
          <p className="sp-palette__group" id={`${id}${group.group}`} role="presentation">
            {t(`group.${group.group}`)}
          </p>
          {group.hits.map((hit, index) => {
            const at = (starts[place] ?? 0) + index;
            return (
              <Option
                key={hit.entry.id}
                id={`${id}${at}`}
                hit={hit}
                selected={at === active}
                onPoint={() => onChoose(at)}
                onUse={() => onUse(hit)}
              />
            );
          })}
        </div>
      ))}
    </div>
  );
}

function Option(props: { id: string; hit: Hit; selected: boolean; onPoint: () => void; onUse: () => void }): ReactNode {
  const { id, hit, selected, onPoint, onUse } = props;
  const { icon = '', hint } = hit.entry;
  const line = useRef<HTMLDivElement>(null);
  // An effect, because scrolling is the browser's.
  useEffect(() => {
    if (selected) line.current?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the focus and the keys are the field's: this is a line of its list
    <div
      ref={line}
      id={id}
      className="sp-palette__option"
      role="option"
      aria-selected={selected}
      onPointerMove={selected ? undefined : onPoint}
      onClick={onUse}
    >
      <Icon name={isIconName(icon) ? icon : 'arrow-right'} />
      <span className="sp-palette__label">
        <Marked hit={hit} />
      </span>
      {hint !== undefined && <span className="sp-palette__hint">{hint}</span>}
    </div>
  );
}

/** The label with the matching letters highlighted. */
function Marked({ hit }: { hit: Hit }): ReactNode {
  const runs = useMemo(() => {
    const all: { text: string; marked: boolean }[] = [];
    for (const [at, letter] of [...hit.entry.label].entries()) {
      const marked = hit.marks.has(at);
      const last = all.at(-1);
      if (last?.marked === marked) last.text += letter;
      else all.push({ text: letter, marked });
    }
    return all;
  }, [hit]);
  // oxlint-disable-next-line react/no-array-index-key -- pieces of one text in their order
  return runs.map(({ text, marked }, index) =>
    marked ? <mark key={index}>{text}</mark> : <span key={index}>{text}</span>,
  );
}

type LoadState = 'loading' | 'ready' | 'failed';

/** Announces how many entries match, and what failed to load. */
function Outcome(props: { count: number; typed: string; state: LoadState; search: LoadState }): ReactNode {
  const { count, typed, state, search } = props;
  const t = useT('palette');
  return (
    <>
      <output className="sp-sr">{typed.trim() === '' ? '' : t('found', { count })}</output>
      {count === 0 && state !== 'loading' && search !== 'loading' && (
        <p className="sp-palette__note">
          <strong>{t('nothing', { typed: typed.trim() })}</strong> {t('nothingHint')}
        </p>
      )}
      {state === 'loading' && <p className="sp-palette__note">{t('loading')}</p>}
      {state === 'failed' && (
        <p className="sp-palette__note" role="alert">
          {t('failed')}
        </p>
      )}
      {search === 'loading' && <p className="sp-palette__note">{t('searching')}</p>}
      {search === 'failed' && (
        <p className="sp-palette__note" role="alert">
          {t('searchFailed')}
        </p>
      )}
    </>
  );
}

function Keys(): ReactNode {
  const t = useT('palette');
  const keys = [
    { keys: ['↑', '↓'], text: t('keyChoose') },
    { keys: [t('enter')], text: t('keyOpen') },
    { keys: ['>'], text: t('keyCommands') },
  ];
  return (
    <p className="sp-palette__keys" aria-hidden="true">
      {keys.map((row) => (
        <span key={row.text}>
          {row.keys.map((key) => (
            <kbd className="sp-kbd" key={key}>
              {key}
            </kbd>
          ))}
          {row.text}
        </span>
      ))}
    </p>
  );
}
