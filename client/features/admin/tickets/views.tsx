import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { isSortable, TICKET_VIEWS, TICKETS_COUNTED } from '#shared/tickets.ts';
import { addressOf, type InboxData } from './query.ts';

/** The lists of the inbox and the departments, each with how many tickets stand there. */
export function InboxViews({ data }: { data: InboxData }): ReactNode {
  const t = useT('staffTickets');
  const own = useT('ticketInbox');
  const { departments, counts } = data;
  const { view, department, tag, q, sort } = data.address;
  const isNarrowed = department !== '' || tag !== '' || q !== '';
  return (
    <nav className="sp-inbox__views" aria-label={t('views')}>
      <ul>
        {TICKET_VIEWS.map((each) => (
          <View
            key={each}
            to={addressOf({ view: each, sort: isSortable(each) ? sort : '' })}
            count={isSortable(each) ? (counts?.[each] ?? 0) : 0}
            isHot={each === 'overdue'}
            isCurrent={each === view && !isNarrowed}
          >
            {t(`view.${each}`)}
          </View>
        ))}
      </ul>
      {departments.length > 0 && (
        <>
          <h2 className="sp-inbox__group">{own('departments')}</h2>
          <ul>
            {departments.map(({ id, name, count }) => (
              <View
                key={id}
                to={addressOf({ view, department: id, sort })}
                count={count ?? 0}
                isCurrent={id === department && tag === '' && q === ''}
              >
                {name}
              </View>
            ))}
          </ul>
        </>
      )}
    </nav>
  );
}

interface ViewProps {
  readonly to: string;
  /** Counted up to a bound; 0 is not shown. */
  readonly count: number;
  readonly isCurrent: boolean;
  readonly isHot?: boolean;
  readonly children: ReactNode;
}

function View({ to, count, isCurrent, isHot = false, children }: ViewProps): ReactNode {
  const format = useFormat();
  return (
    <li>
      <Link className="sp-inbox__view" to={to} preventScrollReset aria-current={isCurrent ? 'page' : undefined}>
        <span>{children}</span>
        {count > 0 && (
          <span className="sp-inbox__count" data-hot={isHot || undefined}>
            {count >= TICKETS_COUNTED ? `${format.number(TICKETS_COUNTED - 1)}+` : format.number(count)}
          </span>
        )}
      </Link>
    </li>
  );
}
