import { useId, useRef } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';
import { Link } from 'react-router';
import { Icon } from './icon.tsx';
import type { IconName } from './icons.ts';
import { WITHOUT_DISCOVERY } from './link-button.tsx';
import { positionPopover } from './popover-position.ts';

/** An entry of a menu: a link (`to`) or an action (`onSelect`). */
export interface MenuItem {
  id: string;
  label: ReactNode;
  icon?: IconName;
  to?: string;
  onSelect?: () => void;
  tone?: 'danger';
  disabled?: boolean;
  /** A line above this entry. */
  divided?: boolean;
  /** This entry is the current choice of several. */
  checked?: boolean;
  /** This entry is on or off, whatever the others are. */
  ticked?: boolean;
  /** Shown at the end: a key, a count. */
  end?: ReactNode;
}

interface MenuProps {
  /** Accessible name of the button and of the menu; it contains the button's visible text. */
  label: string;
  items: readonly MenuItem[];
  /** What the button shows; three dots otherwise. */
  trigger?: ReactNode;
  triggerClass?: string;
  size?: 'sm';
  /** Shown on top of the entries. */
  head?: ReactNode;
}

/** A button with a menu. It is a native popover, so it opens without scripts too. */
export function Menu({ label, items, trigger, triggerClass, size, head }: MenuProps): ReactNode {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const close = (): void => list.current?.hidePopover();
  return (
    <>
      <button
        ref={button}
        type="button"
        className={triggerClass ?? 'sp-btn'}
        {...(trigger === undefined ? { 'data-variant': 'ghost', 'data-icon-only': '', 'data-size': size } : {})}
        aria-label={label}
        title={trigger === undefined ? label : undefined}
        aria-haspopup="menu"
        popoverTarget={id}
      >
        {trigger ?? <Icon name="dots" />}
      </button>
      <div
        ref={list}
        id={id}
        className="sp-menu"
        popover="auto"
        role="menu"
        aria-label={label}
        tabIndex={-1}
        onKeyDown={(event) => moveFocus(event, close)}
        onToggle={(event) => {
          if (event.newState !== 'open') return;
          positionPopover(list.current, button.current);
          entries(list.current)[0]?.focus();
        }}
      >
        {head !== undefined && <div className="sp-menu__head">{head}</div>}
        {items.map((item) => (
          <Entry key={item.id} item={item} close={close} />
        ))}
      </div>
    </>
  );
}

/** The role of an entry, with its state where it has one. */
function roleOf({ checked, ticked }: MenuItem) {
  if (checked !== undefined) return { role: 'menuitemradio', 'aria-checked': checked };
  return ticked === undefined ? { role: 'menuitem' } : { role: 'menuitemcheckbox', 'aria-checked': ticked };
}

function Entry({ item, close }: { item: MenuItem; close: () => void }): ReactNode {
  const shared = {
    className: 'sp-menu__item',
    tabIndex: -1,
    'data-tone': item.tone,
    ...roleOf(item),
  };
  const inner = (
    <>
      {item.icon && <Icon name={item.icon} />}
      <span className="sp-menu__label">{item.label}</span>
      {item.end}
      {(item.checked === true || item.ticked === true) && <Icon name="check" size="sm" />}
    </>
  );
  return (
    <>
      {item.divided && <hr className="sp-menu__rule" />}
      {item.to !== undefined && !item.disabled ? (
        <Link {...WITHOUT_DISCOVERY} {...shared} to={item.to} onClick={close}>
          {inner}
        </Link>
      ) : (
        <button
          {...shared}
          type="button"
          disabled={item.disabled}
          onClick={() => {
            close();
            item.onSelect?.();
          }}
        >
          {inner}
        </button>
      )}
    </>
  );
}

function entries(list: HTMLElement | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('.sp-menu__item:not(:disabled)') ?? [])];
}

/** Arrow keys, Home and End move; a letter goes to the next entry that begins with it; Tab leaves and closes. */
function moveFocus(event: KeyboardEvent<HTMLElement>, close: () => void): void {
  if (event.key === 'Tab') {
    close();
    return;
  }
  const all = entries(event.currentTarget);
  const at = all.findIndex((entry) => entry === document.activeElement);
  const target = targetOf(event.key, all, at);
  if (!target) return;
  event.preventDefault();
  target.focus();
}

function targetOf(key: string, all: readonly HTMLElement[], at: number): HTMLElement | undefined {
  if (key === 'ArrowDown') return all[(at + 1) % all.length];
  if (key === 'ArrowUp') return all.at(at <= 0 ? -1 : at - 1);
  if (key === 'Home') return all[0];
  if (key === 'End') return all.at(-1);
  if (key.length !== 1 || key === ' ') return undefined;
  const letter = key.toLocaleLowerCase();
  const begins = (entry: HTMLElement): boolean =>
    (entry.textContent ?? '').trim().toLocaleLowerCase().startsWith(letter);
  return [...all.slice(at + 1), ...all.slice(0, at + 1)].find(begins);
}
