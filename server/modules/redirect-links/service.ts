import type { Clock } from '#server/modules/kernel.ts';
import type { UnitOfWork } from '#server/modules/tx.ts';
import { DomainError } from '#shared/errors.ts';
import { linkTarget, type LinkAudience } from '#shared/schemas/redirect-links.ts';
import type { SettingValues } from '#shared/settings.ts';
import { dayIn } from '#shared/time.ts';
import { lastDays } from '../rewards/counters/index.ts';
import type { MenuLink } from './ports.ts';

/** Published when staff changed a link. */
export const REDIRECT_LINKS_TOPIC = 'redirect-links';
/** Most links that a menu lists. */
const MENU_MAX = 30;
/** Days of clicks that are shown. */
const DAYS_SHOWN = 30;

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly settings: { current(): SettingValues };
  /** Address of the installation. */
  readonly appUrl: () => string;
}
/** Who follows a link, or sees the menu. */
export type Visitor = 'guest' | 'player' | 'staff';
const AUDIENCES: Readonly<Record<Visitor, readonly LinkAudience[]>> = {
  guest: ['everyone'],
  player: ['everyone', 'players'],
  staff: ['everyone', 'players', 'staff'],
};

export interface RedirectLinks {
  /**
   * Follows a link, and counts that: nobody is remembered. Out: where it leads; `asks`: the visitor is asked first,
   * because it leaves the host. Throws NOT_FOUND; SESSION_EXPIRED where a guest has to sign in first.
   */
  follow(visitor: Visitor, slug: string): Promise<{ name: string; url: string; host: string; asks: boolean }>;
  /** The links of a visitor's menu, in their order. */
  menu(visitor: Visitor): Promise<MenuLink[]>;
  /** Clicks of the last 30 days (by `app_timezone`), the oldest first. Throws NOT_FOUND. */
  days(id: string): Promise<{ day: string; clicks: number }[]>;
}

/** Redirect links (behaviour 7.6): addresses of the host's own that lead elsewhere. */
export function createRedirectLinks({ uow, clock, settings, appUrl }: Deps): RedirectLinks {
  /** Whether an address belongs to the installation: its host, or one below it. */
  function isOwn(target: URL): boolean {
    const own = URL.parse(appUrl())?.hostname;
    return own !== undefined && (target.hostname === own || target.hostname.endsWith(`.${own}`));
  }

  const today = (): string => dayIn(clock.now(), settings.current().app_timezone);

  return {
    follow: (visitor, slug) =>
      uow.run(async (tx) => {
        const link = await tx.redirectLinks.lockEnabled(slug);
        const target = link && linkTarget(link.target);
        if (!link || !target || (link.audience === 'staff' && visitor !== 'staff')) throw new DomainError('NOT_FOUND');
        if (!AUDIENCES[visitor].includes(link.audience)) throw new DomainError('SESSION_EXPIRED');
        await tx.redirectLinks.addClick(link.id, today());
        const asks = settings.current().redirect_link_notice && !isOwn(target);
        return { name: link.name, url: target.href, host: target.host, asks };
      }),
    menu: (visitor) => uow.read((tx) => tx.redirectLinks.menu(AUDIENCES[visitor], MENU_MAX)),
    days: (id) =>
      uow.read(async (tx) => {
        const days = lastDays(today(), DAYS_SHOWN);
        const rows = await tx.redirectLinks.days(id, days[0] ?? '');
        if (!rows) throw new DomainError('NOT_FOUND');
        const byDay = new Map(rows.map(({ day, clicks }) => [day, clicks]));
        return days.map((day) => ({ day, clicks: byDay.get(day) ?? 0 }));
      }),
  };
}
