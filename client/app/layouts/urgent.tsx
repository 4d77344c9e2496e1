import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { useApi } from '#client/lib/use-api.ts';
import { Banner } from '#client/ui/banner.tsx';
import { href } from '#shared/routes/href.ts';

/** Urgent announcements over every page, until they are read or put away (behaviour 7.4). */
export function UrgentBanners(): ReactNode {
  const t = useT('shell');
  const api = useApi();
  const { announcements, viewing } = useShell().session;
  // Put away here; the session says the same a moment later.
  const [away, setAway] = useState<readonly string[]>([]);
  const shown = announcements.urgent.filter(({ id }) => !away.includes(id));
  if (shown.length === 0) return null;
  return (
    <section aria-label={t('urgentLabel')}>
      {shown.map(({ id, title, summary }) => (
        <Banner
          key={id}
          tone="warning"
          {...(viewing === undefined
            ? {
                onDismiss: () => {
                  setAway([...away, id]);
                  // Where that is lost it shows again with the next page, which is no harm.
                  api?.announcements.markRead({ params: { id } }).catch(() => undefined);
                },
              }
            : {})}
          action={
            <Link
              className="sp-link"
              to={href('announcement.view', { id })}
              aria-label={`${t('urgentDetails')}: ${title}`}
            >
              {t('urgentDetails')}
            </Link>
          }
        >
          <strong>{title}</strong> {summary}
        </Banner>
      ))}
    </section>
  );
}
