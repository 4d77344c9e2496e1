import { useRef } from 'react';
import type { ReactNode, RefObject } from 'react';
import { Link, NavLink } from 'react-router';
import { useT } from '#client/lib/i18n.tsx';
import { Wordmark } from './brand.tsx';
import { IconButton } from './button.tsx';
import { Icon } from './icon.tsx';
import type { IconName } from './icons.ts';
import { WITHOUT_DISCOVERY } from './link-button.tsx';

/** Up to which a count is shown: beyond that it matters to nobody how many there are. */
const COUNT_MAX = 99;

/** One destination. */
export interface NavItem {
  id: string;
  label: string;
  /** A shorter label for the phone's bar: about ten letters fit. */
  short?: string;
  to: string;
  icon: IconName;
  /** Current only at exactly this address. */
  end?: boolean;
  count?: number;
  /** The count asks for attention. */
  hot?: boolean;
}

/** A group of destinations. */
export interface NavGroup {
  id: string;
  label?: string;
  items: readonly NavItem[];
}

interface ShellProps {
  brand: { name: string; to: string };
  groups: readonly NavGroup[];
  /** Under the groups, at the bottom. */
  foot?: readonly NavItem[];
  /** The five destinations of the phone's bar; "more" opens all the others. */
  bottom: readonly NavItem[];
  /** Icons only. Kept in a cookie by the product, so that the server draws it right at once. */
  collapsed: boolean;
  onCollapse: (collapsed: boolean) => void;
  /** Left in the top bar: the search. */
  topStart?: ReactNode;
  /** Right in the top bar: balance, notifications, profile. */
  topEnd?: ReactNode;
  /** Over the page, under the top bar: banners of the whole site. */
  notice?: ReactNode;
  children: ReactNode;
}

const NAV_ID = 'sp-nav';
const MAIN_ID = 'main';

/**
 * Sidebar, top bar, page, and a bottom bar on phones. The navigation stands beside the page on wide screens; on phones
 * it is a popover that "more" opens, without scripts too.
 */
export function Shell(props: ShellProps): ReactNode {
  const { brand, bottom, collapsed, topStart, topEnd, notice, children } = props;
  const t = useT('ui');
  const nav = useRef<HTMLElement>(null);
  return (
    <div className="sp-app" data-collapsed={collapsed || undefined}>
      <a className="sp-skip" href={`#${MAIN_ID}`}>
        {t('skipToContent')}
      </a>
      <Sidebar {...props} nav={nav} />
      <div className="sp-app__main">
        <header className="sp-topbar sp-glass-0">
          <Link className="sp-topbar__brand" to={brand.to} aria-label={brand.name}>
            <Wordmark name={brand.name} />
          </Link>
          {topStart}
          <div className="sp-topbar__end">{topEnd}</div>
        </header>
        {notice}
        <main id={MAIN_ID} className="sp-app__page" tabIndex={-1}>
          {children}
        </main>
      </div>
      <nav className="sp-bottombar" aria-label={t('quickNavigation')}>
        <ul className="sp-bottombar__list">
          {bottom.map((item) => (
            <li key={item.id}>
              <NavLink to={item.to} end={item.end ?? false}>
                <Icon name={item.icon} size="lg" />
                <span>{item.short ?? item.label}</span>
                {item.hot && item.count ? <i className="sp-dot" /> : null}
              </NavLink>
            </li>
          ))}
          <li>
            <button type="button" popoverTarget={NAV_ID}>
              <Icon name="menu" size="lg" />
              <span>{t('more')}</span>
            </button>
          </li>
        </ul>
      </nav>
    </div>
  );
}

function Sidebar(props: ShellProps & { nav: RefObject<HTMLElement | null> }): ReactNode {
  const { brand, groups, foot = [], collapsed, onCollapse, nav } = props;
  const t = useT('ui');
  const label = collapsed ? t('expandSidebar') : t('collapseSidebar');
  const leave = (): void => {
    if (nav.current?.matches(':popover-open')) nav.current.hidePopover();
  };
  return (
    <nav className="sp-sidebar sp-glass-0" id={NAV_ID} popover="auto" ref={nav} aria-label={t('mainNavigation')}>
      <div className="sp-sidebar__top">
        <Link className="sp-sidebar__brand" to={brand.to} aria-label={brand.name} onClick={leave}>
          <Wordmark name={brand.name} />
        </Link>
        <span className="sp-sidebar__toggle">
          <IconButton
            icon="sidebar"
            size="sm"
            label={label}
            aria-expanded={!collapsed}
            onClick={() => onCollapse(!collapsed)}
          />
        </span>
        <span className="sp-sidebar__close">
          <IconButton icon="x" label={t('close')} popoverTarget={NAV_ID} popoverTargetAction="hide" />
        </span>
      </div>
      <div className="sp-sidebar__nav">
        {groups.map((group) => (
          <div className="sp-sidebar__group" key={group.id}>
            {group.label !== undefined && <p className="sp-sidebar__label">{group.label}</p>}
            <NavList items={group.items} label={group.label} leave={leave} />
          </div>
        ))}
        {foot.length > 0 && (
          <div className="sp-sidebar__foot">
            <NavList items={foot} label={undefined} leave={leave} />
          </div>
        )}
      </div>
    </nav>
  );
}

function NavList(props: { items: readonly NavItem[]; label: string | undefined; leave: () => void }): ReactNode {
  return (
    <ul className="sp-nav" aria-label={props.label}>
      {props.items.map((item) => (
        <li key={item.id}>
          <NavLink
            {...WITHOUT_DISCOVERY}
            className="sp-nav__item"
            to={item.to}
            end={item.end ?? false}
            title={item.label}
            onClick={props.leave}
          >
            <Icon name={item.icon} />
            <span className="sp-nav__label">{item.label}</span>
            {item.count ? (
              <span className="sp-nav__n" data-hot={item.hot || undefined}>
                {item.count > COUNT_MAX ? `${COUNT_MAX}+` : item.count}
              </span>
            ) : null}
          </NavLink>
        </li>
      ))}
    </ul>
  );
}
